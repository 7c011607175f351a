"""One trial: a problem, who solves it, and what is known of it beside times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..entries import OURS, Makers
from ..problems import Problem

Counted = Callable[[], "dict[str, Any] | None"]


@dataclass(frozen=True)
class Settings:
    """What the command line says of sweeps.

    Attributes:
        target: of our kernels. sizes, names, batches: of rows, the only ones; none: all. quick: small shapes.
        watts: of this machine, 0: unknown. seconds: that the samples of one contestant take, about, at most.
    """

    target: str = "jax"
    sizes: Sequence[int] = ()
    names: Sequence[str] = ()
    batches: Sequence[int] = ()
    quick: bool = False
    watts: float = 0.0
    seconds: float = 10.0


@dataclass(frozen=True)
class Trial:
    """A race within a section.

    Attributes:
        section: its name. series: trials of one series grow; those behind one that is too slow are left out. title: of
            this one. bytes: that numbers of it take, about. problem: made when it is run. makers: the contestants.
        paper: what the paper has beside a contestant. counts: what a contestant needs on a TPU. first: whose time
            ratios are over. per: how many kernels one call is.
    """

    section: str
    series: str
    title: str
    bytes: int
    problem: Callable[[], Problem]
    makers: Makers
    paper: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    counts: Mapping[str, Counted] = field(default_factory=dict)
    first: str = OURS
    per: int = 1
    more: Mapping[str, Any] = field(default_factory=dict)
