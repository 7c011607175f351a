"""Constants that rules derive of a modulus and a factor, which are known before the data: a plan computes them once.

No rule computes them from data: the scalar functions of a plan do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from momagen.ir import OPS, Op, Value, const, register
from momagen.ir.real import MANTISSA
from momagen.ir.value import Interval

NAMES = {
    "over": "u{}", "scaled": "v{}", "inverse": "{}i", "opposite": "{}n", "estimate": "mu", "reciprocal": "nu",
    "leading_fraction": "mu", "shifted_rows": "v{}", "rows": "v{}", "fractions": "u{}", "minus_multiple": "bias",
    "over_first": "f{}", "over_rest": "e{}", "over_half": "g{}", "ratio": "u{}", "below": "mu", "square": "square",
}  # fmt: skip
"""What an input is called that holds a constant, by the operation that derives it and the name of what it derives it
of: v1 has ⌊v1·2^k/q⌋ at u1; v1·2^k mod q takes its place; q has 1/q at qi and -1/q at qn."""


def _joined(rows: Sequence[int], bits: int) -> int:
    return sum(row << bits * at for at, row in enumerate(rows))


def _rows(w: int, k: int, v: int, q: int) -> tuple[int]:
    """W_0, …, W_(k-1) for W_i = v·2^(w·i) mod q, in k digits each."""
    return (_joined([(v << w * i) % q for i in range(k)], w * k),)


def _fractions(w: int, k: int, v: int, q: int) -> tuple[int]:
    """⌊W_i·2^53/q⌋ for the same."""
    return (_joined([((v << w * i) % q << MANTISSA) // q for i in range(k)], MANTISSA),)


def _row_bounds(w: int, k: int, v: Interval, q: Interval) -> tuple[Interval]:
    return ((0, (1 << w * k * k) - 1),)


def _reciprocal(w: int, k: int, q: Interval) -> tuple[Interval]:
    return ((0, (1 << k) // max(q[0], 1)),)


_ROWS = [
    Op("over", "ww", "w", lambda w, k, v, q: ((v << k) // q,), lambda w, k, v, q: ((0, (1 << k) - 1),),
       "v' = ⌊v · 2^k / q⌋", spread=2, requires=lambda w, k, v, q: v < q and k <= w),
    Op("over_first", "ww", "w", lambda w, k, v, q: ((v << k) // q,), lambda w, k, v, q: ((0, (1 << k) - 1),),
       "f = ⌊v · 2^k / q⌋", spread=2, requires=lambda w, k, v, q: v < q and k <= w),
    Op("over_rest", "ww", "w", lambda w, k, v, q: ((v << w // 2 + k) // q % (1 << k),),
       lambda w, k, v, q: ((0, (1 << k) - 1),), "e = ⌊v · 2^(w/2 + k) / q⌋ mod 2^k", spread=2,
       requires=lambda w, k, v, q: v < q and k <= w),
    Op("over_half", "ww", "w", lambda w, k, v, q: ((v << k) // q,), lambda w, k, v, q: ((0, (1 << k) - 1),),
       "g = ⌊v · 2^k / q⌋", spread=2, requires=lambda w, k, v, q: v < q and k <= w),
    Op("ratio", "ww", "w", lambda w, k, v, q: ((v << k) % q * pow(q, -1, 1 << k) % (1 << k),),
       lambda w, k, v, q: ((0, (1 << k) - 1),), "v' = (v · 2^k mod q) / q mod 2^k", spread=2,
       requires=lambda w, k, v, q: q % 2 == 1 and v < q and k <= w),
    Op("scaled", "ww", "w", lambda w, k, v, q: ((v << k) % q,), lambda w, k, v, q: ((0, q[1] - 1),),
       "r = v · 2^k mod q", spread=2, requires=lambda w, k, v, q: v < q and k <= w),
    Op("below", "w", "w", lambda w, k, q: (((1 << k) - 1) // q,),
       lambda w, k, q: ((0, ((1 << k) - 1) // max(q[0], 1)),), "μ = ⌊(2^k - 1) / q⌋", spread=2,
       requires=lambda w, k, q: q > 0),
    Op("square", "w", "w", lambda w, k, q: ((1 << 2 * k) % q,), lambda w, k, q: ((0, q[1] - 1),), "s = 2^2k mod q",
       spread=2, requires=lambda w, k, q: q > 0),
    Op("inverse", "w", "w", lambda w, k, q: (pow(q, -1, 1 << k),), lambda w, k, q: ((0, (1 << k) - 1),),
       "q' = 1 / q mod 2^k", spread=2, requires=lambda w, k, q: q % 2 == 1 and k <= w),
    Op("opposite", "i", "w", lambda w, k, q: (-pow(q, -1, 1 << k) % (1 << k),), lambda w, k, q: ((0, (1 << k) - 1),),
       "q' = -1 / q mod 2^k", spread=2, requires=lambda w, k, q: q % 2 == 1),
    Op("estimate", "i", "w", lambda w, k, q: ((1 << k) // q,), _reciprocal, "μ = ⌊2^k / q⌋", spread=2,
       requires=lambda w, k, q: q > 0),
    Op("reciprocal", "i", "w", lambda w, k, q: ((1 << k) // q,), _reciprocal, "ν = ⌊2^k / q⌋", spread=2,
       requires=lambda w, k, q: q > 0),
    Op("leading_fraction", "i", "w", lambda w, k, q: (((1 << k) - 1) // q,),
       lambda w, k, q: ((0, (1 << MANTISSA) - 1),), "μ = ⌊(2^k - 1) / q⌋ to 53 bits, for q of k - 52", spread=2,
       requires=lambda w, k, q: q > 0 and ((1 << k) - 1) // q >> MANTISSA == 0),
    Op("minus_multiple", "i", "i", lambda w, k, q: (-k * q,), lambda w, k, q: ((-k * q[1], -k * q[0]),),
       "c = -k · q, digit by digit"),
    Op("rows", "ii", "i", _rows, _row_bounds, "T = [W_(k-1), …, W_0], W_i = v · 2^(w·i) mod q", spread=2,
       requires=lambda w, k, v, q: v < q),
    Op("shifted_rows", "ii", "i", lambda w, k, v, q: _rows(w, k, (v << w) % q, q), _row_bounds,
       "T = [W_(k-1), …, W_0], W_i = v · 2^(w·(i + 1)) mod q", spread=2, requires=lambda w, k, v, q: v < q),
    Op("fractions", "ii", "i", _fractions, lambda w, k, v, q: ((0, (1 << MANTISSA * k) - 1),),
       "U = [u_(k-1), …, u_0], u_i = ⌊W_i · 2^53 / q⌋, W_i = v · 2^(w·i) mod q", spread=2,
       requires=lambda w, k, v, q: v < q),
]  # fmt: skip

CONSTANTS = {row.name: register(row) for row in _ROWS}

Digits = tuple[int, list[Interval]]
"""Bits of a digit, and the intervals of all digits, the low one first."""


def _table(w: int, k: int, v: Interval, q: Interval) -> Digits:
    """Rows as long as q is, and zeros."""
    used = -(-q[1].bit_length() // w)
    return w, [(0, (1 << w) - 1 if column < used else 0) for _ in range(k) for column in range(k)]


def _multiple(w: int, k: int, q: Interval) -> Digits:
    return w, [(-k * ((1 << w) - 1), 0)] * -(-q[1].bit_length() // w)


_DIGITS: dict[str, Callable[..., Digits]] = {
    "rows": _table, "shifted_rows": _table, "minus_multiple": _multiple,
    "fractions": lambda w, k, v, q: (MANTISSA, [(0, (1 << MANTISSA) - 1)] * k),
    "leading_fraction": lambda w, k, q: (MANTISSA, [(0, (1 << MANTISSA) - 1)]),
}  # fmt: skip
"""Constants that are known by their digits."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """The input that holds what ``op`` derives."""
    intervals = [a.interval for a in args]
    ((lo, hi),) = OPS[op].bounds(width, k, *intervals)
    if op not in _DIGITS:
        return Value(lo, hi, "word", name)
    weight, ends = _DIGITS[op](width, k, *intervals)
    digits = [Value(*end, "word", f"{name}_{at}") if end[0] < end[1] else const(0) for at, end in enumerate(ends)]
    return Value(lo, hi, "word", name, tuple(reversed(digits)), weight)
