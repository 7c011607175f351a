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


def _requires(w: int, k: int, y: int, z: int, q: int, mu: int, c: int, m: int) -> bool:
    """q has k - MANTISSA + 1 bits, y and z are below c·q, μ errs by 2^-52 of a quotient, which has 49 bits at most."""
    exact = mu == (1 << k) // q and q.bit_length() == k - MANTISSA + 1
    held = (c + 2) << w <= 1 << MANTISSA - 4 and c + 3 <= m <= MOST
    return exact and held and 0 <= y <= c * q and 0 <= z <= c * q


def _row_requires(w: int, k: int, c0: int, c1: int, x: int, y: int, z: int, *constants: int) -> bool:
    q = constants[0]
    return q > 0 and abs(x) <= 1 << w and abs((c0 << w) + c1) < q and _requires(w, k, y, z, *constants)


def _rows_requires(w: int, k: int, x: int, y: int, z: int, q: int, mu: int, c: int, m: int, n: int) -> bool:
    return n > 0 and abs(x) <= 1 << w * n and q > 0 and _requires(w, k, y, z, q, mu, c, m)


def _halves(w: int, value: int) -> Ints:
    return value >> w, value & (1 << w) - 1


def _ends(w: int, value: int, q: int) -> list[Ints]:
    """The two residues of ``value`` within ±q, parted in one of two ways."""
    (least, low), (most, high) = _halves(w, value % q - q if value % q else 0), _halves(w, value % q)
    return [(least, low), (most + 1, high - (1 << w))]


def _row(w: int, c0: int, c1: int, x: int, y: int, z: int) -> int:
    return ((c0 << w) + c1 << w) + x * y + z


def rows(w: int, k: int, c0: int, c1: int, x: int, y: int, z: int, q: int, *more: int) -> list[Ints]:
    """The ends of what ``row_near`` may answer."""
    return _ends(w, _row(w, c0, c1, x, y, z), q)


def all_rows(w: int, k: int, x: int, y: int, z: int, q: int, *more: int) -> list[Ints]:
    """The ends of what ``rows_near`` may answer."""
    return _ends(w, x * y + z, q)


def _within(w: int, q: Interval, m: Interval) -> tuple[Interval, Interval]:
    """Any halves of a residue whose columns hold m·2^w."""
    most = (8 + 4 * m[1]) * (q[1] + (1 << w)) << w
    return (-most, most), (-most, most)


def _same(w: int, r: Ints, value: int, q: int) -> bool:
    found = (r[0] << w) + r[1]
    return (found - value) % q == 0 and -q < found < q


ABOUT = register(
    Op("about", "ii", "i", lambda w, k, x, c: (x >> k,), _about_bounds, "h ≈ x / 2^k, but for c", rank=1, spread=2,
       requires=lambda w, k, x, c: c > 0, agrees=lambda w, k, a, r: abs((r[0] << k) - a[0]) <= a[1] << k)
)
"""Done by leaving out digits."""

_ROWS = [
    Op("row_near", "iiiiiiiii", "ii",
       lambda w, k, c0, c1, x, y, z, q, mu, c, m: _halves(w, _row(w, c0, c1, x, y, z) % q),
       lambda w, k, *a: _within(w, a[5], a[8]), "[d0, d1] ≡ [c0, c1] · 2^w + x · y + z mod q, within ±q", rank=8,
       spread=2, requires=_row_requires, agrees=lambda w, k, a, r: _same(w, r, _row(w, *a[:5]), a[5])),
    Op("rows_near", "iiiiiiii", "ii",
       lambda w, k, x, y, z, q, mu, c, m, n: _halves(w, (x * y + z) % q),
       lambda w, k, *a: _within(w, a[3], a[6]), "[d0, d1] ≡ x · y + z mod q, within ±q, digit by digit of x", rank=9,
       spread=2, requires=_rows_requires, agrees=lambda w, k, a, r: _same(w, r, a[0] * a[1] + a[2], a[3])),
    Op("times_near", "iiiiiiii", "i", lambda w, k, x, y, z, q, mu, c, m, n: ((x * y + z) % q,),
       lambda w, k, *a: ((1 - a[3][1], a[3][1] - 1),), "r ≡ x · y + z mod q, |r| < q", rank=10, spread=2,
       requires=_rows_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1] - a[2]) % a[3] == 0 and -a[3] < r[0] < a[3]),
]  # fmt: skip

HORNER = {row.name: register(row) for row in _ROWS}
