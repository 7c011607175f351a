"""Operations for digits with slack: modular arithmetic whose results may stay apart from x by multiples of q.

Their sums and differences are integers, not words: nothing wraps, and no multiple of q is added to stay positive.
"""

from __future__ import annotations

from momagen.ir import Op, register
from momagen.ir.value import Interval

Ints = tuple[int, ...]


def _shoup_requires(w: int, k: int, y: int, v: int, vq: int, q: int) -> bool:
    return v < q and 0 <= y * ((v << w) - vq * q) < q << w and 2 * k * q <= 1 << w


def _ct_bounds(w: int, k: int, *a: Interval) -> tuple[Interval, ...]:
    (lo, hi), q = a[0], a[4][1]
    return (lo, hi + 2 * k * q - 1), (lo - 2 * k * q + 1, hi)


def _ct_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    x, y, v, _, q = a
    t = r[0] - x
    return t % q == v * y % q and 0 <= t < 2 * k * q and r[1] == x - t


def _gs_bounds(w: int, k: int, *a: Interval) -> tuple[Interval, ...]:
    (x0, x1), (y0, y1), q = a[0], a[1], a[4][1]
    return (x0 + y0, x1 + y1), (0, 2 * k * q - 1)


def _gs_requires(w: int, k: int, x: int, y: int, v: int, vq: int, q: int, c: int) -> bool:
    d = x + c - y
    return _shoup_requires(w, k, d, v, vq, q) and c % q == 0 and x < c and y <= c and d < 1 << w


def _gs_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    x, y, v, _, q, _ = a
    return r[0] == x + y and (r[1] - (x - y) * v) % q == 0 and 0 <= r[1] < 2 * k * q


def _residue_requires(w: int, k: int, x: int, q: int, mu: int) -> bool:
    """μ = ⌊2^(k + s)/q⌋ for some s, and what x has above k bits is below 2^(s - 1)."""
    s = (mu * q + q - 1).bit_length() - 1 - k if q else 0
    return q >= 2 << k and s >= 1 and mu == (1 << k + s) // q and (x >> k) < 1 << s - 1


def _montgomery_requires(w: int, k: int, c: int, y: int, v: int, vq: int, q: int) -> bool:
    return q % 2 == 1 and v < q and (vq * q - v) % (1 << w) == 0


def _montgomery_meaning(w: int, k: int, c: int, y: int, v: int, vq: int, q: int) -> Ints:
    return (c + y * v * pow(2, -w, q) % q,)


def _montgomery_bounds(w: int, k: int, *a: Interval) -> tuple[Interval]:
    c, q = a[0], a[4][1]
    return ((c[0] - q + 1, c[1] + q - 1),)


def _montgomery_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c, q = a[0], a[4]
    return (r[0] - _montgomery_meaning(w, k, *a)[0]) % q == 0 and -q < r[0] - c < q


def _fold_requires(w: int, k: int, y: int, table: int, q: int, qn: int) -> bool:
    """The table holds W_0, W_1, …, each in w bits, and W_i ≡ W_0·2^(word·i); qn ≡ -1/q modulo 2^word."""
    word, rows = w // k if k else 0, [table >> w * i & (1 << w) - 1 for i in range(k)]
    shifted = all((row - (rows[0] << word * i)) % q == 0 for i, row in enumerate(rows)) if q % 2 else False
    return word * k == w and shifted and table >> w * k == 0 and (q * qn + 1) % (1 << word) == 0


def _fold_meaning(w: int, k: int, y: int, table: int, q: int, qn: int) -> Ints:
    return (y * (table & (1 << w) - 1) * pow(2, -w // k, q) % q,)


def _fold_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    return (r[0] - _fold_meaning(w, k, *a)[0]) % a[2] == 0 and -(1 << w) <= r[0] <= 1 << w


_ROWS = [
    Op("shoup_free", "wwww", "w", lambda w, k, y, v, vq, q: (y * v % q,),
       lambda w, k, y, v, vq, q: ((0, 2 * k * q[1] - 1),), "t ≡ y · v mod q, t < 2k·q", rank=9, spread=2,
       requires=_shoup_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[3] == 0 and 0 <= r[0] < 2 * k * a[3]),
    Op("ct_free", "iwwww", "ii", lambda w, k, x, y, v, vq, q: (x + v * y % q, x - v * y % q), _ct_bounds,
       "X ≡ x + v·y, Y ≡ x - v·y, within 2k·q of x", rank=10, spread=2,
       requires=lambda w, k, x, y, v, vq, q: _shoup_requires(w, k, y, v, vq, q), agrees=_ct_agrees),
    Op("gs_free", "wwwwww", "iw", lambda w, k, x, y, v, vq, q, c: (x + y, (x + c - y) * v % q), _gs_bounds,
       "X = x + y, Y ≡ v·(x - y)", rank=10, spread=2, requires=_gs_requires, agrees=_gs_agrees),
    Op("montgomery_free", "iwwww", "i", _montgomery_meaning, _montgomery_bounds,
       "t ≡ c + y · v / 2^w mod q, within q of c", rank=9, spread=2,
       requires=_montgomery_requires, agrees=_montgomery_agrees),
    Op("residue", "www", "w", lambda w, k, x, q, mu: (x % q,), lambda w, k, x, q, mu: ((0, q[1] - 1),),
       "c = x mod q", rank=9, spread=2, requires=_residue_requires),
    Op("residue_lazy", "www", "w", lambda w, k, x, q, mu: (x % q,), lambda w, k, x, q, mu: ((0, 2 * q[1] - 1),),
       "c ≡ x mod q, c < 2q", rank=9, spread=2,
       requires=lambda w, k, x, q, mu: 2 * q <= 1 << w and _residue_requires(w, k, x, q, mu),
       agrees=lambda w, k, a, r: (r[0] - a[0]) % a[1] == 0 and 0 <= r[0] < 2 * a[1]),
]  # fmt: skip

FREE = {row.name: register(row) for row in _ROWS}

FOLD = register(Op(
    "fold", "iiww", "i", _fold_meaning, lambda w, k, y, t, q, qn: ((-(1 << w), 1 << w),),
    "t ≡ y · W_0 / 2^word mod q", rank=9, requires=_fold_requires, agrees=_fold_agrees,
))  # fmt: skip
"""The product by a constant that comes k times, W_i = W_0 · 2^(word·i) mod q, k digits of y of word = w/k bits.

It needs no rule: digit i of y times W_i, and one Montgomery digit (`columns`). How large t is, y's digits decide.
"""

def _near_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    return (r[0] - a[0]) % a[1] == 0 and -a[1] < r[0] < a[1]


NEAR_RESIDUE = register(Op(
    "near_residue", "iww", "i", lambda w, k, x, q, mu: (x % q,), lambda w, k, x, q, mu: ((1 - q[1], q[1] - 1),),
    "r ≡ x mod q, -q < r < q", rank=9, requires=lambda w, k, x, q, mu: q > 0 and mu == (1 << k) // q,
    agrees=_near_agrees,
))  # fmt: skip
"""x less the multiple of q next to it, by μ = ⌊2^k/q⌋; for digits in doubles."""

SHOUP_NEAR = register(Op(
    "shoup_near", "iwww", "i", lambda w, k, y, v, vq, q: (y * v % q,),
    lambda w, k, y, v, vq, q: ((1 - q[1], q[1] - 1),),
    "t ≡ y · v mod q, |t| < q", rank=9,
    requires=lambda w, k, y, v, vq, q: v < q and vq == (v << w) // q and abs(y) << 1 < 1 << w,
    agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[3] == 0 and abs(r[0]) < a[3],
))  # fmt: skip
"""The product by a constant that brings v' = ⌊v·2^w/q⌋: y·v' / 2^w is y·v/q but for y/2^w, and is rounded."""

PRODUCT_NEAR = register(Op(
    "product_near", "wwww", "i", lambda w, k, x, y, q, mu: (x * y % q,),
    lambda w, k, x, y, q, mu: ((1 - q[1], q[1] - 1),), "r ≡ x · y mod q, |r| < q", rank=9,
    requires=lambda w, k, x, y, q, mu: q > 0 and mu == (1 << k) // q,
    agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[2] == 0 and abs(r[0]) < a[2],
))  # fmt: skip
"""The product less the multiple of q next to it, by μ = ⌊2^k/q⌋; for one digit in a double."""
