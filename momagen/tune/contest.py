"""The candidates of a search: drafts, their builds, and the outcome of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from momagen.bench.measure.sample import Spread

from .space import TriedOptions


class Entrant(Protocol):
    """A candidate that was built."""

    def sample(self) -> float:
        """Return one sample of its time, in cycles or nanoseconds per unit."""

    def fault(self) -> str:
        """Return the first error that verification found, or ""."""


class Draft(Protocol):
    """A candidate that was generated."""

    @property
    def code(self) -> str:
        """The identity of its build, which is equal for drafts that generate the same kernel."""

    def matters(self, axis: str) -> bool:
        """Return whether another value of that option can result in another kernel."""

    def build(self, seconds: float | None) -> Entrant:
        """Return the candidate, compiled within ``seconds`` if that is not None.

        Raises:
            MomagenError: It cannot be compiled.
        """


@dataclass
class TrialResult:
    """The outcome of one candidate.

    Attributes:
        choice: The options of the candidate.
        ratio: The default's time over the candidate's, or None if it was not timed.
        note: Why the candidate was not timed or not kept, or "".
        wrong: Whether its results were incorrect.
    """

    choice: TriedOptions
    ratio: Spread | None = None
    note: str = ""
    wrong: bool = False


@dataclass
class Contestant:
    """A candidate in a race.

    Attributes:
        choice: The options of the candidate.
        draft: The generated kernel.
        runner: The compiled kernel.
    """

    choice: TriedOptions
    draft: Draft
    runner: Entrant


@dataclass(frozen=True)
class Verdict:
    """The result of a search.

    Attributes:
        choice: The options that were found; those of the default if nothing was better.
        ratio: The default's time over the winner's, from the final comparison.
        default: The time of the default.
        winner: The time of the winner.
        sweeps: The number of complete sweeps over all options; 0 if there was not enough time for one.
        searched: The number of options that were searched.
        axes: The number of options that can be searched.
    """

    choice: TriedOptions
    ratio: Spread
    default: Spread
    winner: Spread
    sweeps: int
    searched: int = 0
    axes: int = 0
