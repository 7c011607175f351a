"""Operations that no machine has, and the constants that their rules derive."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Value, const

from .declared import Lazy, declared
from .digit_sums import DOT, DOT_NEAR, dots, near_dots

_OPERATIONS, _CONSTANTS = declared("operations.toml"), declared("constants.toml")

COMPOSITES = {name: each.op for name, each in _OPERATIONS.items() if not each.row.get("done")}
COMPOSITES |= {"dot": DOT, "dot_near": DOT_NEAR}
"""Operations that rules must rewrite."""
REDUCED = frozenset(name for name, each in _OPERATIONS.items() if each.row.get("first"))
"""Operations that are reduced before all else: rules for them derive constants."""
CONSTANTS = {name: each.op for name, each in _CONSTANTS.items()}
NAMES: dict[str, str] = {name: each.row["input"] for name, each in _CONSTANTS.items()}
"""What an input is called that holds a constant: the operation that derives it, and {} for what it derives it of."""
LAZY: dict[str, Lazy] = {name: each.lazy for name, each in _OPERATIONS.items() if each.lazy}
LAZY |= {"dot": dots, "dot_near": near_dots}
"""All that an operation may answer, in order, where its meaning is only one of several."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """The input that holds what ``op`` derives."""
    row = _CONSTANTS[op]
    ((lo, hi),) = row.op.bounds(width, k, *(a.interval for a in args))
    if "digits" not in row.row:
        return Value(lo, hi, "word", name)
    bits, ends = row.digits(width, k, *(a.hi for a in args))
    digits = [Value(*end, "word", f"{name}_{at}") if end[0] < end[1] else const(0) for at, end in enumerate(ends)]
    return Value(lo, hi, "word", name, tuple(reversed(digits)), bits)
