"""The simulations of a report on one machine: the paper's sweeps and sensitivity studies, by its algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from momagen.rpu.machine.design import Design

from .sweep import HPLES, SweepGrid, known_banks
from .trial import RpuTrial

FLOW, OPTIMISED, NAIVE = "pease", "placed", "naive"
"""The paper's algorithm, and its two schedules."""
BANKS = 128
"""The number of banks and HPLEs of the machine of Figures 5 and 7 to 10, and the number of banks of Figure 6."""
MOST = 65536
INTERVALS, MULTIPLIES = (1, 2, 3, 4), (4, 6, 8, 10, 12)
SHUFFLES, LOAD_STORES = (3, 4, 5, 6, 7, 8, 10), (4, 6, 8, 10)
SLOW = {"interval": ("interval", 1, 2), "load_store": ("load_store", 4, 10), "shuffle": ("shuffle", 4, 7)}
"""The changes that make a machine slower, by stated number: the name of the cycles, and their values before
and after."""
QUICK_HPLES, QUICK_BANKS = (4, 64, 128, 256), (32, 64, 128, 256)
"""The numbers of HPLEs and banks of the designs with stated numbers."""


@dataclass(frozen=True)
class RpuStudy:
    """All trials of a report on one machine.

    Attributes:
        machine: The machine.
        quick: Whether its sweep has fewer designs.
        most: The number of points of the largest transform.
    """

    machine: Design
    quick: bool = False
    most: int = MOST

    @cached_property
    def grid(self) -> SweepGrid:
        """The designs of Figures 3 to 5."""
        hples, banks = (QUICK_HPLES, QUICK_BANKS) if self.quick else (HPLES, known_banks(self.machine))
        return SweepGrid(self.machine, hples, banks, self.most, FLOW, OPTIMISED)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of points of Figure 9."""
        return tuple(self.most >> at for at in range(6, -1, -1) if self.most >> at >= 1024)

    @property
    def pipelines(self) -> list[dict[str, int]]:
        """The changes of the machine for Figure 7."""
        return [{"multiply": deep, "interval": every} for every in INTERVALS for deep in MULTIPLIES]

    @property
    def crossbars(self) -> list[dict[str, int]]:
        """The changes of the machine for Figure 8."""
        return [{"shuffle": one, "load_store": other} for other in LOAD_STORES for one in SHUFFLES]

    @property
    def changes(self) -> list[dict[str, int]]:
        """All changes of the machine for which the cycles of its program are counted."""
        slow = [{name: count} for name, *counts in SLOW.values() for count in counts]
        return [*slow, {"interval": 3}, *self.pipelines, *self.crossbars]

    def trials(self) -> Sequence[RpuTrial]:
        """Return all trials.

        In addition to those of the sweep, they are labelled "naive HPLEs", "points N", and with the name and
        the value of a number of cycles that differs.
        """
        machine, at = self.machine, (BANKS, BANKS)
        naive = [RpuTrial(f"naive {h}", machine.having(hples=h, banks=BANKS), self.most, FLOW, NAIVE)
                 for h in self.grid.hples]  # fmt: skip
        own = machine.having(hples=BANKS, banks=BANKS)
        again = [RpuTrial(f"{name} {count}", own.having(**{name: count}), self.most, FLOW, OPTIMISED)
                 for name, *counts in SLOW.values() for count in counts]  # fmt: skip
        sizes = [RpuTrial(f"points {n}", own, n, FLOW, OPTIMISED) for n in self.sizes]
        return [*self.grid.trials({at: self.changes}), *naive, *again, *sizes]
