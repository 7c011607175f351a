"""Designs of a machine in comparison: runtime, area, energy, and the Pareto-optimal ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from momagen.papers.rpu.model.area import area
from momagen.rpu.machine.design import Design

from .trial import Outcome, RpuTrial

HPLES = (4, 8, 16, 32, 64, 128, 256)
"""The numbers of HPLEs in the paper's Figures 3 and 4."""


@dataclass(frozen=True)
class SweepGrid:
    """The designs of a sweep, which combine all numbers of HPLEs with all numbers of banks.

    Attributes:
        machine: The machine.
        hples: The numbers of HPLEs.
        banks: The numbers of banks.
        n: The number of points of the transform.
        flow: The name of the data flow.
        schedule: The name of the schedule.
    """

    machine: Design
    hples: Sequence[int]
    banks: Sequence[int]
    n: int
    flow: str
    schedule: str

    def trials(self, also: Mapping[tuple[int, int], Sequence[Mapping[str, int]]] | None = None) -> list[RpuTrial]:
        """Return a trial for each design.

        Args:
            also: The additional changes of designs, by their numbers of HPLEs and banks.
        """
        return [
            RpuTrial(label(h, b), self.machine.having(hples=h, banks=b), self.n, self.flow, self.schedule,
                  (also or {}).get((h, b), ()))
            for h in self.hples for b in self.banks
        ]  # fmt: skip


def label(hples: int, banks: int) -> str:
    """Return the name of a design in the paper's notation."""
    return f"({hples},{banks})"


def known_banks(machine: Design) -> tuple[int, ...]:
    """Return the numbers of banks for which the file of a machine states the clock."""
    return tuple(sorted(int(banks) for banks in machine.ghz))


@dataclass(frozen=True)
class DesignPoint:
    """A design of a sweep.

    Attributes:
        hples: The number of HPLEs.
        banks: The number of banks.
        cycles: The cycles of the transform.
        microseconds: The time of the transform.
        mm2: The area in mm² by the model.
        microjoules: The energy by the model.
        parts: The areas of its parts in mm².
        pareto: Whether no other design is better in time or area without being worse in the other.
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
        """The transforms per millisecond and mm²."""
        return 1e3 / (self.microseconds * self.mm2)

    def to_dict(self) -> dict[str, Any]:
        """Return the design as plain data for JSON."""
        return {**asdict(self), "per_area": self.per_area}


def points_of_sweep(grid: SweepGrid, found: Mapping[str, Outcome]) -> list[DesignPoint]:
    """Return the designs with their results, in the order of the grid."""
    return marked(_point(trial.design, found[trial.label]) for trial in grid.trials())


def _point(design: Design, found: Outcome) -> DesignPoint:
    parts = area(design)
    return DesignPoint(design.hples, design.banks, found.cycles, found.microseconds, sum(parts.values()),
                       found.microjoules, parts)  # fmt: skip


def marked(points: Iterable[DesignPoint]) -> list[DesignPoint]:
    """Return the same designs with the Pareto points marked."""
    every = list(points)
    return [replace(each, pareto=not any(_beats(other, each) for other in every)) for each in every]


def _beats(one: DesignPoint, other: DesignPoint) -> bool:
    pairs = ((one.microseconds, other.microseconds), (one.mm2, other.mm2))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def ranked(points: Iterable[DesignPoint]) -> list[DesignPoint]:
    """Return the designs by decreasing performance per area."""
    return sorted(points, key=lambda each: -each.per_area)
