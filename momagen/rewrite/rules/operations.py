"""Operations that no machine has, and constants that rules derive, as rows of TOML files declare them.

The files are ``rules/operations.toml`` and ``rules/constants.toml``. A row states the range of allowed
results of an operation. Its meaning is the result in the middle of the range, and every result in the range
agrees with it. Results are monotonic in each argument, so that the ends of intervals give the bounds of
results.
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
"""The keys of an operation."""
ARGUMENTS = re.compile(r"(?P<names>[^:]*): (?P<kinds>[wifmn]+) → (?P<results>[wifm]+)")
"""The declaration of arguments and results, such as ``y v q: www → w``."""
RELATION = re.compile(
    r"(?P<name>\S+|\[.+?\]) (?P<sign>[=≡≈]) (?P<value>.+?)(?: \(mod (?P<modulus>.+?)\))?"
    r"(?:; (?P<low>.+) (?P<above>[<≤]) (?P=name) (?P<below>[<≤]) (?P<high>.+))?"
)
"""The specification of a result, such as ``t ≡ y · v (mod q); 0 ≤ t < 2 · q``."""
Ints = tuple[int, ...]
"""Integers that are arguments or results."""
Lazy = Callable[..., Sequence[Any]]
"""A function that returns all allowed results of an operation in order; of several results only the
extreme ones."""


def _told(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of :class:`Declared` report the operation and the numbers for which it fails."""

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
    """The specification of one result.

    Attributes:
        value: The value.
        modulus: The modulus to which the result is congruent to ``value``, or None if it is equal to it.
        low: The smallest allowed result.
        high: The largest allowed result.
    """

    value: Function
    modulus: Function | None
    low: Function
    high: Function

    def answers(self, *numbers: int) -> Sequence[int]:
        """Return all allowed results in order, for a width, an attribute k and arguments."""
        if self.modulus is None:
            return (self.value(*numbers),)
        low, modulus = self.low(*numbers), self.modulus(*numbers)
        return range(low + (self.value(*numbers) - low) % modulus, self.high(*numbers) + 1, modulus)

    def bounds(self, w: int, k: int, *args: Interval) -> Interval:
        """Return the interval of the result for intervals of the arguments."""
        corners = [(w, k, *corner) for corner in product(*map(set, args))]
        lows = [self.low(*corner) for corner in corners]
        return min(lows), max(lows if self.high is self.low else (self.high(*corner) for corner in corners))


class Declared:
    """The operation of one row, which is registered in the table of operations as ``op``.

    Its specification is parsed when it is first used.

    Attributes:
        row: The row.
        where: The file and the name of the operation, for errors.
        names: The names of the width, of the attribute and of the arguments.
        lazy: The function that returns all allowed results, or None if there is only one, or if the operation
            has several results without ``parts``.
        op: The operation.

    Raises:
        MomagenError: A key is unknown, or the arguments are not declared correctly.
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
        """The specification of each result, as text."""
        return str(self.row.get("means", "")).strip().splitlines() or [""]

    @property
    def sign(self) -> str:
        """The relation of results to values: "≡" or "≈" if the specification contains it, or else "="."""
        return next((sign for sign in "≡≈" if any(sign in line for line in self._means)), "=")

    @cached_property
    def _results(self) -> list[_Result]:
        """The specification of each result."""
        return [self._result(line) for line in self._means]

    @cached_property
    def _parts(self) -> Function | None:
        """The bound of the two parts of the result, or None if the result is not split into parts."""
        return self._function(self.row["parts"]) if "parts" in self.row else None

    @cached_property
    def _required(self) -> Function:
        """The precondition."""
        return self._function(self.row.get("requires", "0 < 1"))

    @_told
    def _requires(self, *numbers: int) -> bool:
        """Return whether the precondition holds."""
        found: bool = self._required(*numbers)
        return found

    def _read(self, text: str) -> Expr:
        """Return the syntax tree of a text."""
        return RuleParser(text, self.where).value()

    def _function(self, text: str) -> Function:
        """Return a text as a function of the width, the attribute and the arguments."""
        with shallow(text, self.where):
            return self._compiled(text)

    def _compiled(self, text: str) -> Function:
        """Return a text, in which the names of ``let`` may occur, as a function."""
        given = dict(line.split(" = ", 1) for line in self.row.get("let", "").strip().splitlines())
        return function(self.names, self._read(text), {name: self._read(value) for name, value in given.items()})

    def digits(self, *numbers: int) -> tuple[int, list[Interval]]:
        """Return the size in bits and the intervals of the limbs of a constant, the low one first.

        Args:
            numbers: The width, the attribute k and the arguments.
        """
        keys, names = ("bits", "count", "least", "most"), [*self.names, "i"]
        bits, count, least, most = (function(names, self._read(self.row["digits"][key])) for key in keys)
        return bits(*numbers, 0), [(least(*numbers, i), most(*numbers, i)) for i in range(count(*numbers, 0))]

    def _result(self, line: str) -> _Result:
        """Return the specification of a result that a line states."""
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
        """Return all allowed values of each result, in order."""
        found = [each.answers(w, k, *args) for each in self._results]
        return [sorted(r % (1 << k) for r in answers) for answers in found] if self.row.get("wraps") else found

    @_told
    def _lazily(self, w: int, k: int, *args: int) -> Sequence[Any]:
        """Return all allowed values of the only result.

        Of a result h·2^w + l, return the least and the greatest, split differently.
        """
        (found,), full = self._answers(w, k, *args), 1 << w
        if not self._parts:
            return found
        return [(found[at] // full + step, found[at] % full - full * step) for at, step in ((0, -1), (-1, 1))]

    @_told
    def _meaning(self, w: int, k: int, *args: int) -> Ints:
        """Return the results in the middle of the allowed ones."""
        if self._parts:
            return tuple(self._lazily(w, k, *args)[0])
        return tuple(map(_middle, self._answers(w, k, *args)))

    @_told
    def _agrees(self, w: int, k: int, args: Ints, results: Ints) -> bool:
        """Return whether results are allowed."""
        if self._parts and max(map(abs, results)) > self._parts(w, k, *args):
            return False
        numbers = [(results[0] << w) + results[1]] if self._parts else results
        return all(r in found for r, found in zip(numbers, self._answers(w, k, *args), strict=True))

    @_told
    def _bounds(self, w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
        """Return the intervals of the results."""
        if not self.op.agrees and all(lo == hi for lo, hi in args):
            return tuple((r, r) for r in self._meaning(w, k, *(lo for lo, _ in args)))
        if self._parts:
            most = max(self._parts(w, k, *corner) for corner in product(*map(set, args)))
            return ((-most, most),) * 2
        if self.row.get("wraps"):
            return ((0, (1 << k) - 1),) * len(self._results)
        return tuple(each.bounds(w, k, *args) for each in self._results)


def _middle(found: Sequence[int]) -> int:
    """Return the value in the middle of a sorted sequence."""
    if isinstance(found, range):  # it may contain more numbers than len can return
        return found[0] + (found[-1] - found[0]) // found.step // 2 * found.step
    return found[(len(found) - 1) // 2]


def declared(file: str) -> dict[str, Declared]:
    """Return the operations of one file in ``rules`` by name.

    Raises:
        MomagenError: The file is not TOML, or a text in it is outside the notation. The message names the
            file, the operation and the text.
    """
    rows = read_toml(folder("rules") / file, "operations in TOML", file)
    return {name: Declared(name, row, file) for name, row in rows.items()}


_OPERATIONS, _CONSTANTS = declared("operations.toml"), declared("constants.toml")

COMPOSITES = {name: each.op for name, each in _OPERATIONS.items() if not each.row.get("done")}
"""The operations that rules must rewrite, by name."""
REDUCED = frozenset(name for name, each in _OPERATIONS.items() if each.row.get("first"))
"""The operations that are rewritten before all others, by rules that derive constants."""
CONSTANTS = {name: each.op for name, each in _CONSTANTS.items()}
"""The operations that compute derived constants, by name."""
NAMES: dict[str, str] = {name: each.row["input"] for name, each in _CONSTANTS.items()}
"""The pattern of the names of inputs that contain a derived constant, by the operation that computes it.
The braces are replaced by the input from which it is derived."""
SIGNS = {name: each.sign for name, each in _OPERATIONS.items()}
"""The relation of the results of an operation to their values: equal (=), congruent (≡) or in a range (≈)."""
LAZY: dict[str, Lazy] = {name: each.lazy for name, each in _OPERATIONS.items() if each.lazy}
"""The functions that return all allowed results, for operations that allow several."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """Return the input of a block that contains a derived constant.

    Args:
        op: The operation that computes the constant.
        width: The width of the operation in bits.
        args: The arguments.
        k: The attribute of the operation.
        name: The name of the input.
    """
    row = _CONSTANTS[op]
    ((lo, hi),) = row.op.bounds(width, k, *(a.interval for a in args))
    if "digits" not in row.row:
        return Value(lo, hi, "word", name)
    bits, ends = row.digits(width, k, *(a.hi for a in args))
    return numeral(name, (lo, hi), ends, bits)
