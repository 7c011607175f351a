"""Numbers in reduced-radix limbs of any size and sign, which determine a number exactly or modulo 2^ring.

The radix is 2^word. If the limbs determine the number modulo 2^ring only, its interval selects one of the
congruent numbers: one from 0 to 2^ring - 1, or one of either sign within half of that range.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile, zip_longest

from momagen.ir import Value, const, leaves, refine
from momagen.ir.value import Interval

ZERO = const(0)
Digits = list[Value]
"""The limbs of a number, the low one first."""


def digits_of(value: Value, word: int) -> Digits:
    """Return the limbs of a value, the low one first.

    The limbs of a constant are from 0 to 2^word - 1, except the leading one, which has its sign.
    """
    if value.lo != value.hi:
        return [*leaves(value)][::-1]
    found, rest = Digits(), value.lo
    while rest >> word not in (0, -1):
        found.append(const(rest & (1 << word) - 1))
        rest >>= word
    return [*found, const(rest)]


def number(digits: Digits, word: int, interval: Interval | None = None, ring: int = 0) -> Value:
    """Return the number with the given limbs.

    Args:
        digits: The limbs, the low one first.
        word: The number of bits of the radix.
        interval: The interval in which the number is known to lie. By default it follows from the limbs.
        ring: The number r if the limbs determine the number only modulo 2^r, or 0 if they are exact.
    """
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
    """Return an input with limbs from 0 to 2^word - 1, except the leading one, which has the sign.

    Args:
        value: The input as one number.
        name: Its name.
        word: The number of bits of a limb.
    """
    count = length(value.lo, value.hi, word)
    if value.is_const or count == 1:
        return value
    low = [Value(0, (1 << word) - 1, "word", f"{name}_{i}") for i in range(count - 1, 0, -1)]
    top = Value(value.lo >> word * len(low), value.hi >> word * len(low), "word", f"{name}_0")
    return number([*low, top], word, value.interval)


def needed(value: Value) -> Value:
    """Return a number without leading zero limbs."""
    zeros = sum(1 for _ in takewhile(is_zero, value.digits))
    return replace(value, digits=value.digits[zeros:]) if zeros else value


def is_zero(digit: Value) -> bool:
    """Return whether a limb is the constant 0."""
    return digit.lo == 0 == digit.hi


def is_normal(digit: Value, word: int) -> bool:
    """Return whether a limb is from 0 to 2^word - 1."""
    return digit.lo >= 0 and digit.hi >> word == 0


def bits_of(lo: int, hi: int) -> int:
    """Return the number of bits of the numbers in [lo, hi], including the sign bit if some are negative."""
    return hi.bit_length() if lo >= 0 else max((~lo).bit_length(), max(hi, 0).bit_length()) + 1


def length(lo: int, hi: int, word: int) -> int:
    """Return the number of limbs that the numbers in [lo, hi] need."""
    return max(1, -(-bits_of(lo, hi) // word))


def says_enough(value: Value) -> bool:
    """Return whether the limbs of a value and its interval determine the number."""
    return not value.ring or bits_of(value.lo, value.hi) <= value.ring


def narrowed(value: Value, lo: int, hi: int, word: int) -> Value:
    """Return a value that is known to lie in [lo, hi], which may determine it where its limbs do not.

    Limbs that nonnegative numbers in [lo, hi] do not need are dropped.
    """
    digits = digits_of(value, word)
    count = min(len(digits), length(lo, hi, word)) if lo >= 0 else len(digits)
    ring, digits = count * word if count < len(digits) else value.ring, digits[:count]
    if ring and lo >= 0 and all(is_normal(d, word) for d in digits):
        ring, digits[-1] = 0, refine(digits[-1], 0, hi >> word * (count - 1))
    return number(digits, word, (lo, hi), ring)


def pairs(a: Value, b: Value, word: int) -> list[tuple[Value, Value]]:
    """Return the limbs of two numbers in pairs of the same weight. Missing limbs are 0."""
    return list(zip_longest(digits_of(a, word), digits_of(b, word), fillvalue=ZERO))
