"""Designs of a machine side by side: runtime, area, energy, and which of them no other beats in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from momagen.papers.rpu.model.area import area
from momagen.rpu.machine.design import Design

from .trial import Outcome, RpuTrial

HPLES = (4, 8, 16, 32, 64, 128, 256)
"""Of the paper's Figures 3 and 4."""


@dataclass(frozen=True)
class SweepGrid:
    """What to sweep: all HPLEs with all banks of a machine, on one transform."""

    machine: Design
    hples: Sequence[int]
    banks: Sequence[int]
    n: int
    flow: str
    schedule: str

    def trials(self, also: Mapping[tuple[int, int], Sequence[Mapping[str, int]]] | None = None) -> list[RpuTrial]:
        """One for each design; ``also``: of the design of those HPLEs and banks."""
        return [
            RpuTrial(label(h, b), self.machine.having(hples=h, banks=b), self.n, self.flow, self.schedule,
                  (also or {}).get((h, b), ()))
            for h in self.hples for b in self.banks
        ]  # fmt: skip


def label(hples: int, banks: int) -> str:
    """A design's name, as the paper writes it."""
    return f"({hples},{banks})"


def known_banks(machine: Design) -> tuple[int, ...]:
    """Numbers of banks whose clock a machine's file gives."""
    return tuple(sorted(int(banks) for banks in machine.ghz))


@dataclass(frozen=True)
class DesignPoint:
    """A design that was swept.

    Attributes:
        mm2, microjoules: of the models. parts: mm² of each. pareto: no other design is smaller and as fast, or faster
            and as small.
    """

    hples: int
    banks: int
    cycles: int
    microseconds: float
    mm2: float
    microjoules: float
    parts: Mapping[str, float]
    pareto: bool = False

    @property
    def per_area(self) -> float:
        """Transforms a millisecond and mm²."""
        return 1e3 / (self.microseconds * self.mm2)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "per_area": self.per_area}


def points_of_sweep(grid: SweepGrid, found: Mapping[str, Outcome]) -> list[DesignPoint]:
    """The designs in the order of the grid."""
    return marked(_point(trial.design, found[trial.label]) for trial in grid.trials())


def _point(design: Design, found: Outcome) -> DesignPoint:
    parts = area(design)
    return DesignPoint(design.hples, design.banks, found.cycles, found.microseconds, sum(parts.values()),
                       found.microjoules, parts)  # fmt: skip


def marked(points: Iterable[DesignPoint]) -> list[DesignPoint]:
    """The same, Pareto points marked."""
    every = list(points)
    return [replace(each, pareto=not any(_beats(other, each) for other in every)) for each in every]


def _beats(one: DesignPoint, other: DesignPoint) -> bool:
    pairs = ((one.microseconds, other.microseconds), (one.mm2, other.mm2))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def ranked(points: Iterable[DesignPoint]) -> list[DesignPoint]:
    """The highest performance per area first."""
    return sorted(points, key=lambda each: -each.per_area)
