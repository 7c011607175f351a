"""Numbers by digits with slack: digits of weight 2^word, of any size and sign, give a number exactly or modulo 2^ring.

Where they give it modulo 2^ring, its interval says which of the congruent numbers it is: one from 0 to 2^ring - 1, or
one of either sign within half of that.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile, zip_longest

from momagen.ir import Value, const, leaves, refine
from momagen.ir.value import Interval

ZERO = const(0)
Digits = list[Value]
"""Low digit first."""


def digits_of(value: Value, word: int) -> Digits:
    """The digits of ``value``; a constant's are from 0 to 2^word - 1 but for the leading one, which has its sign."""
    if value.lo != value.hi:
        return [*leaves(value)][::-1]
    found, rest = Digits(), value.lo
    while rest >> word not in (0, -1):
        found.append(const(rest & (1 << word) - 1))
        rest >>= word
    return [*found, const(rest)]


def number(digits: Digits, word: int, interval: Interval | None = None, ring: int = 0) -> Value:
    """The number with these digits, exact or modulo 2^ring, in ``interval`` too (default: what the digits say)."""
    if ring:
        digits = (digits + [ZERO] * (ring // word))[: ring // word]
        lo, hi = interval or (0, (1 << ring) - 1)
    else:
        while len(digits) > 1 and is_zero(digits[-1]):
            digits = digits[:-1]
        lo = hi = 0
        for digit in reversed(digits):
            lo, hi = (lo << word) + digit.lo, (hi << word) + digit.hi
        lo, hi = (max(lo, interval[0]), min(hi, interval[1])) if interval else (lo, hi)
    if lo == hi:
        return const(lo)
    if len(digits) == 1 and not ring:
        return refine(digits[0], lo, hi)
    return Value(lo, hi, "word", "", tuple(reversed(digits)), word, ring)


def normal_input(value: Value, name: str, word: int) -> Value:
    """An input by digits from 0 to 2^word - 1, the leading one with the sign."""
    count = length(value.lo, value.hi, word)
    if value.is_const or count == 1:
        return value
    low = [Value(0, (1 << word) - 1, "word", f"{name}_{i}") for i in range(count - 1, 0, -1)]
    top = Value(value.lo >> word * len(low), value.hi >> word * len(low), "word", f"{name}_0")
    return number([*low, top], word, value.interval)


def needed(value: Value) -> Value:
    """``value`` without leading zeros."""
    zeros = sum(1 for _ in takewhile(is_zero, value.digits))
    return replace(value, digits=value.digits[zeros:]) if zeros else value


def is_zero(digit: Value) -> bool:
    return digit.lo == 0 == digit.hi


def is_normal(digit: Value, word: int) -> bool:
    """Whether a digit is from 0 to 2^word - 1."""
    return digit.lo >= 0 and digit.hi >> word == 0


def bits_of(lo: int, hi: int) -> int:
    """How many bits the numbers of [lo, hi] have, one of them the sign where there is one."""
    return hi.bit_length() if lo >= 0 else max((~lo).bit_length(), max(hi, 0).bit_length()) + 1


def length(lo: int, hi: int, word: int) -> int:
    """How many digits the numbers of [lo, hi] need."""
    return max(1, -(-bits_of(lo, hi) // word))


def says_enough(value: Value) -> bool:
    """Whether the digits of ``value`` and its interval say which number it is."""
    return not value.ring or bits_of(value.lo, value.hi) <= value.ring


def narrowed(value: Value, lo: int, hi: int, word: int) -> Value:
    """``value`` in [lo, hi], which ends its doubt; digits that numbers without a sign do not need are dropped."""
    digits = digits_of(value, word)
    count = min(len(digits), length(lo, hi, word)) if lo >= 0 else len(digits)
    ring, digits = count * word if count < len(digits) else value.ring, digits[:count]
    if ring and lo >= 0 and all(is_normal(d, word) for d in digits):
        ring, digits[-1] = 0, refine(digits[-1], 0, hi >> word * (count - 1))
    return number(digits, word, (lo, hi), ring)


def pairs(a: Value, b: Value, word: int) -> list[tuple[Value, Value]]:
    """The digits of both by their weight, with zeros for those that one of the two lacks."""
    return list(zip_longest(digits_of(a, word), digits_of(b, word), fillvalue=ZERO))
