"""Operations modulo q that say nothing of how a product is reduced.

A modulus and a twiddle are *fixed*: they are known before the data, and rules derive `constants` of them.
"""

from __future__ import annotations

from momagen.ir import Op, register
from momagen.ir.bounds import Bounds
from momagen.ir.value import Interval

Ints = tuple[int, ...]


def _congruent(q: int, results: Ints, wanted: Ints, tops: Ints) -> bool:
    return all((r - x) % q == 0 and 0 <= r < top for r, x, top in zip(results, wanted, tops, strict=True))


def _lazy(w: int, k: int, v: int, q: int) -> bool:
    return v < q and k > 0 and 2 * k * q <= 1 << w


def _full(w: int, k: int, *residues: int) -> bool:
    """All below q, the last one, which is odd and below 2^k."""
    q = residues[-1]
    return k <= w and q % 2 == 1 and q < 1 << k and max(residues[:-1]) < q


def _short(w: int, k: int, x: int, y: int, q: int) -> bool:
    """q of exactly k bits, four less than there are."""
    return q.bit_length() == k <= w - 4 and x * y < 4 * q * q


def _odd(w: int, k: int, x: int, y: int, q: int) -> bool:
    return k <= w and q % 2 == 1 and q < 1 << k and x * y < q << k


def _below_q(count: int, m: int = 1) -> Bounds:
    """Bounds of ``count`` results below m·q, where q is the last argument."""
    return lambda w, k, *args: ((0, m * args[-1][1] - 1),) * count


def _lazy_bounds(w: int, k: int, *a: Interval) -> tuple[Interval, ...]:
    x, q, c = a[0][1], a[3][1], a[4][1]
    return (0, x + 2 * k * q - 1), (0, x + c)


def _inverse_bounds(w: int, k: int, *a: Interval) -> tuple[Interval, ...]:
    return (0, a[0][1] + a[1][1]), (0, 2 * k * a[3][1] - 1)


_ROWS = [
    Op("mulmod", "www", "w", lambda w, k, y, v, q: (y * v % q,), lambda w, k, y, v, q: ((0, 2 * k * q[1] - 1),),
       "t ≡ y · v mod q, t < 2k·q", rank=11, spread=2, fixed=(1, 2), requires=lambda w, k, y, v, q: _lazy(w, k, v, q),
       agrees=lambda w, k, a, r: _congruent(a[2], r, (a[0] * a[1],), (2 * k * a[2],))),
    Op("mulmod_full", "www", "w", lambda w, k, y, v, q: (y * v % q,), _below_q(1), "t = y · v mod q",
       rank=11, spread=2, fixed=(1, 2), requires=_full),
    Op("product", "www", "w", lambda w, k, x, y, q: (x * y % q,), _below_q(1), "t = x · y mod q", rank=11, spread=2,
       fixed=(2,), requires=_short),
    Op("product_lazy", "www", "w", lambda w, k, x, y, q: (x * y % q,), _below_q(1, 2), "t ≡ x · y mod q, t < 2q",
       rank=11, spread=2, fixed=(2,), requires=_short,
       agrees=lambda w, k, a, r: _congruent(a[2], r, (a[0] * a[1],), (2 * a[2],))),
    Op("product_full", "www", "w", lambda w, k, x, y, q: (x * y % q,), _below_q(1), "t = x · y mod q", rank=11,
       spread=2, fixed=(2,), requires=_odd),
    Op("product_full_lazy", "www", "w", lambda w, k, x, y, q: (x * y % q,), _below_q(1, 2), "t ≡ x · y mod q, t < 2q",
       rank=11, spread=2, fixed=(2,), requires=lambda w, k, x, y, q: _odd(w, k, x, y, q) and 2 * q <= 1 << k,
       agrees=lambda w, k, a, r: _congruent(a[2], r, (a[0] * a[1],), (2 * a[2],))),
    Op("butterfly", "wwwww", "ww", lambda w, k, x, y, v, q, c: (x + v * y % q, x + q - v * y % q), _lazy_bounds,
       "X ≡ x + v·y, Y ≡ x - v·y mod q", rank=12, spread=2, fixed=(2, 3, 4),
       requires=lambda w, k, x, y, v, q, c: _lazy(w, k, v, q) and c % q == 0 and c >= 2 * k * q and x + c < 1 << w,
       agrees=lambda w, k, a, r: _congruent(a[3], r, (a[0] + a[2] * a[1], a[0] - a[2] * a[1]),
                                            (a[0] + 2 * k * a[3], a[0] + a[4] + 1))),
    Op("inverse_butterfly", "wwwww", "ww", lambda w, k, x, y, v, q, c: (x + y, (x + c - y) * v % q), _inverse_bounds,
       "X ≡ x + y, Y ≡ v·(x - y) mod q", rank=12, spread=2, fixed=(2, 3, 4),
       requires=lambda w, k, x, y, v, q, c: _lazy(w, k, v, q) and c % q == 0 and c > y and x + max(c, y) < 1 << w,
       agrees=lambda w, k, a, r: _congruent(a[3], r, (a[0] + a[1], (a[0] - a[1]) * a[2]),
                                            (a[0] + a[1] + 1, 2 * k * a[3]))),
    Op("butterfly_tight", "wwww", "ww", lambda w, k, x, y, v, q: ((x + v * y) % q, (x - v * y) % q), _below_q(2, 2),
       "X ≡ x + v·y, Y ≡ x - v·y mod q, below 2q", rank=12, spread=2, fixed=(2, 3),
       requires=lambda w, k, x, y, v, q: _lazy(w, 1, v, q) and x < 2 * q,
       agrees=lambda w, k, a, r: _congruent(a[3], r, (a[0] + a[2] * a[1], a[0] - a[2] * a[1]), (2 * a[3], 2 * a[3]))),
    Op("inverse_butterfly_tight", "wwww", "ww", lambda w, k, x, y, v, q: ((x + y) % q, (x - y) * v % q),
       _below_q(2, 2), "X ≡ x + y, Y ≡ v·(x - y) mod q, below 2q", rank=12, spread=2, fixed=(2, 3),
       requires=lambda w, k, x, y, v, q: _lazy(w, 1, v, q) and max(x, y) < 2 * q,
       agrees=lambda w, k, a, r: _congruent(a[3], r, (a[0] + a[1], (a[0] - a[1]) * a[2]), (2 * a[3], 2 * a[3]))),
    Op("butterfly_full", "wwww", "ww", lambda w, k, x, y, v, q: ((x + v * y) % q, (x - v * y) % q), _below_q(2),
       "X = (x + v·y) mod q, Y = (x - v·y) mod q", rank=12, spread=2, fixed=(2, 3), requires=_full),
    Op("inverse_butterfly_full", "wwww", "ww", lambda w, k, x, y, v, q: ((x + y) % q, (x - y) * v % q), _below_q(2),
       "X = (x + y) mod q, Y = v·(x - y) mod q", rank=12, spread=2, fixed=(2, 3), requires=_full),
]  # fmt: skip

MODULAR = {row.name: register(row) for row in _ROWS}
"""A rule for each says how products are reduced."""
