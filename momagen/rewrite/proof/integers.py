"""Python integers as an algebra in which a proof evaluates a rule, with a check of each operation.

If an operation allows several results, the algebra returns an extreme one. A rule that relies on more than
the specification of an operation therefore fails.
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
"""The operations that act limb by limb."""
NORMAL = ("shr", "shrd", "low", "word")
"""The operations whose results have normal limbs."""


class BrokenError(Exception):
    """An error in the evaluation of a rule for some inputs.

    Args:
        got: The incorrect result, or a description of the error.
        wanted: The expected result, or "" if there are several correct ones.
    """

    def __init__(self, got: str, wanted: str = "") -> None:
        self.got, self.wanted = got, wanted
        super().__init__(f"expected {wanted}, got {got}" if wanted else got)


class Integers:
    """An algebra of integers that checks the ranges of arguments and the preconditions of operations.

    Attributes:
        high: The selection of results: if bit i is set, the i-th operation that allows several results
            returns the greatest one, otherwise the least one.
        lazy: The number of such operations so far.
    """

    def __init__(self, high: int) -> None:
        self.high, self.lazy = high, 0

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        """Return the results of an operation.

        Raises:
            BrokenError: An argument is out of range, or the precondition does not hold.
        """
        row = OPS[op]
        if k < 0:
            raise BrokenError(f"{op} by {k} bits")
        if not all(fits(kind, width, arg) for kind, arg in zip(row.args, args, strict=True)):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which are out of range")
        if not row.requires(width, k, *args):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which violate its precondition")
        return self._lazily(op, width, k, args) if op in LAZY else row.meaning(width, k, *args)

    def _lazily(self, op: str, width: int, k: int, args: Sequence[int]) -> Sequence[int]:
        """Return an extreme result of an operation that allows several."""
        found = LAZY[op](width, k, *args)[-(self.high >> self.lazy & 1)]
        self.lazy += 1
        return found if isinstance(found, tuple) else (found,)

    def join(self, digits: Sequence[int], weight: int) -> int:
        """Return the number with the given limbs, the high one first."""
        return reduce(lambda high, low: (high << weight) + low, digits)

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        """Return the limbs of a number, the high one first.

        Raises:
            BrokenError: The number has more limbs.
        """
        if value >> weight * count:
            raise BrokenError(f"{value:#x} does not fit {count} limbs of {weight} bits")
        return [value >> weight * at & (1 << weight) - 1 for at in reversed(range(count))]

    def cut(self, value: int, weight: int) -> Sequence[int]:
        """Return the two parts of a number."""
        return value >> weight, value & (1 << weight) - 1

    def const(self, number: int) -> int:
        """Return the number itself."""
        return number

    def assume(self, fact: Assume, value: int, most: int) -> int:
        """Check that a number satisfies a theorem, and return the number.

        Raises:
            BrokenError: It does not.
        """
        if (abs(value) if fact.signed else value) > fact.factor * most - fact.strict:
            bar, sign = "|" * fact.signed, "<" if fact.strict else "≤"
            raise BrokenError(f"the assumption {bar}{value:#x}{bar} {sign} {fact.factor}·{most:#x} is wrong")
        return int(value)


class Loose(int):
    """A number whose limbs may have any size and sign."""


class LooseIntegers(Integers):
    """An algebra in which sums, products and numbers joined from them have limbs of any size and sign.

    Attributes:
        modular: Whether sums are taken modulo 2^w; otherwise they must not exceed their width.
        rng: The source of the amounts that are moved between adjacent limbs.
    """

    def __init__(self, high: int, modular: bool, rng: random.Random) -> None:
        super().__init__(high)
        self.modular, self.rng = modular, rng

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        """Return the results of an operation.

        Their limbs may have any size unless the operation normalises them.
        """
        if op in SUMS:
            return self._sum(op, width, *args)
        kind = int if op in NORMAL or op in CONSTANTS else Loose
        return [kind(made) for made in super().emit(op, width, *args, k=k)]

    def _sum(self, op: str, width: int, first: int, *more: int) -> Sequence[int]:
        """Return the results of a sum or a difference, which keeps its carry."""
        total = first + (-1 if op.startswith("sub") else 1) * sum(more)
        if len(OPS[op].results) == 2:
            return 0, Loose(total)
        if not self.modular and total >> width:
            raise BrokenError(f"{op} at {width} bits gives {total:#x}, which does not fit")
        return (Loose(total % (1 << width)),)

    def join(self, digits: Sequence[int], weight: int) -> int:
        """Return the number with the given limbs, which is loose if one of them is."""
        joined = super().join(digits, weight)
        return Loose(joined) if any(isinstance(digit, Loose) for digit in digits) else joined

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        """Return the limbs of a number, which have any size and sign if the number is loose."""
        loose = isinstance(value, Loose)
        return self._apart(value, weight, count, 2) if loose else super().split(value, weight, count)

    def cut(self, value: int, weight: int) -> Sequence[int]:
        """Return the two parts of a number, which have any size and sign if the number is loose."""
        return self._apart(value, weight, 2, 0) if isinstance(value, Loose) else super().cut(value, weight)

    def _apart(self, value: int, weight: int, count: int, most: int) -> Sequence[int]:
        """Return limbs of a number, all but the leading one of which differ randomly from the normal limbs.

        Each differs by a multiple of 2^weight, from -max(most, 1) to ``most`` times that number.
        """
        found: list[int] = []
        for _ in range(count - 1):
            found.append((value & (1 << weight) - 1) + (self.rng.randint(min(-most, -1), most) << weight))
            value = value - found[-1] >> weight
        return [*map(Loose, (value, *reversed(found)))]


def hexes(numbers: Sequence[int]) -> str:
    """Return numbers in hexadecimal, as messages show them."""
    return "(" + ", ".join(map(hex, numbers)) + ")"
