"""One trial: a problem, its contestants, and known numbers next to their times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .entries import OURS, Makers
from .problems import JaxProblem

Counted = Callable[[], "dict[str, Any] | None"]


@dataclass(frozen=True)
class SweepSettings:
    """The options of sweeps.

    Attributes:
        target: The target of momagen's kernels.
        sizes: The binary logarithms of the sizes of rows; empty: all rows.
        names: The names of rows; empty: all rows.
        batches: The batches; empty: those of the paper.
        quick: Whether small shapes replace those of the paper.
        watts: The power of this machine; 0: unknown.
        seconds: The approximate limit of the time of all samples of one contestant.
    """

    target: str = "jax"
    sizes: Sequence[int] = ()
    names: Sequence[str] = ()
    batches: Sequence[int] = ()
    quick: bool = False
    watts: float = 0.0
    seconds: float = 10.0


@dataclass(frozen=True)
class JaxTrial:
    """A race within a section.

    Attributes:
        section: The name of the section.
        series: The series. Trials of one series grow, and a contestant that is too slow is left out of the later ones.
        title: A description.
        bytes: The approximate memory of its numbers.
        problem: A function that builds the problem.
        makers: The contestants.
        paper: The numbers of the paper, by contestant.
        counts: By contestant, a function that counts its operations and bytes on a TPU.
        first: The contestant over whose time the ratios are taken.
        per: The number of kernels in one call.
        more: Further entries of the rows of results.
    """

    section: str
    series: str
    title: str
    bytes: int
    problem: Callable[[], JaxProblem]
    makers: Makers
    paper: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    counts: Mapping[str, Counted] = field(default_factory=dict)
    first: str = OURS
    per: int = 1
    more: Mapping[str, Any] = field(default_factory=dict)
