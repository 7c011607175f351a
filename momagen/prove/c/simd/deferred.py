"""Lanes that are computed when a proof needs them.

Where memory holds numbers of which only bounds and residues are known, a vector operation is not executed at once: its
lanes are kept as expressions, so that each part of the program can be proven by itself, whatever the order of the
statements is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.words import Words


@dataclass(frozen=True, eq=False)
class Leaf:
    """A lane that holds a word of a number in memory, or a lane of which is proven that it is a number.

    Attributes:
        word: The word.
        lane: How it was computed, or None.
        sources: The deferred lanes and the words that ``lane`` depends on.
    """

    word: Any
    lane: Deferred | None = None
    sources: frozenset[Any] = frozenset()


@dataclass(frozen=True, eq=False)
class Deferred:
    """A lane that an operation gives.

    Attributes:
        meaning: The operation: a function from words, the width of a lane, and the operands.
        width: The width of a lane in bits.
        operands: The operands: lanes, and numbers that are known.
    """

    meaning: Callable[..., Any]
    width: int
    operands: tuple[Any, ...]


def is_finished(lane: Any) -> bool:
    """Return whether a lane is a number that may be computed with: no bits in which two values differ."""
    return isinstance(lane, (Value, int, Leaf, Deferred))


def apply(meaning: Callable[..., Any], words: Words, width: int, *operands: Any) -> Any:
    """Return the result of an operation on lanes, which is deferred if one of the operands is."""
    if any(isinstance(operand, (Leaf, Deferred)) for operand in operands):
        return Deferred(meaning, width, operands)
    return meaning(words, width, *operands)
