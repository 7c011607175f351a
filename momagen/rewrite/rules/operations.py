"""Operations that no machine has, and constants that their rules derive, as ``rules/operations.toml`` and
``rules/constants.toml`` declare them: a row says what each one may answer.

Its meaning is the answer in the middle, what agrees with it is any, and an answer rises or falls with each argument
alone, so that the ends of intervals give the bounds of results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, wraps
from itertools import product
from typing import Any, NamedTuple

from momagen.data import folder
from momagen.errors import MomagenError, among
from momagen.ir import Op, Value, numeral, register
from momagen.ir.value import Interval
from momagen.rewrite.notation.arithmetic import FAILURES, Function, function
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Expr
from momagen.tables import read_toml, shallow

KEYS = {"args", "means", "written", "requires", "let", "fixed", "rank", "spread", "commutes", "parts", "first", "wraps",
        "done", "input", "digits"}  # fmt: skip
ARGUMENTS = re.compile(r"(?P<names>[^:]*): (?P<kinds>[wifmn]+) → (?P<results>[wifm]+)")
"""Such as y v q: www → w."""
RELATION = re.compile(
    r"(?P<name>\S+|\[.+?\]) (?P<sign>[=≡≈]) (?P<value>.+?)(?: \(mod (?P<modulus>.+?)\))?"
    r"(?:; (?P<low>.+) (?P<above>[<≤]) (?P=name) (?P<below>[<≤]) (?P<high>.+))?"
)
"""Such as t ≡ y · v (mod q); 0 ≤ t < 2 · q."""
Ints = tuple[int, ...]
Lazy = Callable[..., Sequence[Any]]
"""All that an operation may answer, in order; of several results, the ends alone."""


def _told(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method of :class:`Declared` say which operation cannot be computed, and for which numbers."""

    @wraps(compute)
    def told(self: Declared, *args: Any) -> Any:
        try:
            return compute(self, *args)
        except MomagenError:
            raise
        except FAILURES as error:
            text = f"{type(error).__name__} for w, k, arguments {args}: {error}"
            hint = "append “; low ≤ result ≤ high” to its meaning to state its bounds"
            raise MomagenError("an operation that can be computed", text, self.where, hint) from None

    return told


class _Result(NamedTuple):
    """One result: congruent to ``value`` from ``low`` to ``high``, or without a modulus equal to it and within them."""

    value: Function
    modulus: Function | None
    low: Function
    high: Function

    def answers(self, *numbers: int) -> Sequence[int]:
        if self.modulus is None:
            return (self.value(*numbers),)
        low, modulus = self.low(*numbers), self.modulus(*numbers)
        return range(low + (self.value(*numbers) - low) % modulus, self.high(*numbers) + 1, modulus)

    def bounds(self, w: int, k: int, *args: Interval) -> Interval:
        corners = [(w, k, *corner) for corner in product(*map(set, args))]
        lows = [self.low(*corner) for corner in corners]
        return min(lows), max(lows if self.high is self.low else (self.high(*corner) for corner in corners))


class Declared:
    """The operation ``name`` of one row, ``op`` in the table of operations; what it means is read when it is needed.

    Attributes:
        lazy: what it may answer, where a rule may ask for it and it may answer several things.
    """

    def __init__(self, name: str, row: Mapping[str, Any], where: str) -> None:
        self.row, self.where = row, f"{where}, {name}"
        if unknown := row.keys() - KEYS:
            raise among("keys among", sorted(KEYS), ", ".join(sorted(unknown)), self.where)
        found = ARGUMENTS.fullmatch(row.get("args", ""))
        if not found or len(found["names"].split()) != len(found["kinds"]):
            raise MomagenError(
                "names and kinds of arguments, such as y v q: www → w", row.get("args", "nothing"), self.where
            )
        args, kinds, results = found["names"], found["kinds"], found["results"]
        self.names = ["w", "k", *args.split()]
        parted, several = "parts" in row, "parts" in row or self.sign != "="
        self.lazy: Lazy | None = self._lazily if parted or (several and len(results) == 1) else None
        self.op = register(Op(
            name, kinds, results, self._meaning, lru_cache(self._bounds),
            row.get("written", ", ".join(self._means)),
            rank=row.get("rank", 1), spread=row.get("spread", 2), commutes=row.get("commutes", False),
            fixed=tuple(args.split().index(each) for each in row.get("fixed", "").split()),
            requires=self._requires, agrees=self._agrees if several else None,
        ))  # fmt: skip

    @property
    def _means(self) -> list[str]:
        """What each result is."""
        return str(self.row.get("means", "")).strip().splitlines() or [""]

    @property
    def sign(self) -> str:
        """≡ or ≈ where one of them stands in what results are, else =."""
        return next((sign for sign in "≡≈" if any(sign in line for line in self._means)), "=")

    @cached_property
    def _results(self) -> list[_Result]:
        return [self._result(line) for line in self._means]

    @cached_property
    def _parts(self) -> Function | None:
        return self._function(self.row["parts"]) if "parts" in self.row else None

    @cached_property
    def _required(self) -> Function:
        return self._function(self.row.get("requires", "0 < 1"))

    @_told
    def _requires(self, *numbers: int) -> bool:
        found: bool = self._required(*numbers)
        return found

    def _read(self, text: str) -> Expr:
        return RuleParser(text, self.where).value()

    def _function(self, text: str) -> Function:
        with shallow(text, self.where):
            return self._compiled(text)

    def _compiled(self, text: str) -> Function:
        given = dict(line.split(" = ", 1) for line in self.row.get("let", "").strip().splitlines())
        return function(self.names, self._read(text), {name: self._read(value) for name, value in given.items()})

    def digits(self, *numbers: int) -> tuple[int, list[Interval]]:
        """Of a result that is known by its digits, the bits of one, and the intervals of all, the low one first."""
        keys, names = ("bits", "count", "least", "most"), [*self.names, "i"]
        bits, count, least, most = (function(names, self._read(self.row["digits"][key])) for key in keys)
        return bits(*numbers, 0), [(least(*numbers, i), most(*numbers, i)) for i in range(count(*numbers, 0))]

    def _result(self, line: str) -> _Result:
        found = RELATION.fullmatch(line)
        if not found:
            raise MomagenError(
                "the value and range of a result, such as t ≡ y · v (mod q); 0 ≤ t < 2 · q", line, self.where
            )
        modulus = "1" if found["sign"] == "≈" else found["modulus"]
        low = f"({found['low']}) + {int(found['above'] == '<')}" if found["low"] else found["value"]
        high = f"({found['high']}) - {int(found['below'] == '<')}" if found["high"] else found["value"]
        read = {text: self._function(text) for text in (found["value"], low, high)}
        return _Result(read[found["value"]], self._function(modulus) if modulus else None, read[low], read[high])

    def _answers(self, w: int, k: int, *args: int) -> list[Sequence[int]]:
        """Of each result all that it may be, in order."""
        found = [each.answers(w, k, *args) for each in self._results]
        return [sorted(r % (1 << k) for r in answers) for answers in found] if self.row.get("wraps") else found

    @_told
    def _lazily(self, w: int, k: int, *args: int) -> Sequence[Any]:
        """Of the only result all; of h·2^w + l the least and the greatest, each parted in another way."""
        (found,), full = self._answers(w, k, *args), 1 << w
        if not self._parts:
            return found
        return [(found[at] // full + step, found[at] % full - full * step) for at, step in ((0, -1), (-1, 1))]

    @_told
    def _meaning(self, w: int, k: int, *args: int) -> Ints:
        if self._parts:
            return tuple(self._lazily(w, k, *args)[0])
        return tuple(map(_middle, self._answers(w, k, *args)))

    @_told
    def _agrees(self, w: int, k: int, args: Ints, results: Ints) -> bool:
        if self._parts and max(map(abs, results)) > self._parts(w, k, *args):
            return False
        numbers = [(results[0] << w) + results[1]] if self._parts else results
        return all(r in found for r, found in zip(numbers, self._answers(w, k, *args), strict=True))

    @_told
    def _bounds(self, w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
        if not self.op.agrees and all(lo == hi for lo, hi in args):
            return tuple((r, r) for r in self._meaning(w, k, *(lo for lo, _ in args)))
        if self._parts:
            most = max(self._parts(w, k, *corner) for corner in product(*map(set, args)))
            return ((-most, most),) * 2
        if self.row.get("wraps"):
            return ((0, (1 << k) - 1),) * len(self._results)
        return tuple(each.bounds(w, k, *args) for each in self._results)


def _middle(found: Sequence[int]) -> int:
    if isinstance(found, range):  # of more numbers than len may count
        return found[0] + (found[-1] - found[0]) // found.step // 2 * found.step
    return found[(len(found) - 1) // 2]


def declared(file: str) -> dict[str, Declared]:
    """The operations of one file of ``rules``.

    Raises:
        MomagenError: it is not TOML, or a text in it outside the notation; file, operation and text are named.
    """
    rows = read_toml(folder("rules") / file, "operations in TOML", file)
    return {name: Declared(name, row, file) for name, row in rows.items()}


_OPERATIONS, _CONSTANTS = declared("operations.toml"), declared("constants.toml")

COMPOSITES = {name: each.op for name, each in _OPERATIONS.items() if not each.row.get("done")}
"""Operations that rules must rewrite."""
REDUCED = frozenset(name for name, each in _OPERATIONS.items() if each.row.get("first"))
"""Operations that are reduced before all else: rules for them derive constants."""
CONSTANTS = {name: each.op for name, each in _CONSTANTS.items()}
NAMES: dict[str, str] = {name: each.row["input"] for name, each in _CONSTANTS.items()}
"""What an input is called that holds a constant: the operation that derives it, and {} for what it derives it of."""
SIGNS = {name: each.sign for name, each in _OPERATIONS.items()}
"""Whether a result equals (=), is congruent to (≡) or next to (≈) what its row says."""
LAZY: dict[str, Lazy] = {name: each.lazy for name, each in _OPERATIONS.items() if each.lazy}
"""All that an operation may answer, in order, where its meaning is only one of several."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """The input that holds what ``op`` derives."""
    row = _CONSTANTS[op]
    ((lo, hi),) = row.op.bounds(width, k, *(a.interval for a in args))
    if "digits" not in row.row:
        return Value(lo, hi, "word", name)
    bits, ends = row.digits(width, k, *(a.hi for a in args))
    return numeral(name, (lo, hi), ends, bits)
