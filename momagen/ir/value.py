"""Values: integers of which only an exact inclusive interval is known.

A value is a *flag* (a comparison, carry or borrow, which is 0 or 1), a *word* (an integer of any width, which
is negative only in reduced-radix limbs) or a *mask* (the flags of all lanes). A wide value may be represented
by its limbs, the high one first, as the papers write ``[x0, x1] = x0·2^w + x1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

Interval = tuple[int, int]
"""The smallest and the largest number that a value may be."""


class DoubleFormat(NamedTuple):
    """The representation of an integer x in a register as the bits of the double (x + bias)·2^unit.

    Attributes:
        unit: The exponent of the factor.
        bias: The integer that is added to x.
    """

    unit: int
    bias: int


@dataclass(eq=False, slots=True)
class Value:
    """One integer x of a block, with ``lo ≤ x ≤ hi``. A value is equal only to itself.

    Attributes:
        lo: The lower end of the interval. Both ends are tightened in place if a theorem or a wider operation
            implies more.
        hi: The upper end of the interval.
        kind: The kind: "flag", "word" or "mask".
        name: A hint for printing, or "" if the printer may choose the name.
        digits: The limbs of a wide value, the high one first. They are empty for the result of an
            instruction.
        weight: The number of bits of the radix of ``digits``.
        ring: The number r if the limbs determine the value only modulo 2^r, or 0 if they are exact.
        held: The format of the value in a register, or None if the register contains the integer itself.
        theorem: The name of the theorem that proves the interval, or "" if it follows from the operation.
    """

    lo: int
    hi: int
    kind: str = "word"
    name: str = ""
    digits: tuple[Value, ...] = ()
    weight: int = 0
    ring: int = 0
    held: DoubleFormat | None = None
    theorem: str = ""

    @property
    def interval(self) -> Interval:
        """The interval as a pair of its ends."""
        return self.lo, self.hi

    @property
    def is_const(self) -> bool:
        """Whether the value is a constant, that is, whether its interval contains a single number."""
        return self.lo == self.hi

    def copy(self) -> Value:
        """Return a new value with the same properties."""
        return Value(
            self.lo, self.hi, self.kind, self.name, self.digits, self.weight, self.ring, self.held, self.theorem
        )

    def __repr__(self) -> str:
        return str(self.lo) if self.is_const else f"{self.name or hex(id(self))[-5:]}∈[{self.lo:#x}, {self.hi:#x}]"


def const(value: int, kind: str = "word") -> Value:
    """Return the constant ``value``. Equal numbers of the same kind give the same object."""
    return _const(value, kind)


@lru_cache(maxsize=65536)
def _const(value: int, kind: str) -> Value:
    return Value(value, value, kind)


def join(digits: tuple[Value, ...], weight: int) -> Value:
    """Return the wide value [d0, …, dn] = Σ d_i·2^(weight·(n−i)), without leading zero limbs.

    Args:
        digits: The limbs, the high one first.
        weight: The number of bits of the radix.
    """
    while len(digits) > 1 and digits[0].lo == 0 == digits[0].hi:
        digits = digits[1:]
    if len(digits) == 1 and digits[0].kind == "word":
        return digits[0]
    lo = hi = 0
    for digit in digits:
        lo, hi = (lo << weight) + digit.lo, (hi << weight) + digit.hi
    return const(lo) if lo == hi else Value(lo, hi, "word", "", digits, weight)


def numeral(name: str, within: Interval, ends: Sequence[Interval], weight: int, ring: int = 0) -> Value:
    """Return a new value that is represented by limbs, such as an input of a block.

    Args:
        name: The name of the value; limb i is called ``{name}_{i}``.
        within: The interval of the value.
        ends: The intervals of the limbs, the low one first.
        weight: The number of bits of the radix.
        ring: The number r if the limbs determine the value only modulo 2^r, or 0 if they are exact.
    """
    digits = [Value(*end, "word", f"{name}_{at}") if end[0] < end[1] else const(end[0]) for at, end in enumerate(ends)]
    return Value(*within, "word", name, tuple(reversed(digits)), weight, ring)


def refine(value: Value, lo: int, hi: int) -> Value:
    """Restrict the interval of a value to [lo, hi] in place, and return the value.

    The restriction applies to the leading limb, too: a number below 2^130 has no fourth 52-bit limb. The
    result is therefore another object if the interval shrinks to one number, which becomes a constant, or if
    leading limbs vanish.
    """
    if value.lo == value.hi:
        return value
    if lo > value.lo:
        value.lo = lo
    if hi < value.hi:
        value.hi = hi
    if value.lo == value.hi:
        return const(value.lo, value.kind)
    if not value.digits or value.ring:
        return value
    below = value.weight * (len(value.digits) - 1)
    rest = join(value.digits[1:], value.weight)
    top = refine(value.digits[0], -((rest.hi - value.lo) >> below), (value.hi - rest.lo) >> below)
    if top is value.digits[0]:
        return value
    shorter = join((top, *value.digits[1:]), value.weight)
    return refine(shorter, value.lo, value.hi)
