"""Operations on integers that are stored in doubles: products that round to multiples of 2^k, and exact sums.

A double represents an integer of 53 bits and a sign, times a power of two. If a product is added to a number
so large that its last bit has the weight 2^k, the result is rounded to a multiple of 2^k, and one more
multiply-add computes the rounding error exactly (Dekker 1971). A column of products thus becomes two exact
sums: one of the parts above 2^k and one of the remainders. All operations round to nearest, ties to even;
kernels select this mode while they run.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

from .ops import Op, register
from .value import Interval

MANTISSA = 53
"""The number of bits of the integers that a double represents, without the sign."""
BIAS = 3 << MANTISSA - 2
"""The number that is added to round a sum to an integer: the middle of the range in which the last bit of
a double has the weight 1."""


def nearest(x: int, k: int) -> int:
    """Return the integer nearest to x / 2^k; ties are rounded to even."""
    down, rest = x >> k, x & (1 << k) - 1
    return down + (2 * rest + (down & 1) > 1 << k)


def _rounded(k: int, interval: Interval) -> tuple[Interval]:
    """Return the bounds of x / 2^k, rounded to nearest, for x in ``interval``."""
    return ((nearest(interval[0], k), nearest(interval[1], k)),)


def _product(a: Interval, b: Interval) -> Interval:
    """Return the bounds of the exact product."""
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _plus(a: Interval, b: Interval) -> Interval:
    """Return the bounds of the exact sum."""
    return a[0] + b[0], a[1] + b[1]


def _minus(a: Interval, b: Interval) -> Interval:
    """Return the bounds of the exact difference."""
    return a[0] - b[1], a[1] - b[0]


def _times(k: int, a: Interval) -> Interval:
    """Return the bounds of a · 2^k."""
    return a[0] << k, a[1] << k


def leading(x: int) -> int:
    """Return x rounded to 53 significant bits, ties to even."""
    return nearest(x, k) << k if (k := abs(x).bit_length() - MANTISSA) > 0 else x


def _leading(a: Interval) -> Interval:
    """Return the bounds of x rounded to 53 significant bits, for x in ``a``."""
    return leading(a[0]), leading(a[1])


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
    Op("fmsrest", "iii", "i", lambda w, k, c, a, b: (a * b - (c << k),),
       lambda w, k, c, a, b: (_minus(_product(a, b), _times(k, c)),), "d = a · b - c · 2^k", rank=2),
    Op("fnmarest", "iii", "i", lambda w, k, c, a, b: ((c << k) - a * b,),
       lambda w, k, c, a, b: (_minus(_times(k, c), _product(a, b)),), "d = c · 2^k - a · b", rank=2),
    Op("mulleading", "ii", "i", lambda w, k, a, b: (leading(a * b),),
       lambda w, k, a, b: (_leading(_product(a, b)),), "d = a · b, to 53 bits", rank=2),
    Op("leading", "ii", "i", lambda w, k, a, b: (leading((a << k) + b),),
       lambda w, k, a, b: (_leading(_plus(_times(k, a), b)),), "d = a · 2^k + b, to 53 bits"),
]  # fmt: skip


def double(pattern: int) -> float:
    """Return the double with the given 64 bits."""
    (number,) = struct.unpack("<d", struct.pack("<Q", pattern % (1 << 64)))
    return float(number)


def _pattern(number: float | Fraction) -> tuple[int]:
    """Return the bits of the double nearest to ``number``."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number)))
    return (int(found),)


def _finite(w: int, k: int, *patterns: int) -> bool:
    """Return whether all bit patterns represent finite doubles."""
    return all(math.isfinite(double(p)) for p in patterns)


def _bounds(meaning: Callable[..., tuple[int, ...]]) -> Callable[..., tuple[Interval]]:
    """Return the function that computes the bounds of bit patterns. Only the bounds of constants are known."""

    def bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
        if any(lo != hi for lo, hi in args):
            return ((0, (1 << 64) - 1),)
        (known,) = meaning(w, k, *(lo for lo, _ in args))
        return ((known, known),)

    return bounds


def _whole(pattern: int, k: int) -> int | None:
    """Return the integer x if the double is x·2^k with |x| < 2^51, and None otherwise."""
    if not math.isfinite(number := double(pattern)):
        return None
    x = Fraction(number) / Fraction(2) ** k
    return int(x) if x.denominator == 1 and abs(x) < 1 << MANTISSA - 2 else None


def _add(w: int, k: int, a: int, b: int) -> tuple[int]:
    return _pattern(double(a) + double(b))


def _subtract(w: int, k: int, a: int, b: int) -> tuple[int]:
    return _pattern(double(a) - double(b))


def _multiply(w: int, k: int, a: int, b: int) -> tuple[int]:
    return _pattern(double(a) * double(b))


def _multiply_add(w: int, k: int, a: int, b: int, c: int) -> tuple[int]:
    return _fused(double(a), double(b), double(c))


def _multiply_subtract(w: int, k: int, a: int, b: int, c: int) -> tuple[int]:
    return _fused(double(a), double(b), -double(c))


def _subtract_product(w: int, k: int, a: int, b: int, c: int) -> tuple[int]:
    return _fused(-double(a), double(b), double(c))


def _fused(x: float, y: float, z: float) -> tuple[int]:
    """Return the bits of x·y + z, rounded once.

    If the product and z are zero, the sign of the result follows IEEE 754; any other zero result is positive.
    """
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    return _pattern(exact if exact or z else x * y + z)


def _to_double(w: int, k: int, a: int) -> tuple[int]:
    return _pattern(a * Fraction(2) ** k)


_MACHINE = [
    Op("radd", "ii", "i", _add, _bounds(_add), "c = a + b, doubles by their bits", requires=_finite),
    Op("rsub", "ii", "i", _subtract, _bounds(_subtract), "c = a - b, doubles by their bits", requires=_finite),
    Op("rfma", "iii", "i", _multiply_add, _bounds(_multiply_add), "d = a · b + c, doubles by their bits, rounded once",
       rank=2, requires=_finite),
    Op("rfms", "iii", "i", _multiply_subtract, _bounds(_multiply_subtract),
       "d = a · b - c, doubles by their bits, rounded once", rank=2, requires=_finite),
    Op("rfnma", "iii", "i", _subtract_product, _bounds(_subtract_product),
       "d = c - a · b, doubles by their bits, rounded once", rank=2, requires=_finite),
    Op("rmul", "ii", "i", _multiply, _bounds(_multiply), "c = a · b, doubles by their bits", rank=2, requires=_finite),
    Op("real", "w", "i", _to_double, _bounds(_to_double), "c = a · 2^k, as the bits of a double",
       requires=lambda w, k, a: a >> MANTISSA - 1 == 0),
    Op("unreal", "i", "i", lambda w, k, a: (_whole(a, k) or 0,),
       lambda w, k, a: ((-1 << MANTISSA - 2, 1 << MANTISSA - 2),), "c = a / 2^k, of the bits of a double",
       requires=lambda w, k, a: _whole(a, k) is not None),
]  # fmt: skip

REAL_OPS = {row.name: register(row) for row in _ROWS}
"""The operations on integers in doubles by name."""
DOUBLE_OPS = {row.name: register(row) for row in _MACHINE}
"""The operations of machines on the bits of doubles, and the conversions between doubles and integers, by
name."""
