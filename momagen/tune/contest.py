"""The candidates of a search: drafts, their builds, and the outcome of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from momagen.bench.measure.sample import Spread

from .space import TriedOptions


class Entrant(Protocol):
    """A kernel that was built."""

    def sample(self) -> float:
        """One sample of its time, in cycles or nanoseconds per unit."""

    def fault(self) -> str:
        """What verification found wrong; "" where it is right."""


class Draft(Protocol):
    """A kernel that was generated."""

    @property
    def code(self) -> str:
        """What identifies its build: equal for drafts that make the same kernel."""

    def matters(self, axis: str) -> bool:
        """Whether another value on that axis can make another kernel."""

    def build(self, seconds: float | None) -> Entrant:
        """The kernel, compiled within so many seconds if it is not None; MomagenError where it cannot be."""


@dataclass
class TrialResult:
    """What became of one candidate: the default's time over its own, or why there is none."""

    choice: TriedOptions
    ratio: Spread | None = None
    note: str = ""
    wrong: bool = False


@dataclass
class Contestant:
    """A candidate in the race."""

    choice: TriedOptions
    draft: Draft
    runner: Entrant


@dataclass(frozen=True)
class Verdict:
    """What the search ends with.

    Attributes:
        choice: the default's where nothing was better. ratio: the default's time over the winner's, from the final.
        default, winner: their times. sweeps: how often all axes were gone through, 0 where time was short.
        searched, axes: how many were gone through, of how many.
    """

    choice: TriedOptions
    ratio: Spread
    default: Spread
    winner: Spread
    sweeps: int
    searched: int = 0
    axes: int = 0
