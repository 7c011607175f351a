"""The counts of a launch: the traffic of warp instructions with global memory, and bank conflicts of shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..translate.expressions import PtxSite
from .border import CountOfAccess

SECTOR = 32
"""The number of bytes of a sector of global memory, the smallest unit that a GPU transfers."""
ACCESSES = {0: "load", 1: "store", 2: "atomic"}


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """The counts of warp instructions on one kind of memory.

    Attributes:
        requests: The number of instructions of all warps.
        bytes: The number of bytes that threads requested.
        sectors: The number of sectors of global memory that the instructions touched, counted for each
            instruction.
        passes: The number of passes through the banks of shared memory.
        extra: The number of those passes that bank conflicts added.
    """

    requests: int = 0
    bytes: int = 0
    sectors: int = 0
    passes: int = 0
    extra: int = 0

    @property
    def coalesced(self) -> bool:
        """Whether threads requested at least as many bytes as the sectors that they touched have."""
        return self.sectors * SECTOR <= self.bytes


@dataclass(frozen=True, slots=True)
class LineCount:
    """The counts of one memory access in the PTX.

    Attributes:
        line: The line of the PTX.
        space: The kind of memory, "global" or "shared".
        access: The kind of access, "load", "store" or "atomic".
        count: The counts.
    """

    line: int
    space: str
    access: str
    count: MemoryCount


@dataclass(frozen=True, slots=True)
class Counters:
    """The counts of one launch, summed over all blocks.

    Attributes:
        lines: The accesses that were executed.
        arguments: For each argument that is an array, the numbers of bytes that were loaded and stored; None
            for others.
        symbols: The name of each variable of the PTX, with the numbers of bytes that were loaded and stored.
        barriers: The number of barriers that blocks passed.
    """

    lines: tuple[LineCount, ...] = ()
    arguments: tuple[tuple[int, int] | None, ...] = ()
    symbols: tuple[tuple[str, int, int], ...] = ()
    barriers: int = 0

    @property
    def global_loads(self) -> MemoryCount:
        """The sum over all loads from global memory."""
        return self._sum("global", "load")

    @property
    def global_stores(self) -> MemoryCount:
        """The sum over all stores to global memory."""
        return self._sum("global", "store")

    @property
    def shared_loads(self) -> MemoryCount:
        """The sum over all loads from shared memory."""
        return self._sum("shared", "load")

    @property
    def shared_stores(self) -> MemoryCount:
        """The sum over all stores to shared memory."""
        return self._sum("shared", "store")

    @property
    def bank_conflicts(self) -> int:
        """The number of additional passes through shared memory that conflicts cause."""
        return sum(each.count.extra for each in self.lines)

    def _sum(self, space: str, access: str) -> MemoryCount:
        return _total(each.count for each in self.lines if (each.space, each.access) == (space, access))


def line_counts(sites: Sequence[PtxSite], counts: Sequence[CountOfAccess]) -> tuple[LineCount, ...]:
    """Return the counts of each access that was executed, in the order of the PTX.

    Args:
        sites: The accesses of the PTX.
        counts: Two counts for each access, first for global and then for shared memory.
    """
    found = []
    for i, site in enumerate(sites):
        for space, raw in zip(("global", "shared"), counts[2 * i : 2 * i + 2], strict=True):
            if raw.requests:
                count = MemoryCount(raw.requests, raw.bytes, raw.sectors, raw.passes, raw.extra)
                found.append(LineCount(site.line, space, ACCESSES[site.kind], count))
    return tuple(found)


def _total(counts: Iterable[MemoryCount]) -> MemoryCount:
    all_ = list(counts)
    return MemoryCount(*(sum(getattr(each, name) for each in all_) for name in MemoryCount.__slots__))
