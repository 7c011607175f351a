"""Operations for digits with slack: modular arithmetic whose results may stay apart from x by multiples of q.

Their sums and differences are integers, not words: nothing wraps, and no multiple of q is added to stay positive.
"""

from __future__ import annotations

from momagen.ir import Op, register

Ints = tuple[int, ...]


def _split_requires(w: int, k: int, y: int, v: int, f: int, e: int, g: int, q: int) -> bool:
    """g is w/2 bits of a quotient of v by q, e the k bits that follow, which may be short as far as y bears it, and f
    the first k bits of both."""
    whole = (g << k) + e
    parts = w % 2 == 0 and w <= 2 * k <= 2 * w and v < q and f == whole >> w // 2 and e < 1 << k
    return parts and 0 <= y * ((v << w // 2 + k) - whole * q) < q * split_room(w, k) and _split_top(w, k, q) <= 1 << w


def split_room(w: int, k: int) -> int:
    """What y bears: y times what the quotient is short by, over q, is below this, where one in the quotient of y·v is
    2^(w/2 + k). Half a word of y by what f lacks takes the rest."""
    return (1 << w // 2 + k) - ((1 << w) if 2 * k > w else 0)


def _split_top(w: int, k: int, q: int) -> int:
    """What y·v less a quotient too small by 2, by what f lacks, and by what the whole quotient is short, lies below."""
    return (3 if 2 * k > w else 4) * q


def _fine_requires(w: int, k: int, y: int, v: int, q: int) -> bool:
    return v < q and y >> k == 0 and 3 * q <= 1 << k < 1 << w


def _residue_requires(w: int, k: int, x: int, q: int) -> bool:
    return q >= 2 << k and x >> k + w - 1 == 0


def _over_requires(w: int, k: int, x: int, q: int, s: int) -> bool:
    return k > 0 and q % 2 == 1 and q << k + 1 < 1 << w and q >= 2 << s and x >> s + w - 1 == 0


def _within(w: int, k: int, a: Ints, r: Ints) -> bool:
    c, y, v, q = a[:4]
    return (r[0] - c - y * v) % q == 0 and -q < r[0] - c < q


def _split_product_requires(w: int, k: int, y: int, v: int, q: int, n: int) -> bool:
    bears = n > 2 or y << k - w // 2 <= split_room(w, k)
    return w % 2 == 0 and w <= 2 * k <= 2 * w and v < q and bears and _split_top(w, k, q) <= 1 << w


_ROWS = [
    Op("shoup_split", "wwwwww", "w", lambda w, k, y, v, f, e, g, q: (y * v % q,),
       lambda w, k, *a: ((0, _split_top(w, k, a[5][1]) - 1),), "t ≡ y · v mod q, t < 3q, or 4q for k = w/2",
       rank=9, spread=2, requires=_split_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[5] == 0 and 0 <= r[0] < _split_top(w, k, a[5])),
    Op("mulmod_split", "wwwn", "w", lambda w, k, y, v, q, n: (y * v % q,),
       lambda w, k, *a: ((0, _split_top(w, k, a[2][1]) - 1),), "t ≡ y · v mod q, t < 3q, or 4q for k = w/2", rank=10,
       spread=2, fixed=(1, 2, 3), requires=_split_product_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[2] == 0 and 0 <= r[0] < _split_top(w, k, a[2])),
    Op("mulmod_free", "iwwwn", "i", lambda w, k, c, y, v, q, n: (c + y * v % q,),
       lambda w, k, c, y, v, q, n: ((c[0] - q[1] + 1, c[1] + q[1] - 1),), "t ≡ c + y · v mod q, within q of c", rank=9,
       spread=2, fixed=(2, 3, 4), requires=lambda w, k, c, y, v, q, n: q % 2 == 1 and v < q, agrees=_within),
    Op("correct_up", "ii", "i", lambda w, k, x, m: (x % m,), lambda w, k, x, m: ((0, m[1] - 1),),
       "c = x mod m for x from (k - 1)·m to (k + 1)·m", rank=3,
       requires=lambda w, k, x, m: (k - 1) * m <= x < (k + 1) * m),
    Op("correct_down", "ii", "i", lambda w, k, x, m: (x % m - m,), lambda w, k, x, m: ((-m[1], -1),),
       "c = (x mod m) - m for x from -(k + 1)·m to (1 - k)·m", rank=3,
       requires=lambda w, k, x, m: -(k + 1) * m <= x < (1 - k) * m),
    Op("mulmod_fine", "www", "w", lambda w, k, y, v, q: (y * v % q,), lambda w, k, y, v, q: ((0, 3 * q[1] - 1),),
       "t ≡ y · v mod q, t < 3q", rank=10, spread=2, fixed=(1, 2), requires=_fine_requires,
       agrees=lambda w, k, a, r: (r[0] - a[0] * a[1]) % a[2] == 0 and 0 <= r[0] < 3 * a[2]),
    Op("mulmod_around", "www", "w", lambda w, k, y, v, q: (y * v % q,), lambda w, k, y, v, q: ((0, (1 << k) - 1),),
       "t ≡ y · v mod q, -q ≤ t < 2q, modulo 2^k", rank=10, spread=2, fixed=(1, 2), requires=_fine_requires,
       agrees=lambda w, k, a, r: any((t - a[0] * a[1]) % a[2] == 0 and -a[2] <= t < 2 * a[2]
                                     for t in (r[0], r[0] - (1 << k)))),
    Op("over_about", "ww", "w", lambda w, k, v, q: ((v << k) // q,), lambda w, k, v, q: ((0, (1 << k) - 1),),
       "u ≈ ⌊v · 2^k / q⌋, short by at most w", rank=8, spread=2, fixed=(0, 1),
       requires=lambda w, k, v, q: 0 < k < w and v < q,
       agrees=lambda w, k, a, r: 0 <= (a[0] << k) // a[1] - r[0] <= w),
    Op("residue", "ww", "w", lambda w, k, x, q: (x % q,), lambda w, k, x, q: ((0, q[1] - 1),),
       "c = x mod q", rank=9, spread=2, fixed=(1,), requires=_residue_requires),
    Op("residue_lazy", "ww", "w", lambda w, k, x, q: (x % q,), lambda w, k, x, q: ((0, 2 * q[1] - 1),),
       "c ≡ x mod q, c < 2q", rank=9, spread=2, fixed=(1,),
       requires=lambda w, k, x, q: 2 * q <= 1 << w and _residue_requires(w, k, x, q),
       agrees=lambda w, k, a, r: (r[0] - a[0]) % a[1] == 0 and 0 <= r[0] < 2 * a[1]),
    Op("residue_over", "wwn", "w", lambda w, k, x, q, s: (x * pow(2, -k, q) % q << k,),
       lambda w, k, x, q, s: ((0, (q[1] << k) - 1),), "c = (x / 2^k mod q) · 2^k", rank=9, spread=2,
       fixed=(1, 2), requires=_over_requires),
]  # fmt: skip

FREE = {row.name: register(row) for row in _ROWS}
