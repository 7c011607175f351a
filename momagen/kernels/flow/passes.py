"""Passes: the shape of one kernel of a data flow, with the codelet inside the loops; see `shape`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from momagen.kernels.butterflies.codelets import Codelet

from .layouts import LANES
from .loop_nest import LoopNest
from .permutation_network import Wanted


@dataclass(frozen=True)
class Pass:
    """One pass with its codelet and the layouts of memory it reads and writes (see `stage`)."""

    shape: LoopNest
    codelet: Codelet
    load: str = LANES
    store: str = LANES

    @property
    def radix(self) -> int:
        return self.shape.radix

    @property
    def lanes(self) -> int:
        return self.shape.lanes

    @property
    def scaled(self) -> bool:
        return self.shape.scaled

    @property
    def load_places(self) -> Wanted | None:
        return self.shape.load_places

    @property
    def store_places(self) -> Wanted | None:
        return self.shape.store_places

    @property
    def twiddles(self) -> int:
        """Table entries per butterfly, lanes counted once; twiddle 0 only where it carries a factor of all legs."""
        return self.radix * (1 + self.shape.weighted) - (not self.scaled)

    def parts(self) -> list[tuple[int, Pass]]:
        """The pass, and one over the columns that its vectors leave over, each behind its first column."""
        columns = self.shape.columns
        rest = [(columns.taken, replace(self, shape=replace(self.shape, columns=columns.rest)))] if columns.rest else []
        return [(0, self), *rest]

    def entries(self) -> int:
        """Table entries of the whole pass, lanes counted one by one."""
        groups = len(self.shape.table_bits) - (self.shape.table_lanes.bit_length() - 1)
        return (self.twiddles << groups) * self.shape.table_lanes
