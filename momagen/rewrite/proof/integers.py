"""Python integers as an algebra in which a proof runs the right-hand side of a rule: each operation is watched.

Where an operation may answer lazily, it answers with either extreme, so a rule that trusts more than is promised fails.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce

from momagen.ir import OPS
from momagen.ir.ops import fits
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.rules.operations import CONSTANTS, LAZY

SUMS = ("add", "addlo", "addc", "addclo", "sublo", "subblo")
"""What goes digit by digit."""
NORMAL = ("shr", "shrd", "low", "word")
"""Operations whose results have normal digits."""


class BrokenError(Exception):
    """A step went wrong on these inputs.

    Args:
        got: what came, or what is wrong. wanted: what was expected instead, where there is one right answer.
    """

    def __init__(self, got: str, wanted: str = "") -> None:
        self.got, self.wanted = got, wanted
        super().__init__(f"expected {wanted}, got {got}" if wanted else got)


class Integers:
    """An algebra of integers, each operation watched: its arguments fit, and what it requires holds.

    Attributes:
        high: bit i of it asks the i-th lazy operation for its greatest answer, else for its least.
        lazy: how many lazy operations there were.
    """

    def __init__(self, high: int) -> None:
        self.high, self.lazy = high, 0

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        """The answers of ``op``.

        Raises:
            BrokenError: the arguments do not fit, or the operation promises nothing for them.
        """
        row = OPS[op]
        if k < 0:
            raise BrokenError(f"{op} by {k} bits")
        if not all(fits(kind, width, arg) for kind, arg in zip(row.args, args, strict=True)):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which does not fit")
        if not row.requires(width, k, *args):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which it does not take")
        return self._lazily(op, width, k, args) if op in LAZY else row.meaning(width, k, *args)

    def _lazily(self, op: str, width: int, k: int, args: Sequence[int]) -> Sequence[int]:
        found = LAZY[op](width, k, *args)[-(self.high >> self.lazy & 1)]
        self.lazy += 1
        return found if isinstance(found, tuple) else (found,)

    def join(self, digits: Sequence[int], weight: int) -> int:
        return reduce(lambda high, low: (high << weight) + low, digits)

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        if value >> weight * count:
            raise BrokenError(f"{value:#x} does not fit {count} digits of {weight} bits")
        return [value >> weight * at & (1 << weight) - 1 for at in reversed(range(count))]

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return value >> weight, value & (1 << weight) - 1

    def const(self, number: int) -> int:
        return number

    def assume(self, fact: Assume, value: int, most: int) -> int:
        if (abs(value) if fact.signed else value) > fact.factor * most - fact.strict:
            bar, sign = "|" * fact.signed, "<" if fact.strict else "≤"
            raise BrokenError(f"the assumption {bar}{value:#x}{bar} {sign} {fact.factor}·{most:#x} is wrong")
        return int(value)


class Loose(int):
    """A number by digits of any size and sign."""


class LooseIntegers(Integers):
    """Integers of which sums, products and what is joined from them fall into digits of any size and sign.

    Attributes:
        modular: whether sums are meant modulo 2^w; otherwise they must not leave their width.
        rng: what moves between neighbouring digits.
    """

    def __init__(self, high: int, modular: bool, rng: random.Random) -> None:
        super().__init__(high)
        self.modular, self.rng = modular, rng

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        if op in SUMS:
            return self._sum(op, width, *args)
        kind = int if op in NORMAL or op in CONSTANTS else Loose
        return [kind(made) for made in super().emit(op, width, *args, k=k)]

    def _sum(self, op: str, width: int, first: int, *more: int) -> Sequence[int]:
        total = first + (-1 if op.startswith("sub") else 1) * sum(more)
        if len(OPS[op].results) == 2:
            return 0, Loose(total)
        if not self.modular and total >> width:
            raise BrokenError(f"{op} at {width} bits gives {total:#x}, which does not fit")
        return (Loose(total % (1 << width)),)

    def join(self, digits: Sequence[int], weight: int) -> int:
        joined = super().join(digits, weight)
        return Loose(joined) if any(isinstance(digit, Loose) for digit in digits) else joined

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        loose = isinstance(value, Loose)
        return self._apart(value, weight, count, 2) if loose else super().split(value, weight, count)

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return self._apart(value, weight, 2, 0) if isinstance(value, Loose) else super().cut(value, weight)

    def _apart(self, value: int, weight: int, count: int, most: int) -> Sequence[int]:
        """Digits below the leading one may be less than they should, or more by ``most`` times their weight."""
        found: list[int] = []
        for _ in range(count - 1):
            found.append((value & (1 << weight) - 1) + (self.rng.randint(min(-most, -1), most) << weight))
            value = value - found[-1] >> weight
        return [*map(Loose, (value, *reversed(found)))]


def hexes(numbers: Sequence[int]) -> str:
    """The numbers in hexadecimal, as the messages show them."""
    return "(" + ", ".join(map(hex, numbers)) + ")"
