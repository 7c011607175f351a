"""Products of two variables modulo q, one digit after another from the top: Horner's scheme, reduced at every digit.

Residues are within ±q, by digits of any size and sign. No quotient is exact: of what it is told by, the digits that
count less than 2^-KEPT of q are left out, and the rest goes to 53 bits.
"""

from __future__ import annotations

from momagen.ir import Op, register
from momagen.ir.real import MANTISSA
from momagen.ir.value import Interval

Ints = tuple[int, ...]
KEPT = 12
"""Bits of q above the digits that the estimate of a quotient leaves out, at least."""
MOST = 1 << KEPT - 4
"""In units of a digit, what columns hold at most: two of them left out make a quotient err by an eighth."""


def abouts(w: int, k: int, x: int, c: int) -> range:
    """What ``about`` may answer."""
    return range(-(-x >> k) - c, (x >> k) + c + 1)


def _about_bounds(w: int, k: int, x: Interval, c: Interval) -> tuple[Interval]:
    return (((x[0] >> k) - c[1], (x[1] >> k) + c[1] + 1),)


def _requires(w: int, k: int, q: int, mu: int, c: int, m: int) -> bool:
    """q has k - MANTISSA + 1 bits, μ errs by 2^-52 of a quotient, which has 49 bits at most."""
    exact = q > 0 and mu == ((1 << k) - 1) // q and q.bit_length() == k - MANTISSA + 1
    return exact and (c + 2) << w <= 1 << MANTISSA - 4 and c + 3 <= m <= MOST


def _whole(w: int, c0: int, c1: int) -> int:
    return (c0 << w) + c1


def most(w: int, q: int, c: int, m: int, n: int) -> int:
    """What n quotients bring down to q: every cut of columns within m·2^w may move (m + 1)·2^2w up."""
    return ((c + 1) * q << w * n) - sum(m + 1 << w * (i + 2) for i in range(n))


def _row_requires(w: int, k: int, c0: int, c1: int, q: int, mu: int, c: int, m: int) -> bool:
    return _requires(w, k, q, mu, c, m) and abs(_whole(w, c0, c1)) <= (c + 2) * q << w


def _rows_requires(w: int, k: int, c0: int, c1: int, q: int, mu: int, c: int, m: int, n: int) -> bool:
    return n > 0 and _requires(w, k, q, mu, c, m) and abs(_whole(w, c0, c1)) <= most(w, q, c, m, n)


def _halves(w: int, value: int) -> Ints:
    return value >> w, value & (1 << w) - 1


def rows(w: int, k: int, c0: int, c1: int, q: int, *more: int) -> list[Ints]:
    """The ends of what ``row_near`` and ``rows_near`` may answer: both residues within ±q, each parted."""
    value = _whole(w, c0, c1) % q
    (least, low), (most, high) = _halves(w, value - q if value else 0), _halves(w, value)
    return [(least, low), (most + 1, high - (1 << w))]


def _near_bounds(w: int, k: int, c0: Interval, c1: Interval, q: Interval, mu: Interval, c: Interval, m: Interval,
                 *n: Interval) -> tuple[Interval, Interval]:
    """Any halves of a residue whose columns hold m·2^w."""
    most = (8 + 4 * m[1]) * (q[1] + (1 << w)) << w
    return (-most, most), (-most, most)


def _same(w: int, r: Ints, value: int, q: int) -> bool:
    found = _whole(w, *r)
    return (found - value) % q == 0 and -q < found < q


def _near_meaning(w: int, k: int, c0: int, c1: int, q: int, *more: int) -> Ints:
    return _halves(w, _whole(w, c0, c1) % q)


def columns(w: int, k: int, c0: int, c1: int, x: int, y: int, n: int) -> list[Ints]:
    """The ends of what ``columns`` may answer: the sum parted in one of two ways."""
    high, low = _halves(w, _whole(w, c0, c1) + x * y)
    return [(high - 1, low + (1 << w)), (high + 1, low - (1 << w))]


def _columns_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, Interval]:
    """Any halves of as many digits as both factors have."""
    c0, c1, x, y, _ = (max(-lo, hi) for lo, hi in args)
    digits = sum(value.bit_length() // w + 1 for value in (x, y))
    most = 4 * (c0 + c1 + (1 << w * (digits + 1)))
    return (-most, most), (-most, most)


def _times_requires(w: int, k: int, x: int, y: int, z: int, q: int, c: int, m: int, n: int) -> bool:
    small = 0 <= z <= c * q and 0 <= y <= c * q and 0 <= x < 1 << w * n
    return small and q > 0 and _rows_requires(w, k, 0, x * y + z, q, ((1 << k) - 1) // q, c, m, n)


ABOUT = register(
    Op("about", "ii", "i", lambda w, k, x, c: (x >> k,), _about_bounds, "h ≈ x / 2^k, but for c", rank=1, spread=2,
       requires=lambda w, k, x, c: c > 0, agrees=lambda w, k, a, r: abs((r[0] << k) - a[0]) <= a[1] << k)
)  # fmt: skip
"""Done by leaving out digits."""

_ROWS = [
    Op("columns", "iiiii", "ii", lambda w, k, c0, c1, x, y, n: _halves(w, _whole(w, c0, c1) + x * y), _columns_bounds,
       "[d0, d1] = [c0, c1] + x · y, digits of any size", rank=9, spread=2,
       requires=lambda w, k, c0, c1, x, y, n: n > 0,
       agrees=lambda w, k, a, r: _whole(w, *r) == _whole(w, *a[:2]) + a[2] * a[3]),
    Op("row_near", "iiiiii", "ii", _near_meaning, _near_bounds, "[d0, d1] ≡ [c0, c1] mod q, within ±q", rank=8,
       spread=2, requires=_row_requires, agrees=lambda w, k, a, r: _same(w, r, _whole(w, *a[:2]), a[2])),
    Op("rows_near", "iiiiiii", "ii", _near_meaning, _near_bounds,
       "[d0, d1] ≡ [c0, c1] mod q, within ±q, by n quotients", rank=9,
       spread=2, requires=_rows_requires, agrees=lambda w, k, a, r: _same(w, r, _whole(w, *a[:2]), a[2])),
    Op("times_near", "iiiiiii", "i", lambda w, k, x, y, z, q, c, m, n: ((x * y + z) % q,),
       lambda w, k, *a: ((1 - a[3][1], a[3][1] - 1),), "r ≡ x · y + z mod q, |r| < q", rank=10, spread=2, fixed=(3,),
       requires=_times_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1] - a[2]) % a[3] == 0 and -a[3] < r[0] < a[3]),
]  # fmt: skip

HORNER = {row.name: register(row) for row in _ROWS}
