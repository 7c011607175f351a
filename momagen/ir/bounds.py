"""How intervals pass through operations: each gives the intervals of the results for those of the arguments."""

from __future__ import annotations

from collections.abc import Callable

from .value import Interval

Bounds = Callable[..., tuple[Interval, ...]]


def full(w: int) -> Interval:
    return 0, (1 << w) - 1


def of_sum(w: int, k: int, *terms: Interval) -> tuple[Interval, Interval]:
    lo = hi = 0
    for least, most in terms:
        lo, hi = lo + least, hi + most
    if lo >> w == hi >> w:
        carry = lo >> w
        return (carry, carry), (lo - (carry << w), hi - (carry << w))
    return (lo >> w, hi >> w), full(w)


def of_difference(w: int, k: int, a: Interval, b: Interval, c: Interval = (0, 0)) -> tuple[Interval, Interval]:
    lo, hi = a[0] - b[1] - c[1], a[1] - b[0] - c[0]
    if lo >> w == hi >> w:
        borrow = -(lo >> w)
        return (borrow, borrow), (lo + (borrow << w), hi + (borrow << w))
    return (-(hi >> w), -(lo >> w)), full(w)


def of_difference_if(w: int, k: int, f: Interval, a: Interval, b: Interval, c: Interval) -> tuple[Interval, Interval]:
    """a less b and c where the flag is set, else a."""
    ends = [of_difference(w, k, a, *((x * y[0], x * y[1]) for y in (b, c))) for x in set(f)]
    flags, words = zip(*ends, strict=True)
    return tuple((min(lo for lo, _ in each), max(hi for _, hi in each)) for each in (flags, words))  # type: ignore


def of_product(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval, Interval]:
    lo, hi = a[0] * b[0], a[1] * b[1]
    low = (lo - (lo >> w << w), hi - (hi >> w << w)) if lo >> w == hi >> w else full(w)
    return (lo >> w, hi >> w), low


def of_less(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[1] < b[0]), int(a[0] < b[1])),)


def signed(w: int, x: int) -> int:
    """What x stands for in two's complement."""
    return x - (x >> w - 1 << w)


def of_less_signed(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """As numbers, where no interval holds both signs."""
    if any(lo >> w - 1 != hi >> w - 1 for lo, hi in (a, b)):
        return ((0, 1),)
    (c, d), (e, f) = ((signed(w, lo), signed(w, hi)) for lo, hi in (a, b))
    return of_less(w, k, (c, d), (e, f))


def of_at_most(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[1] <= b[0]), int(a[0] <= b[1])),)


def of_equal(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[0] == a[1] == b[0] == b[1]), int(a[0] <= b[1] and b[0] <= a[1])),)


def of_low(w: int, k: int, a: Interval) -> tuple[Interval]:
    same = a[0] >> k == a[1] >> k
    return ((a[0] & ((1 << k) - 1), a[1] & ((1 << k) - 1)) if same else full(k),)


def of_shl(w: int, k: int, a: Interval) -> tuple[Interval]:
    ((lo, hi),) = of_low(w, w, (a[0] << k, a[1] << k))
    return ((lo, hi >> k << k),)


def of_shlv(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a << b modulo 2^w, which is zero for counts b from w on."""
    least, most = (min(count, w) for count in b)
    return of_low(w, w, (a[0] << least, a[1] << most))


def of_shrd(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return of_low(w, w, (((a[0] << w) + b[0]) >> k, ((a[1] << w) + b[1]) >> k))


def of_half_product(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    (x,), (y,) = of_low(w, w // 2, a), of_low(w, w // 2, b)
    return ((x[0] * y[0], x[1] * y[1]),)


def of_pack(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    h = w // 2
    (x,), (y,) = of_low(w, w - h, a), of_low(w, h, b)
    return (((x[0] << h) + y[0], (x[1] << h) + y[1]),)


def of_bits(meaning: Callable[..., int]) -> Bounds:
    """Any word, unless all arguments are numbers: ``meaning(w, *numbers)`` goes bit by bit."""

    def bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
        known = all(lo == hi for lo, hi in args)
        return ((meaning(w, *(lo for lo, _ in args)),) * 2 if known else full(w),)

    return bounds


def of_choice(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    chosen = [a] * f[1] + [b] * (1 - f[0])
    return ((min(c[0] for c in chosen), max(c[1] for c in chosen)),)


def of_choice_by_top(w: int, k: int, d: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    """By the top bit of d, which is that of a number below zero, too."""
    same = d[0] >> w - 1 == d[1] >> w - 1
    return of_choice(w, k, (d[0] >> w - 1 & 1,) * 2 if same else (0, 1), a, b)


def of_sum_if(sign: int) -> Bounds:
    """a + sign·b where the flag is set, else a."""

    def bounds(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
        moved = (of_sum if sign > 0 else of_difference)(w, k, a, b)[1]
        return of_choice(w, k, f, moved, a)

    return bounds
