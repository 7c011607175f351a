"""Operations that no machine has, with the meaning that a rule must keep: modular arithmetic and butterflies.

A lazily reduced result is right when it is congruent and in range, so these rows say what *agrees* with them. Their
``requires`` are the theorems' hypotheses; their bounds are the theorems.
"""

from __future__ import annotations

from collections.abc import Callable

from momagen.ir import OPS, Op, register
from momagen.ir.value import Interval

from .folds import FOLDS
from .horner import HORNER
from .lazy import FREE
from .modular import MODULAR
from .round_to_nearest import NEAR

Ints = tuple[int, ...]


def _below(*multiples: int) -> Callable[..., tuple[Interval, ...]]:
    """Results below multiples of the modulus, which is argument q of the row."""

    def bounds(w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
        q = args[-1][1]
        return tuple((0, m * q - 1) for m in multiples)

    return bounds


def _shoup_requires(w: int, k: int, y: int, v: int, vq: int, q: int) -> bool:
    return v < q and 0 <= y * ((v << w) - vq * q) < q << w and 2 * k * q <= 1 << w


def _congruent(q: int, results: Ints, wanted: Ints, tops: Ints) -> bool:
    return all((r - x) % q == 0 and 0 <= r < top for r, x, top in zip(results, wanted, tops, strict=True))


def _mont(a: int, b: int, q: int, k: int) -> int:
    return a * b * pow(2, -k, q) % q


def _barrett_requires(w: int, k: int, a: int, b: int, q: int, mu: int) -> bool:
    return a * b < 4 * q * q and 2 <= q.bit_length() == k <= w - 4 and mu == ((1 << 2 * k + 3) - 1) // q


def _inverse(w: int, k: int, q: int, qi: int) -> bool:
    return k <= w and q % 2 == 1 and q < 1 << k and q * qi % (1 << k) == 1


_ROWS = [
    Op("reduce", "fww", "w", lambda w, k, f, a, q: ((f << w | a) % q,),
       lambda w, k, f, a, q: ((0, q[1] - 1),), "c = [δ, a] mod q", rank=7,
       requires=lambda w, k, f, a, q: (f << w | a) < 2 * q),
    Op("csub", "ww", "w", lambda w, k, a, m: (a - m if a >= m else a,),
       lambda w, k, a, m: ((0, a[1]),), "c = a - m if m ≤ a otherwise a", rank=7),
    Op("addmod", "www", "w", lambda w, k, a, b, q: ((a + b) % q,), _below(1), "c = (a + b) mod q", rank=8,
       requires=lambda w, k, a, b, q: max(a, b) < q),
    Op("submod", "www", "w", lambda w, k, a, b, q: ((a - b) % q,), _below(1), "c = (a - b) mod q", rank=8,
       requires=lambda w, k, a, b, q: max(a, b) < q),
    Op("mulhi_about", "ww", "w", lambda w, k, a, b: (a * b >> w,),
       lambda w, k, a, b: ((max(0, (a[0] * b[0] >> w) - 2 * (k - 1)), a[1] * b[1] >> w),),
       "c ≈ ⌊a · b / 2^w⌋, short by at most 2(k - 1)", rank=6, spread=2, commutes=True,
       agrees=lambda w, k, args, r: 0 <= (args[0] * args[1] >> w) - r[0] <= 2 * (k - 1)),
    Op("barrett", "wwww", "w", lambda w, k, a, b, q, mu: (a * b % q,),
       lambda w, k, a, b, q, mu: ((0, q[1] - 1),), "c = a · b mod q", rank=9, spread=2, requires=_barrett_requires),
    Op("barrett_lazy", "wwww", "w", lambda w, k, a, b, q, mu: (a * b % q,), lambda *t: _below(2)(*t[:-1]),
       "c ≡ a · b mod q, c < 2q", rank=8, spread=2, requires=_barrett_requires,
       agrees=lambda w, k, a, r: _congruent(a[2], r, (a[0] * a[1],), (2 * a[2],))),
    Op("montgomery", "wwww", "w", lambda w, k, a, b, q, qi: (_mont(a, b, q, k),),
       lambda w, k, a, b, q, qi: ((0, q[1] - 1),), "c = a · b / 2^k mod q", rank=9, spread=2,
       requires=lambda w, k, a, b, q, qi: _inverse(w, k, q, qi) and a * b < q << k),
    Op("montgomery_lazy", "wwww", "w", lambda w, k, a, b, q, qi: (_mont(a, b, q, k),), lambda *t: _below(2)(*t[:-1]),
       "c ≡ a · b / 2^k mod q, c < 2q", rank=8, spread=2,
       requires=lambda w, k, a, b, q, qi: _inverse(w, k, q, qi) and a * b < q << k and 2 * q <= 1 << w,
       agrees=lambda w, k, a, r: _congruent(a[2], r, (_mont(a[0], a[1], a[2], k),), (2 * a[2],))),
    Op("shoup", "wwww", "w", lambda w, k, y, v, vq, q: (y * v % q,),
       lambda w, k, y, v, vq, q: ((0, 2 * k * q[1] - 1),), "t ≡ y · v mod q, t < 2k·q", rank=9, spread=2,
       requires=_shoup_requires,
       agrees=lambda w, k, a, r: _congruent(a[3], r, (a[0] * a[1],), (2 * k * a[3],))),
]  # fmt: skip

COMPOSITES = {row.name: register(row) for row in _ROWS} | FREE | MODULAR | FOLDS | NEAR | HORNER
assert set(COMPOSITES) <= set(OPS)
