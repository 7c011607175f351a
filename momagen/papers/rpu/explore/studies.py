"""What a report simulates on a machine: the paper's sweeps and sensitivity studies, by the paper's algorithm."""

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
"""Of Figure 6, and of the machine of Figures 5 and 7 to 10."""
MOST = 65536
INTERVALS, MULTIPLIES = (1, 2, 3, 4), (4, 6, 8, 10, 12)
SHUFFLES, LOAD_STORES = (3, 4, 5, 6, 7, 8, 10), (4, 6, 8, 10)
SLOW = {"interval": ("interval", 1, 2), "load_store": ("load_store", 4, 10), "shuffle": ("shuffle", 4, 7)}
"""What is slower in a stated figure: of which number of cycles, and from how many to how many."""
QUICK_HPLES, QUICK_BANKS = (4, 64, 128, 256), (32, 64, 128, 256)
"""Those that stated figures are of."""


@dataclass(frozen=True)
class RpuStudy:
    """All trials of a report on ``machine``; ``quick``: fewer designs in its sweep. ``most``: points of the largest
    transform."""

    machine: Design
    quick: bool = False
    most: int = MOST

    @cached_property
    def grid(self) -> SweepGrid:
        """Figures 3 to 5."""
        hples, banks = (QUICK_HPLES, QUICK_BANKS) if self.quick else (HPLES, known_banks(self.machine))
        return SweepGrid(self.machine, hples, banks, self.most, FLOW, OPTIMISED)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Points of Figure 9."""
        return tuple(self.most >> at for at in range(6, -1, -1) if self.most >> at >= 1024)

    @property
    def pipelines(self) -> list[dict[str, int]]:
        """Changes of the machine, Figure 7."""
        return [{"multiply": deep, "interval": every} for every in INTERVALS for deep in MULTIPLIES]

    @property
    def crossbars(self) -> list[dict[str, int]]:
        """The same, Figure 8."""
        return [{"shuffle": one, "load_store": other} for other in LOAD_STORES for one in SHUFFLES]

    @property
    def changes(self) -> list[dict[str, int]]:
        """All that the program of the machine itself is counted on."""
        slow = [{name: count} for name, *counts in SLOW.values() for count in counts]
        return [*slow, {"interval": 3}, *self.pipelines, *self.crossbars]

    def trials(self) -> Sequence[RpuTrial]:
        """The sweep, and by their labels "naive HPLEs", "points N", and what is slower with how many
        cycles."""
        machine, at = self.machine, (BANKS, BANKS)
        naive = [RpuTrial(f"naive {h}", machine.having(hples=h, banks=BANKS), self.most, FLOW, NAIVE)
                 for h in self.grid.hples]  # fmt: skip
        own = machine.having(hples=BANKS, banks=BANKS)
        again = [RpuTrial(f"{name} {count}", own.having(**{name: count}), self.most, FLOW, OPTIMISED)
                 for name, *counts in SLOW.values() for count in counts]  # fmt: skip
        sizes = [RpuTrial(f"points {n}", own, n, FLOW, OPTIMISED) for n in self.sizes]
        return [*self.grid.trials({at: self.changes}), *naive, *again, *sizes]
