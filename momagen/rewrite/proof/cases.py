"""Valid inputs of every operation: all of them, all combinations of edges, or random ones.

An operation's inputs are a short *program* of choices, for composite ones read from ``rules/inputs.toml``:
``pick(lo, hi)`` is any integer of that range. The same program, asked by different sources, sweeps everything, sweeps
the edges of every range, or draws at random.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import count, product
from typing import TypeAlias

from momagen.data import folder
from momagen.ir import OPS
from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Expr
from momagen.tables import parse_toml

FILE = "inputs.toml"
Pick: TypeAlias = Callable[[int, int], int]
"""Any integer of a range."""
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Program: TypeAlias = Callable[[Pick, int], Case]
Choice: TypeAlias = tuple[str, Expr, Expr | None]
"""A name, and the integer or the ends of the range that it is of."""


class EmptyRangeError(Exception):
    """A choice among nothing: the choices before it lead to no valid input."""


@lru_cache(maxsize=1)
def programs() -> dict[str, Program]:
    """The programs by operation.

    Raises:
        MomagenError: the file is not TOML, or a choice no arithmetic; file, operation and text are named.
    """
    found = parse_toml((folder("rules") / FILE).read_text(encoding="utf-8"), "inputs in TOML", FILE)
    return {op: _read(op, text, found["shared"]) for op, text in found["inputs"].items()}


def _read(op: str, text: str, shared: Mapping[str, str]) -> Program:
    args, _, rest = text.partition(":")
    names, choices = args.split(), _choices(rest, shared, f"{FILE}, {op}")

    def program(pick: Pick, w: int) -> Case:
        known = {"w": w, "k": 0}
        for name, low, high in choices:
            least = number(low, known)
            known[name] = least if high is None else pick(least, number(high, known))
        return known["k"], tuple(known[name] for name in names)

    return program


def _choices(text: str, shared: Mapping[str, str], where: str) -> list[Choice]:
    found: list[Choice] = []
    for part in filter(None, map(str.strip, re.split("[;\n]", text))):
        name, _, ends = part.partition(" = ")
        if not ends:
            found += _choices(shared[name], shared, where)
            continue
        low, *high = (RuleParser(end, where).value() for end in ends.split(" … "))
        found.append((name, low, high[0] if high else None))
    return found


def _all(lo: int, hi: int) -> range:
    return range(lo, hi + 1)


def _edges(lo: int, hi: int) -> list[int]:
    """The ends, the middle and what follows the lower end: 0, 1, 2^(w-1), 2^w - 1 for a word."""
    return sorted({lo, min(lo + 1, hi), (lo + hi + 1) // 2, hi})


def _sweep(program: Program, width: int, options: Callable[[int, int], Sequence[int]]) -> Iterator[Case]:
    """Every outcome of ``program`` where choices have ``options``, each a *script* of the options taken."""
    waiting = [list[int]()]
    while waiting:
        script, at = waiting.pop(), count()

        def pick(lo: int, hi: int, script: list[int] = script, at: Iterator[int] = at) -> int:
            if hi < lo:
                raise EmptyRangeError
            found, now = options(lo, hi), next(at)
            if now == len(script):
                waiting.extend([*script, other] for other in range(len(found) - 1, 0, -1))
                script.append(0)
            return found[script[now]]

        with suppress(EmptyRangeError):
            yield program(pick, width)


def every_case(op: str, digits: int, w: int) -> Iterator[Case]:
    """All inputs of ``op`` on words of ``digits`` digits of ``w`` bits; shifts by every distance below 2·width + w."""
    if op in programs():
        return _sweep(programs()[op], digits * w, _all)
    distances = range((2 * digits + 1) * w) if op in SHIFTS else (0,)
    numbers = [range(2 if kind == "f" else 1 << digits * w) for kind in OPS[op].args]
    return ((k, args) for k in distances for args in product(*numbers))


def edge_cases(op: str, digits: int, w: int) -> Iterator[Case]:
    """All combinations of edges: of every digit, modulus, constant and distance."""
    return _sweep(_program(op, digits, w), digits * w, _edges)


def random_cases(op: str, digits: int, w: int, rng: random.Random, count: int) -> Iterator[Case]:
    """At most ``count`` random inputs; fewer where choices run into a dead end."""
    program = _program(op, digits, w)
    for _ in range(count):
        with suppress(EmptyRangeError):
            yield program(partial(_draw, rng), digits * w)


def _draw(rng: random.Random, lo: int, hi: int) -> int:
    """An edge, a number of random length above the lower end, or any number of the range."""
    if hi < lo:
        raise EmptyRangeError
    way = rng.randrange(3)
    if way == 0:
        return rng.choice([*_edges(lo, hi), max(lo, hi - 1)])
    return rng.randint(lo, hi if way == 1 else min(hi, lo + (1 << rng.randint(0, (hi - lo).bit_length()))))


SHIFTS = ("shr", "shl", "shrd", "low")


def _program(op: str, digits: int, w: int) -> Program:
    """That of a composite operation; of another any digits, any flags, any distance."""

    def plain(pick: Pick, width: int) -> Case:
        k = w * pick(0, 2 * digits) + pick(0, w - 1) if op in SHIFTS else 0
        return k, tuple(pick(0, 1) if kind == "f" else word(pick) for kind in OPS[op].args)

    def word(pick: Pick) -> int:
        return sum(pick(0, (1 << w) - 1) << w * at for at in reversed(range(digits)))

    return programs().get(op) or plain
