"""One contestant on one problem: how it is called, and what its result says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from momagen.params.words import Words

from .problems import Problem

OURS = "jax"
"""The contestant that the others are compared with."""
EXACT, CONGRUENT, WRONG = "exact", "congruent", "wrong"


class Missing(Exception):
    """A contestant that is not here, and why."""


@dataclass(frozen=True)
class Entry:
    """A contestant that has made its tables.

    Attributes:
        call: one run on what lies on the device already; it comes back when the result is there.
        result: of what a run gave, an array as the problem expects it. note: what a reader must know.
        compiled: whether the first call compiles. expected: what must come out where that is not the problem's.
    """

    call: Callable[[], Any]
    result: Callable[[Any], Words]
    note: str = ""
    compiled: bool = True
    expected: Words | None = None


Maker: TypeAlias = Callable[[Problem], Entry]
Makers: TypeAlias = Mapping[str, Maker]


def verdict(found: Words, problem: Problem, other: Words | None = None) -> str:
    """EXACT, CONGRUENT where numbers are right modulo q but not below it, or WRONG; ``other``: what must come out where
    that is not the problem's."""
    expected = problem.expected if other is None else other
    if found.shape != expected.shape:
        return WRONG
    if np.array_equal(found, expected):
        return EXACT
    if max(problem.moduli) >> 64:
        return WRONG
    reduced = found % np.array(problem.moduli, np.uint64)
    return CONGRUENT if np.array_equal(reduced, expected) else WRONG
