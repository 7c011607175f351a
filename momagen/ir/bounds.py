"""Bounds of operations: functions that return the intervals of the results, given the intervals of the arguments.

Each function has the width w and the attribute k of the operation as its first two arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from .value import Interval

Bounds = Callable[..., tuple[Interval, ...]]
"""A function ``bounds(w, k, *intervals)`` that returns the intervals of the results."""


def full(w: int) -> Interval:
    """Return the interval of all words of w bits."""
    return 0, (1 << w) - 1


def of_sum(w: int, k: int, *terms: Interval) -> tuple[Interval, Interval]:
    """Return the bounds of the carry and of the low word of a sum."""
    lo = hi = 0
    for least, most in terms:
        lo, hi = lo + least, hi + most
    if lo >> w == hi >> w:
        carry = lo >> w
        return (carry, carry), (lo - (carry << w), hi - (carry << w))
    return (lo >> w, hi >> w), full(w)


def of_difference(w: int, k: int, a: Interval, b: Interval, c: Interval = (0, 0)) -> tuple[Interval, Interval]:
    """Return the bounds of the borrow and of the low word of a - b - c."""
    lo, hi = a[0] - b[1] - c[1], a[1] - b[0] - c[0]
    if lo >> w == hi >> w:
        borrow = -(lo >> w)
        return (borrow, borrow), (lo + (borrow << w), hi + (borrow << w))
    return (-(hi >> w), -(lo >> w)), full(w)


def of_difference_if(w: int, k: int, f: Interval, a: Interval, b: Interval, c: Interval) -> tuple[Interval, Interval]:
    """Return the bounds of the borrow and the low word of a - b - c if f is set, and of [0, a] otherwise."""
    ends = [of_difference(w, k, a, *((x * y[0], x * y[1]) for y in (b, c))) for x in set(f)]
    flags, words = zip(*ends, strict=True)
    return tuple((min(lo for lo, _ in each), max(hi for _, hi in each)) for each in (flags, words))  # type: ignore


def of_product(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval, Interval]:
    """Return the bounds of the high and of the low word of a product."""
    lo, hi = a[0] * b[0], a[1] * b[1]
    low = (lo - (lo >> w << w), hi - (hi >> w << w)) if lo >> w == hi >> w else full(w)
    return (lo >> w, hi >> w), low


def of_less(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the flag a < b."""
    return ((int(a[1] < b[0]), int(a[0] < b[1])),)


def signed(w: int, x: int) -> int:
    """Return the number that a word of w bits represents in two's complement."""
    return x - (x >> w - 1 << w)


def of_less_signed(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the flag a < b for signed words.

    If one of the intervals contains words of both signs, the flag is unknown.
    """
    if any(lo >> w - 1 != hi >> w - 1 for lo, hi in (a, b)):
        return ((0, 1),)
    (c, d), (e, f) = ((signed(w, lo), signed(w, hi)) for lo, hi in (a, b))
    return of_less(w, k, (c, d), (e, f))


def of_at_most(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the flag a ≤ b."""
    return ((int(a[1] <= b[0]), int(a[0] <= b[1])),)


def of_equal(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the flag a = b."""
    return ((int(a[0] == a[1] == b[0] == b[1]), int(a[0] <= b[1] and b[0] <= a[1])),)


def of_low(w: int, k: int, a: Interval) -> tuple[Interval]:
    """Return the bounds of a mod 2^k."""
    same = a[0] >> k == a[1] >> k
    return ((a[0] & ((1 << k) - 1), a[1] & ((1 << k) - 1)) if same else full(k),)


def of_shl(w: int, k: int, a: Interval) -> tuple[Interval]:
    """Return the bounds of a << k modulo 2^w."""
    ((lo, hi),) = of_low(w, w, (a[0] << k, a[1] << k))
    return ((lo, hi >> k << k),)


def of_shlv(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a << b modulo 2^w, which is 0 for shift counts b from w on."""
    least, most = (min(count, w) for count in b)
    return of_low(w, w, (a[0] << least, a[1] << most))


def of_shrd(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the low word of [a, b] >> k."""
    return of_low(w, w, (((a[0] << w) + b[0]) >> k, ((a[1] << w) + b[1]) >> k))


def of_half_product(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the product of the low half words."""
    (x,), (y,) = of_low(w, w // 2, a), of_low(w, w // 2, b)
    return ((x[0] * y[0], x[1] * y[1]),)


def of_pack(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the word [a mod 2^(w/2), b mod 2^(w/2)]."""
    h = w // 2
    (x,), (y,) = of_low(w, w - h, a), of_low(w, h, b)
    return (((x[0] << h) + y[0], (x[1] << h) + y[1]),)


def of_bits(meaning: Callable[..., int]) -> Bounds:
    """Return the bounds for a bitwise operation: exact ones for constants, and all words otherwise.

    Args:
        meaning: The operation ``meaning(w, *numbers)`` on constants.
    """

    def bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
        known = all(lo == hi for lo, hi in args)
        return ((meaning(w, *(lo for lo, _ in args)),) * 2 if known else full(w),)

    return bounds


def of_choice(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a if the flag f is set, and of b otherwise."""
    chosen = [a] * f[1] + [b] * (1 - f[0])
    return ((min(c[0] for c in chosen), max(c[1] for c in chosen)),)


def of_choice_by_top(w: int, k: int, d: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a if the top bit of d is set, and of b otherwise.

    The top bit of a negative number is set.
    """
    same = d[0] >> w - 1 == d[1] >> w - 1
    return of_choice(w, k, (d[0] >> w - 1 & 1,) * 2 if same else (0, 1), a, b)


def of_negative(w: int, k: int, a: Interval) -> tuple[Interval]:
    """Return the bounds of the flag that a is negative or, if k > 0, has bit k set."""
    same = a[0] >> k == a[1] >> k
    bit = (0, 0) if not k else (a[0] >> k & 1,) * 2 if same else (0, 1)
    return ((max(bit[0], int(a[1] < 0)), max(bit[1], int(a[0] < 0))),)


def of_sum_if(sign: int) -> Bounds:
    """Return the bounds for the operation that computes a + sign·b modulo 2^w if f is set, and a otherwise.

    Args:
        sign: 1 for a sum, or -1 for a difference.
    """

    def bounds(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
        moved = (of_sum if sign > 0 else of_difference)(w, k, a, b)[1]
        return of_choice(w, k, f, moved, a)

    return bounds
