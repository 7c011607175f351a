"""Operations on integers held in double-precision numbers: products in nearest halves, sums that are exact.

A double holds an integer of 53 bits and a sign, times any power of two. Adding a product to a number so large that its
last bit counts 2^k rounds the product to a multiple of 2^k, and one more multiply-add gives what was left out (Dekker
1971). So a column of products becomes two exact sums: of what is above 2^k, and of what is left below. All meanings are
for rounding to nearest, ties to even, which is what kernels set while they run.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from .ops import Op, register
from .value import Interval

MANTISSA = 53
"""Bits of an integer that a double holds, beside the sign."""
BIAS = 3 << MANTISSA - 2
"""Where sums that round stand: in the middle of the numbers whose last bit counts one."""


def nearest(x: int, k: int) -> int:
    """x / 2^k as an integer: the nearest, of two the even one."""
    down, rest = x >> k, x & (1 << k) - 1
    return down + (2 * rest + (down & 1) > 1 << k)


def _rounded(k: int, interval: Interval) -> tuple[Interval]:
    return ((nearest(interval[0], k), nearest(interval[1], k)),)


def _product(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _plus(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _times(k: int, a: Interval) -> Interval:
    return a[0] << k, a[1] << k


def leading(x: int) -> int:
    """x to 53 bits, ties to even."""
    return nearest(x, k) << k if (k := abs(x).bit_length() - MANTISSA) > 0 else x


_ROWS = [
    Op("near", "ii", "i", lambda w, k, c, a: (nearest((c << k) + a, k),),
       lambda w, k, c, a: _rounded(k, _plus(_times(k, c), a)), "d = c + ⌊a / 2^k⌉"),
    Op("rest", "ii", "i", lambda w, k, a, b: (a - (b << k),),
       lambda w, k, a, b: ((a[0] - (b[1] << k), a[1] - (b[0] << k)),), "d = a - b · 2^k"),
    Op("fmanear", "iii", "i", lambda w, k, c, a, b: (nearest((c << k) + a * b, k),),
       lambda w, k, c, a, b: _rounded(k, _plus(_times(k, c), _product(a, b))), "d = c + ⌊a · b / 2^k⌉", rank=2),
    Op("fmarest", "iii", "i", lambda w, k, c, a, b: ((c << k) + a * b,),
       lambda w, k, c, a, b: (_plus(_times(k, c), _product(a, b)),), "d = c · 2^k + a · b", rank=2),
    Op("fmadown", "iii", "i", lambda w, k, c, a, b: (c + a * b >> k,),
       lambda w, k, c, a, b: _rounded(k, _plus(c, _product(a, b))), "d = (c + a · b) / 2^k", rank=2,
       requires=lambda w, k, c, a, b: (c + a * b) % (1 << k) == 0),
    Op("leading", "ii", "i", lambda w, k, a, b: (leading((a << k) + b),),
       lambda w, k, a, b: ((leading((a[0] << k) + b[0]), leading((a[1] << k) + b[1])),), "d = a · 2^k + b, to 53 bits"),
    Op("real", "w", "i", lambda w, k, a: (a,), lambda w, k, a: (a,), "c = a, as a double times 2^k"),
    Op("unreal", "i", "i", lambda w, k, a: (a,), lambda w, k, a: (a,), "c = a, from a double times 2^k"),
]  # fmt: skip


def _double(pattern: int) -> float:
    (number,) = struct.unpack("<d", struct.pack("<Q", pattern))
    return float(number)


def _pattern(number: Fraction) -> tuple[int]:
    """The bits of the double nearest to ``number``."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number)))
    return (int(found),)


def _finite(w: int, k: int, *patterns: int) -> bool:
    return all(math.isfinite(_double(p)) for p in patterns)


def _any(w: int, k: int, *args: Interval) -> tuple[Interval]:
    return ((0, (1 << 64) - 1),)


_ROWS += [
    Op("radd", "ww", "w", lambda w, k, a, b: _pattern(Fraction(_double(a)) + Fraction(_double(b))), _any,
       "c = a + b, doubles", requires=_finite),
    Op("rsub", "ww", "w", lambda w, k, a, b: _pattern(Fraction(_double(a)) - Fraction(_double(b))), _any,
       "c = a - b, doubles", requires=_finite),
    Op("rfma", "www", "w",
       lambda w, k, a, b, c: _pattern(Fraction(_double(a)) * Fraction(_double(b)) + Fraction(_double(c))), _any,
       "d = a · b + c, doubles, rounded once", requires=_finite),
]  # fmt: skip

REAL_OPS = {row.name: register(row) for row in _ROWS}
