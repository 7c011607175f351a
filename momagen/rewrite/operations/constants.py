"""Constants that rules derive, as inputs: a number, or what is known by its digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from momagen.ir import OPS, Value, const
from momagen.ir.real import MANTISSA
from momagen.ir.value import Interval

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
