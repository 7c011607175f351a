"""Operations on integers in lanes, for reduced-radix limbs, whose sums need no carry propagation.

A limb of radix 2^w is stored in a lane of more than w bits and may be larger than 2^w - 1, or negative. The
operations are those on integers; the intervals prove that the results fit the lanes.
"""

from __future__ import annotations

from collections.abc import Callable

from . import bounds
from .bounds import Bounds
from .ops import Op, register
from .value import Interval


def _cut(w: int, a: Interval) -> Interval:
    """Return the interval of x mod 2^w for x in ``a``."""
    inside = a[0] >> w == a[1] >> w
    return (a[0] & (1 << w) - 1, a[1] & (1 << w) - 1) if inside else (0, (1 << w) - 1)


def _mod(w: int, x: int) -> int:
    """Return x mod 2^w."""
    return x & (1 << w) - 1


def _signed(w: int, x: int) -> int:
    """Return the number from -2^(w-1) to 2^(w-1) - 1 that is x modulo 2^w."""
    return x + (1 << w - 1) - (x + (1 << w - 1) >> w << w) - (1 << w - 1)


def _high(w: int, k: int, c: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of c + ⌊(a mod 2^n)·(b mod 2^n)/2^n⌋, where n is k, or w if k is 0."""
    n = k or w
    (a0, a1), (b0, b1) = _cut(n, a), _cut(n, b)
    return ((c[0] + (a0 * b0 >> n), c[1] + (a1 * b1 >> n)),)


def _ends(w: int) -> Interval:
    """Return the range of signed words of w bits."""
    return -(1 << w - 1), (1 << w - 1) - 1


def _high_signed(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the high half of a product of signed words."""
    products = [x * y >> w for x in _word(w, a) for y in _word(w, b)]
    return ((min(products), max(products)),)


def _rounded(w: int, x: int) -> int:
    """Return x / 2^(w-1), rounded to the nearest integer; halves are rounded up."""
    return (x >> w - 2) + 1 >> 1


def _high_rounded(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a product of signed words divided by 2^(w-1) and rounded."""
    products = [_rounded(w, x * y) for x in _word(w, a) for y in _word(w, b)]
    return ((min(products), max(products)),)


def _low_signed(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of the low half of a product as a signed word."""
    known = a[0] == a[1] and b[0] == b[1]
    return ((_signed(w, a[0] * b[0]),) * 2 if known else _ends(w),)


def _difference_signed(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of a difference as a signed word."""
    return (_word(w, (a[0] - b[1], a[1] - b[0])),)


def _word(w: int, a: Interval) -> Interval:
    """Return the bounds of the signed word that is x modulo 2^w, for x in ``a``."""
    if a[0] == a[1]:
        return (_signed(w, a[0]),) * 2
    low, high = _ends(w)
    return a if low <= a[0] and a[1] <= high else (low, high)


def _low(w: int, k: int, c: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    """Return the bounds of c + (a·b mod 2^n), where n is k, or w if k is 0."""
    n = k or w
    (a0, a1), (b0, b1) = _cut(n, a), _cut(n, b)
    low = _cut(n, (a0 * b0, a1 * b1))
    return ((c[0] + low[0], c[1] + low[1]),)


def _key(x: int) -> tuple[bool, int]:
    """Return the sort key that orders lanes as unsigned words.

    Negative numbers are larger than all others.
    """
    return x < 0, x


def _signs(a: Interval) -> list[Interval]:
    """Return the parts of an interval below 0 and from 0 on, without empty ones."""
    return [part for part in ((a[0], min(a[1], -1)), (max(a[0], 0), a[1])) if part[0] <= part[1]]


def _chosen(same: Callable[[int, int], int], other: Callable[[Interval, Interval], Interval]) -> Bounds:
    """Return the function that computes the bounds of an unsigned minimum or maximum of lanes.

    Args:
        same: The minimum or maximum of two numbers of the same sign.
        other: The function that selects the interval of the result if the signs differ.
    """

    def bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
        found = [
            (same(x[0], y[0]), same(x[1], y[1])) if (x[0] < 0) == (y[0] < 0) else other(x, y)
            for x in _signs(a) for y in _signs(b)
        ]  # fmt: skip
        return ((min(lo for lo, _ in found), max(hi for _, hi in found)),)

    return bounds


_ROWS = [
    Op("plus", "ii", "i", lambda w, k, a, b: (a + b,),
       lambda w, k, a, b: ((a[0] + b[0], a[1] + b[1]),), "c = a + b, an integer of any size", commutes=True),
    Op("minus", "ii", "i", lambda w, k, a, b: (a - b,),
       lambda w, k, a, b: ((a[0] - b[1], a[1] - b[0]),), "c = a - b, an integer of any size"),
    Op("sar", "i", "i", lambda w, k, a: (a >> k,), lambda w, k, a: ((a[0] >> k, a[1] >> k),), "c = ⌊a / 2^k⌋"),
    Op("sal", "i", "i", lambda w, k, a: (a << k,), lambda w, k, a: ((a[0] << k, a[1] << k),), "c = a · 2^k"),
    Op("clear", "i", "i", lambda w, k, a: (a >> k << k,), lambda w, k, a: ((a[0] >> k << k, a[1] >> k << k),),
       "c = ⌊a / 2^k⌋ · 2^k"),
    Op("settle", "i", "i", lambda w, k, a: (a,), lambda w, k, a: (a,),
       "c = a, with limbs within ±2^k, or from 0 to 2^k - 1 if k is the width of a limb"),
    Op("negative", "i", "f", lambda w, k, a: (int(a < 0 or (k > 0 and a >> k & 1)),),
       bounds.of_negative, "δ = a < 0, or k > 0 and bit k of a is set"),
    Op("signed", "ww", "i", lambda w, k, a, b: (_signed(w, a),), lambda w, k, a, b: ((-b[1], b[1] - 1),),
       "c = a modulo 2^w, from -b to b - 1", requires=lambda w, k, a, b: -b <= _signed(w, a) < b),
    Op("bit", "i", "f", lambda w, k, a: (a >> k & 1,), lambda w, k, a: (_cut(1, (a[0] >> k, a[1] >> k)),),
       "δ = bit k of a"),
    Op("umin", "ii", "i", lambda w, k, a, b: (min(a, b, key=_key),), _chosen(min, max),
       "c = the smaller of a and b as unsigned words, of which -1 is the largest", commutes=True),
    Op("umax", "ii", "i", lambda w, k, a, b: (max(a, b, key=_key),), _chosen(max, min),
       "c = the larger of a and b as unsigned words, of which -1 is the largest", commutes=True),
    Op("mulhis", "ii", "i", lambda w, k, a, b: (_signed(w, a) * _signed(w, b) >> w,), _high_signed,
       "c = ⌊a · b / 2^w⌋, with signed words a and b", rank=2, spread=2, commutes=True),
    Op("mullos", "ii", "i", lambda w, k, a, b: (_signed(w, a * b),), _low_signed,
       "c = a · b mod 2^w, as a signed word", rank=2, spread=2, commutes=True),
    Op("sublos", "ii", "i", lambda w, k, a, b: (_signed(w, a - b),), _difference_signed,
       "c = a - b mod 2^w, as a signed word", rank=3, spread=2),
    Op("mulhrs", "ii", "i", lambda w, k, a, b: (_rounded(w, _signed(w, a) * _signed(w, b)),), _high_rounded,
       "c = ⌊a · b / 2^(w-1)⌉, with signed words a and b", rank=3, spread=2, commutes=True),
    Op("fmalo", "iii", "i", lambda w, k, c, a, b: (c + _mod(k or w, a * b),), _low,
       "d = c + (a mod 2^w) · (b mod 2^w) mod 2^w, or with k in place of w", rank=2),
    Op("fmahi", "iii", "i", lambda w, k, c, a, b: (c + (_mod(k or w, a) * _mod(k or w, b) >> (k or w)),), _high,
       "d = c + ⌊(a mod 2^w) · (b mod 2^w) / 2^w⌋, or with k in place of w", rank=2),
]  # fmt: skip

LANE_OPS = {row.name: register(row) for row in _ROWS}
"""The operations on lanes by name."""
