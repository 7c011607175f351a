"""One contestant on one problem: its call, and the verdict on its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from momagen.params.words import Words

from .problems import JaxProblem

OURS = "jax"
"""The contestant with which the others are compared."""
EXACT, CONGRUENT, WRONG = "exact", "congruent", "wrong"


class MissingContestant(Exception):
    """The exception for a contestant that is not installed or lacks an option; its text is the reason."""


@dataclass(frozen=True)
class JaxEntry:
    """A contestant whose tables are ready.

    Attributes:
        call: One run on data that is on the device; it returns when the result is complete.
        result: The conversion of a run's result to an array in the shape that the problem expects.
        note: A note for readers.
        compiled: Whether the first call compiles.
        expected: The expected result, if it differs from the problem's.
    """

    call: Callable[[], Any]
    result: Callable[[Any], Words]
    note: str = ""
    compiled: bool = True
    expected: Words | None = None


Maker: TypeAlias = Callable[[JaxProblem], JaxEntry]
Makers: TypeAlias = Mapping[str, Maker]


def verdict(found: Words, problem: JaxProblem, other: Words | None = None) -> str:
    """Return EXACT, CONGRUENT or WRONG.

    Args:
        found: The result.
        problem: The problem.
        other: The expected result, if it differs from the problem's.

    Returns:
        CONGRUENT if the numbers are correct modulo q but not below it.
    """
    expected = problem.expected if other is None else other
    if found.shape != expected.shape:
        return WRONG
    if np.array_equal(found, expected):
        return EXACT
    if max(problem.moduli) >> 64:
        return WRONG
    reduced = found % np.array(problem.moduli, np.uint64)
    return CONGRUENT if np.array_equal(reduced, expected) else WRONG
