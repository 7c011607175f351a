"""Operations modulo q whose quotients are rounded to the nearest integer: results are of either sign, and within ±q.

Digits in doubles have no other: a double rounds to the nearest where its last bit counts one.
"""

from __future__ import annotations

from momagen.ir import Op, register
from momagen.ir.real import MANTISSA
from momagen.ir.value import Interval

Ints = tuple[int, ...]
FINE = 12
"""A bound on what a double of 53 bits loses of a quotient: 2^-FINE."""


def _doubt(w: int, k: int) -> int:
    """By how much 2^k·e may differ from x·μ, times 2^FINE: half, the bits that a double lacks, and what is left out."""
    return (1 << k + FINE - 1) + (1 << k) + max(0, (1 << k + FINE - 6) - (1 << 2 * w + FINE))


def quotients(w: int, k: int, x: int, mu: int) -> range:
    """What ``quotient`` may answer."""
    exact, doubt = x * mu << FINE, _doubt(w, k)
    return range(-(doubt - exact >> k + FINE), (exact + doubt >> k + FINE) + 1)


def _quotient_bounds(w: int, k: int, x: Interval, mu: Interval) -> tuple[Interval]:
    return ((quotients(w, k, min(x[0] * m for m in mu), 1)[0], quotients(w, k, max(x[1] * m for m in mu), 1)[-1]),)


def _near(difference: int, r: int, q: int) -> bool:
    return difference % q == 0 and -q < r < q


def _near_bounds(q: Interval) -> tuple[Interval]:
    return ((1 - q[1], q[1] - 1),)


def _residue_requires(w: int, k: int, x: int, q: int, mu: int, c: int) -> bool:
    """μ = ⌊2^k/q⌋ has a digit at most, |x| ≤ c·q, and μ errs by a quarter of a unit of the quotient at most."""
    return k >= w and q >> k - w > 0 and mu == (1 << k) // q and abs(x) <= c * q and abs(x) << 2 <= 1 << k


def _rows(size: int, table: int, count: int) -> list[int]:
    return [table >> size * i & (1 << size) - 1 for i in range(count)]


def _shoup_requires(w: int, k: int, y: int, table: int, over: int, q: int) -> bool:
    """W_i = W_0·2^(w·i) mod q in k digits each, u_i = ⌊W_i·2^53/q⌋ in 53 bits each, and y in k digits, the leading one
    within 2^52."""
    rows = _rows(k * w, table, k)
    folded = q > 0 and table >> k * w * k == 0 and all(row == (rows[0] << w * i) % q for i, row in enumerate(rows))
    quotients = sum((row << MANTISSA) // q << MANTISSA * i for i, row in enumerate(rows)) if q else -1
    return folded and over == quotients and abs(y) <= 1 << (k - 1) * w + MANTISSA - 1


def _shoup_meaning(w: int, k: int, y: int, table: int, over: int, q: int) -> Ints:
    return (y * (table & (1 << k * w) - 1) % q,)


def _shoup_bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
    most = (k // 2 + 1) * args[3][1]
    return ((1 - most, most - 1),)


def _shoup_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    return (r[0] - _shoup_meaning(w, k, *a)[0]) % a[3] == 0 and abs(r[0]) < (k // 2 + 1) * a[3]


def _product_requires(w: int, k: int, x: int, y: int, q: int, mu: int) -> bool:
    """μ errs by a quarter of a unit of the quotient at most, and the product to 53 bits by an eighth."""
    fine = 8 * x * y <= q << min(w, MANTISSA) and 4 * x * y <= 1 << k
    return q > 0 and 2 * q <= 1 << w and mu == (1 << k) // q and fine


_ROWS = [
    Op("quotient", "ii", "i", lambda w, k, x, mu: ((2 * x * mu + (1 << k) >> k + 1),), _quotient_bounds,
       "e ≈ ⌊x · μ / 2^k⌉", rank=8, spread=2,
       requires=lambda w, k, x, mu: 0 <= mu <= 1 << w and abs(x * mu) <= 1 << k + MANTISSA - FINE,
       agrees=lambda w, k, a, r: abs((r[0] << k) - a[0] * a[1]) << FINE <= _doubt(w, k)),
    Op("near_residue", "iiii", "i", lambda w, k, x, q, mu, c: (x % q,), lambda w, k, x, q, mu, c: _near_bounds(q),
       "r ≡ x mod q, |r| < q", rank=9, spread=2, requires=_residue_requires,
       agrees=lambda w, k, a, r: _near(r[0] - a[0], r[0], a[1])),
    Op("shoup_near", "iiii", "i", _shoup_meaning, _shoup_bounds, "t ≡ y · W_0 mod q, |t| < (k/2 + 1)·q", rank=9,
       spread=2, requires=_shoup_requires, agrees=_shoup_agrees),
    Op("product_near", "wwwi", "i", lambda w, k, x, y, q, mu: (x * y % q,),
       lambda w, k, x, y, q, mu: _near_bounds(q), "r ≡ x · y mod q, |r| < q", rank=9, spread=2,
       requires=_product_requires, agrees=lambda w, k, a, r: _near(r[0] - a[0] * a[1], r[0], a[2])),
]  # fmt: skip

NEAR = {row.name: register(row) for row in _ROWS}
