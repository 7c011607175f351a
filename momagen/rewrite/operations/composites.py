"""Operations that no machine has, and the constants that their rules derive."""

from __future__ import annotations

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
