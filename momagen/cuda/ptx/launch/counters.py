"""What a launch counted: traffic of global memory by warp instructions, bank conflicts of shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..translate.expressions import PtxSite
from .border import CountOfAccess

SECTOR = 32
"""Bytes of a sector of global memory, the least that a GPU moves."""
ACCESSES = {0: "load", 1: "store", 2: "atomic"}


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Warp instructions on one memory.

    Attributes:
        requests: instructions, of all warps. bytes: that threads asked for.
        sectors: of 32 bytes that they touched, each instruction by itself; global memory only.
        passes: through the banks of shared memory; extra: of them, those that bank conflicts added.
    """

    requests: int = 0
    bytes: int = 0
    sectors: int = 0
    passes: int = 0
    extra: int = 0

    @property
    def coalesced(self) -> bool:
        """Whether threads asked for as many bytes as lie in the sectors that they touched, or for more."""
        return self.sectors * SECTOR <= self.bytes


@dataclass(frozen=True, slots=True)
class LineCount:
    """An access of the PTX: its line, "global" or "shared", "load", "store" or "atomic", and what it did."""

    line: int
    space: str
    access: str
    count: MemoryCount


@dataclass(frozen=True, slots=True)
class Counters:
    """Of one launch: every access that ran, bytes (loaded, stored) of each argument that is an array (None of others)
    and of each symbol of the text by its name, and barriers that blocks passed, all blocks together."""

    lines: tuple[LineCount, ...] = ()
    arguments: tuple[tuple[int, int] | None, ...] = ()
    symbols: tuple[tuple[str, int, int], ...] = ()
    barriers: int = 0

    @property
    def global_loads(self) -> MemoryCount:
        """All loads of global memory."""
        return self._sum("global", "load")

    @property
    def global_stores(self) -> MemoryCount:
        """All stores to global memory."""
        return self._sum("global", "store")

    @property
    def shared_loads(self) -> MemoryCount:
        """All loads of shared memory."""
        return self._sum("shared", "load")

    @property
    def shared_stores(self) -> MemoryCount:
        """All stores to shared memory."""
        return self._sum("shared", "store")

    @property
    def bank_conflicts(self) -> int:
        """Passes through shared memory beyond those that its accesses take without conflicts."""
        return sum(each.count.extra for each in self.lines)

    def _sum(self, space: str, access: str) -> MemoryCount:
        return _total(each.count for each in self.lines if (each.space, each.access) == (space, access))


def line_counts(sites: Sequence[PtxSite], counts: Sequence[CountOfAccess]) -> tuple[LineCount, ...]:
    """Of each access and memory that was reached, in the order of the text; ``counts``: two for each access."""
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
