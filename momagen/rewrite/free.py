"""Operations for digits with slack: modular arithmetic whose results may stay apart from x by multiples of q.

Their sums and differences are integers, not words: nothing wraps, and no multiple of q is added to stay positive.
"""

from __future__ import annotations

from momagen.ir import Op, register
from momagen.ir.real import MANTISSA
from momagen.ir.value import Interval

Ints = tuple[int, ...]


def _shoup_requires(w: int, k: int, y: int, v: int, vq: int, q: int) -> bool:
    return v < q and 0 <= y * ((v << w) - vq * q) < q << w and 2 * k * q <= 1 << w


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
    word, rows = w // k if k else 0, _rows(w, k, table)
    shifted = all((row - (rows[0] << word * i)) % q == 0 for i, row in enumerate(rows)) if q % 2 else False
    return word * k == w and shifted and table >> w * k == 0 and (q * qn + 1) % (1 << word) == 0


def _rows(w: int, k: int, table: int) -> list[int]:
    return [table >> w * i & (1 << w) - 1 for i in range(k)]


def _near_requires(w: int, k: int, y: int, table: int, quotients: int, q: int) -> bool:
    """W_i = W_0·2^(word·i) mod q in w = word·k bits each, and u_i = ⌊W_i·2^53/q⌋ in 53 bits each."""
    word, rows = w // k if k else 0, _rows(w, k, table)
    folded = all(row == (rows[0] << word * i) % q for i, row in enumerate(rows)) if q else False
    over_q = sum((row << MANTISSA) // q << MANTISSA * i for i, row in enumerate(rows)) if q else -1
    return word * k == w > 0 and folded and quotients == over_q and abs(y) >> w - word + MANTISSA - 1 <= 1


def _near_meaning(w: int, k: int, y: int, table: int, quotients: int, q: int) -> Ints:
    return (y * (table & (1 << w) - 1) % q,)


def _near_bounds(w: int, k: int, *a: Interval) -> tuple[Interval]:
    most = (k // 2 + 1) * a[3][1]
    return ((1 - most, most - 1),)


def _fold_meaning(w: int, k: int, y: int, table: int, q: int, qn: int) -> Ints:
    return (y * (table & (1 << w) - 1) * pow(2, -w // k, q) % q,)


def _fold_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    return (r[0] - _fold_meaning(w, k, *a)[0]) % a[2] == 0 and -(1 << w) <= r[0] <= 1 << w


_ROWS = [
    Op("shoup_free", "wwww", "w", lambda w, k, y, v, vq, q: (y * v % q,),
       lambda w, k, y, v, vq, q: ((0, 2 * k * q[1] - 1),), "t ≡ y · v mod q, t < 2k·q", rank=9, spread=2,
       requires=_shoup_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[3] == 0 and 0 <= r[0] < 2 * k * a[3]),
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

def _near(difference: int, r: int, q: int) -> bool:
    return difference % q == 0 and -q < r < q


_APART = [
    Op("fold", "iiww", "i", _fold_meaning, lambda w, k, y, t, q, qn: ((-(1 << w), 1 << w),),
       "t ≡ y · W_0 / 2^word mod q", rank=9, requires=_fold_requires, agrees=_fold_agrees),
    Op("near_residue", "iww", "i", lambda w, k, x, q, mu: (x % q,), lambda w, k, x, q, mu: ((1 - q[1], q[1] - 1),),
       "r ≡ x mod q, |r| < q", rank=9, requires=lambda w, k, x, q, mu: q > 0 and mu == (1 << k) // q,
       agrees=lambda w, k, a, r: _near(r[0] - a[0], r[0], a[1])),
    Op("shoup_near", "iiiw", "i", _near_meaning,
       _near_bounds, "t ≡ y · v mod q, |t| < (k/2 + 1)·q", rank=9, requires=_near_requires,
       agrees=lambda w, k, a, r: (r[0] - _near_meaning(w, k, *a)[0]) % a[3] == 0 and abs(r[0]) < (k // 2 + 1) * a[3]),
    Op("product_near", "wwww", "i", lambda w, k, x, y, q, mu: (x * y % q,),
       lambda w, k, x, y, q, mu: ((1 - q[1], q[1] - 1),), "r ≡ x · y mod q, |r| < q", rank=9,
       requires=lambda w, k, x, y, q, mu: q > 0 and mu == (1 << k) // q,
       agrees=lambda w, k, a, r: _near(r[0] - a[0] * a[1], r[0], a[2])),
]  # fmt: skip

APART = {row.name: register(row) for row in _APART}
"""What the pass to digits takes apart itself, digit by digit, and no rule; the trace tells it beside the rules.

``fold``: the product by a constant that comes k times, W_i = W_0 · 2^(word·i) mod q, for k digits of y of word = w/k
bits: digit i of y times W_i, and one Montgomery digit. How large t is, y's digits decide. The others are for digits in
doubles: x less the multiple of q next to it, by μ = ⌊2^k/q⌋; the product by a constant that brings v' = ⌊v·2^w/q⌋, so
that y·v' / 2^w is y·v/q but for y/2^w; and a product of two such numbers, by μ.
"""
