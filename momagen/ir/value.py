"""Values: integers known only by an exact inclusive interval.

A value is a *flag* (a comparison, carry or borrow: 0 or 1), a *word* (an integer of any width; negative only where a
digit with slack may be) or a *mask* (the flags of all lanes). A wide value may be known by its digits, high part first,
as the papers write ``[x0, x1] = x0·2^w + x1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

Interval = tuple[int, int]


class DoubleFormat(NamedTuple):
    """How a register holds the integer x: as the bits of the double (x + bias)·2^unit."""

    unit: int
    bias: int


@dataclass(eq=False, slots=True)
class Value:
    """One integer of a block: ``lo ≤ x ≤ hi``; equal only to itself.

    Attributes:
        lo, hi: the interval, tightened in place when a theorem or a wider operation says more.
        kind: "flag", "word" or "mask".
        name: a hint for printing; empty when the printer may choose.
        digits: the digits of a wide value, high part first; empty for a value that an instruction defines.
        weight: bits per digit of ``digits``.
        ring: the digits give the value only modulo 2^ring; 0 where they give it exactly.
        held: how a register holds it where that is not as the integer that it is.
        theorem: the name of what bounds it, where that is more than its operation says.
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
        return self.lo, self.hi

    @property
    def is_const(self) -> bool:
        return self.lo == self.hi

    def copy(self) -> Value:
        """Another value of which the same is known."""
        return Value(
            self.lo, self.hi, self.kind, self.name, self.digits, self.weight, self.ring, self.held, self.theorem
        )

    def __repr__(self) -> str:
        return str(self.lo) if self.is_const else f"{self.name or hex(id(self))[-5:]}∈[{self.lo:#x}, {self.hi:#x}]"


def const(value: int, kind: str = "word") -> Value:
    """The constant ``value``; the same object for the same number and kind."""
    return _const(value, kind)


@lru_cache(maxsize=65536)
def _const(value: int, kind: str) -> Value:
    return Value(value, value, kind)


def join(digits: tuple[Value, ...], weight: int) -> Value:
    """The wide value [d0, …, dn] = Σ d_i·2^(weight·(n−i)), high digit first; leading zeros are dropped."""
    while len(digits) > 1 and digits[0].lo == 0 == digits[0].hi:
        digits = digits[1:]
    if len(digits) == 1 and digits[0].kind == "word":
        return digits[0]
    lo = hi = 0
    for digit in digits:
        lo, hi = (lo << weight) + digit.lo, (hi << weight) + digit.hi
    return const(lo) if lo == hi else Value(lo, hi, "word", "", digits, weight)


def numeral(name: str, within: Interval, ends: Sequence[Interval], weight: int, ring: int = 0) -> Value:
    """A new value within ``within``, by digits of ``weight`` bits within ``ends``, low first; modulo 2^ring."""
    digits = [Value(*end, "word", f"{name}_{at}") if end[0] < end[1] else const(end[0]) for at, end in enumerate(ends)]
    return Value(*within, "word", name, tuple(reversed(digits)), weight, ring)


def refine(value: Value, lo: int, hi: int) -> Value:
    """``value`` known to lie in [lo, hi] too; the constant when that leaves one number.

    The interval of a joined value passes down to its leading digit: x < 2^130 has no fourth 52-bit digit.
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
