"""Operations that no machine has, and constants that their rules derive, as rule files have them."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Value, numeral

from .declared import Lazy, declared

_OPERATIONS, _CONSTANTS = declared("operations.toml"), declared("constants.toml")

COMPOSITES = {name: each.op for name, each in _OPERATIONS.items() if not each.row.get("done")}
"""Operations that rules must rewrite."""
REDUCED = frozenset(name for name, each in _OPERATIONS.items() if each.row.get("first"))
"""Operations that are reduced before all else: rules for them derive constants."""
CONSTANTS = {name: each.op for name, each in _CONSTANTS.items()}
NAMES: dict[str, str] = {name: each.row["input"] for name, each in _CONSTANTS.items()}
"""What an input is called that holds a constant: the operation that derives it, and {} for what it derives it of."""
SIGNS = {name: each.sign for name, each in _OPERATIONS.items()}
"""Whether a result equals (=), is congruent to (≡) or next to (≈) what its row says."""
LAZY: dict[str, Lazy] = {name: each.lazy for name, each in _OPERATIONS.items() if each.lazy}
"""All that an operation may answer, in order, where its meaning is only one of several."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """The input that holds what ``op`` derives."""
    row = _CONSTANTS[op]
    ((lo, hi),) = row.op.bounds(width, k, *(a.interval for a in args))
    if "digits" not in row.row:
        return Value(lo, hi, "word", name)
    bits, ends = row.digits(width, k, *(a.hi for a in args))
    return numeral(name, (lo, hi), ends, bits)
