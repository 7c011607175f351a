"""Operations modulo q whose quotients are rounded to the nearest integer: results are of either sign, and within ±q.

Digits in doubles have no other: a double rounds to the nearest where its last bit counts one.
"""

from __future__ import annotations

from operator import mul

from momagen.ir import Op, register
from momagen.ir.real import MANTISSA, nearest
from momagen.ir.value import Interval

from .folds import digits_of, dot_bounds, rows_of

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


def _signed(k: int, x: int) -> int:
    """x modulo 2^k, from -2^(k - 1) to 2^(k - 1) - 1."""
    half = 1 << k - 1
    return (x + half) % (1 << k) - half


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _plus(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _near(difference: int, r: int, q: int) -> bool:
    return difference % q == 0 and -q < r < q


def _near_bounds(q: Interval) -> tuple[Interval]:
    return ((1 - q[1], q[1] - 1),)


def _residue_requires(w: int, k: int, x: int, q: int, c: int) -> bool:
    """μ = ⌊2^k/q⌋ has a digit at most, |x| ≤ c·q, and μ errs by a quarter of a unit of the quotient at most."""
    return k >= w and q >> k - w > 0 and abs(x) <= c * q and abs(x) << 2 <= 1 << k


def _over_requires(w: int, k: int, x: int, q: int, s: int, n: int, c: int) -> bool:
    """The same for μ = ⌊2^s/q⌋ and n digits."""
    digits = n > 1 and abs(x) >> n * w == 0 and q >> n * w == 0
    return 0 < k <= w and q % 2 == 1 and digits and _residue_requires(w, s, x, q, c)


def _over_bounds(w: int, k: int, x: Interval, e: Interval, qn: Interval) -> tuple[Interval]:
    half = 1 << k - 1
    return ((-e[1] - half, half - e[0]),)


def _dot_sums(w: int, k: int, y: int, table: int, over: int, count: int) -> list[tuple[int, int]]:
    """Σ y_i·W_i and Σ y_i·u_i for all digits of y, in order."""
    rows, parts = rows_of(w, k, table, count), rows_of(MANTISSA, 1, over, count)
    return sorted((sum(map(mul, ds, rows)), sum(map(mul, ds, parts))) for ds in digits_of(w, y, count))


def near_dots(w: int, k: int, c0: int, c1: int, e: int, y: int, table: int, over: int, count: int) -> list[Ints]:
    """The ends of what ``dot_near`` may answer: the least sum with the greatest quotient, and the other way round."""
    sums, doubt, full = _dot_sums(w, k, y, table, over, count), count << MANTISSA - 1, 1 << w
    (least, most_over), (most, least_over) = sums[0], sums[-1]
    least, most = least + (c0 << w) + c1, most + (c0 << w) + c1
    up, down = e + (most_over + doubt >> MANTISSA), e - (doubt - least_over >> MANTISSA)
    return [(least >> w, least & full - 1, up), ((most >> w) + 1, (most & full - 1) - full, down)]


def _dot_meaning(w: int, k: int, c0: int, c1: int, e: int, y: int, table: int, over: int, count: int) -> Ints:
    digits = [*(y >> w * at & (1 << w) - 1 for at in range(count - 1)), y >> w * (count - 1)]
    total = c1 + sum(map(mul, digits, rows_of(w, k, table, count)))
    parts = map(mul, digits, rows_of(MANTISSA, 1, over, count))
    return c0 + (total >> w), total & (1 << w) - 1, e + sum(nearest(part, MANTISSA) for part in parts)


def _dot_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c0, c1, e, y, table, over, count = a
    total, more = (r[0] - c0 << w) + r[1] - c1, r[2] - e << MANTISSA
    sums = _dot_sums(w, k, y, table, over, count)
    return any(total == one and abs(more - part) <= count << MANTISSA - 1 for one, part in sums)


def _dot_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
    c0, c1, e, y, table, over, count = args
    most = max(-e[0], e[1]) + ((max(-y[0], y[1]) + (count[1] << w + 1)) * over[1] >> MANTISSA) + count[1] + 1
    return *dot_bounds(w, k, c0, c1, y, table, count), (-most, most)


def _shoup_requires(w: int, k: int, y: int, v: int, q: int, c: int) -> bool:
    """The digits of y add up to 2^52 at most: the leading one is within c."""
    sums = abs(y) <= c << (k - 1) * w and c + (k - 1 << w) <= 1 << MANTISSA - 1
    return 0 <= v < q and 2 * q <= 1 << k * w and sums


def _shoup_meaning(w: int, k: int, y: int, v: int, q: int, c: int) -> Ints:
    return (y * v % q,)


def _shoup_bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
    most = (k // 2 + 1) * args[2][1]
    return ((1 - most, most - 1),)


def _shoup_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    return (r[0] - _shoup_meaning(w, k, *a)[0]) % a[2] == 0 and abs(r[0]) < (k // 2 + 1) * a[2]


def _product_requires(w: int, k: int, x: int, y: int, q: int) -> bool:
    """μ = ⌊(2^k - 1)/q⌋ errs by a quarter of a unit of the quotient at most, the product to 53 bits by an eighth."""
    fine = 8 * x * y <= q << MANTISSA and 4 * x * y <= 1 << k
    return q > 0 and 2 * q <= 1 << w and ((1 << k) - 1) // q >> MANTISSA == 0 and fine and 4 * x * y <= q << w


_ROWS = [
    Op("quotient", "ii", "i", lambda w, k, x, mu: ((2 * x * mu + (1 << k) >> k + 1),), _quotient_bounds,
       "e ≈ ⌊x · μ / 2^k⌉", rank=8, spread=2,
       requires=lambda w, k, x, mu: 0 <= mu <= 1 << w and abs(x * mu) <= 1 << k + MANTISSA - FINE,
       agrees=lambda w, k, a, r: abs((r[0] << k) - a[0] * a[1]) << FINE <= _doubt(w, k)),
    Op("dot_near", "iiiiiii", "iii", _dot_meaning, _dot_bounds,
       "[d0, d1] = [c0, c1] + Σ y_i · W_i, digits of any size, f ≈ e + Σ y_i · u_i / 2^53", rank=8, spread=2,
       agrees=_dot_agrees, requires=lambda w, k, c0, c1, e, y, table, over, count:
       count > 0 and 0 <= table < 1 << k * w * count and 0 <= over < 1 << MANTISSA * count),
    Op("near_residue", "iii", "i", lambda w, k, x, q, c: (x % q,), lambda w, k, x, q, c: _near_bounds(q),
       "r ≡ x mod q, |r| < q", rank=9, spread=2, fixed=(1, 2), requires=_residue_requires,
       agrees=lambda w, k, a, r: _near(r[0] - a[0], r[0], a[1])),
    Op("near_residue_over", "iinni", "i", lambda w, k, x, q, s, n, c: ((x * pow(2, -k, q) % q << k),),
       lambda w, k, x, q, s, n, c: ((-q[1] << k, q[1] << k),), "t ≡ x mod q, 2^k divides t, |t| ≤ 2^k·q", rank=9,
       spread=2, fixed=(1, 2, 3, 4), requires=_over_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0]) % a[1] == r[0] % (1 << k) == 0 and abs(r[0]) <= a[1] << k),
    Op("quotient_over", "iii", "i", lambda w, k, x, e, qn: (_signed(k, x * qn + e) - e,), _over_bounds,
       "c ≡ x · q' mod 2^k, |c + e| ≤ 2^(k - 1)", rank=8, spread=2,
       requires=lambda w, k, x, e, qn: 0 < k <= w and 0 <= qn < 1 << w,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[2]) % (1 << k) == 0 and abs(r[0] + a[1]) <= 1 << k - 1),
    Op("add_multiple", "iii", "i", lambda w, k, x, c, q: (x + c * q,),
       lambda w, k, x, c, q: (_plus(x, _times(c, q)),), "t = x + c · q", rank=8, spread=2),
    Op("shoup_near", "iiii", "i", _shoup_meaning, _shoup_bounds, "t ≡ y · v mod q, |t| < (k/2 + 1)·q", rank=9,
       spread=2, fixed=(1, 2, 3), requires=_shoup_requires, agrees=_shoup_agrees),
    Op("product_near", "www", "i", lambda w, k, x, y, q: (x * y % q,),
       lambda w, k, x, y, q: _near_bounds(q), "r ≡ x · y mod q, |r| < q", rank=9, spread=2, fixed=(2,),
       requires=_product_requires, agrees=lambda w, k, a, r: _near(r[0] - a[0] * a[1], r[0], a[2])),
]  # fmt: skip

NEAR = {row.name: register(row) for row in _ROWS}
