"""What the launches of a call move, counted while they run on the CPU: bytes of data and tables, sectors, banks.

Addresses depend on no data, so that vectors of zeros do, and no plan is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from momagen.emit import Source
from momagen.program.device import DeviceProgram

from .nvrtc import compile_cuda
from .ptx.launch.counters import SECTOR, Counters, MemoryCount
from .ptx.run import PtxModule, load_ptx

VIRTUAL = "compute_90"
WORD = 4
"""Bytes of a word."""


@dataclass(frozen=True)
class LaunchTraffic:
    """Of one launch; bytes are those that threads ask for.

    Attributes:
        data: bytes that it must load, and store as many. loaded, stored: of vectors. tables, constants: loaded.
        counters: everything that was counted.
    """

    kernel: str
    data: int
    loaded: int
    stored: int
    tables: int
    constants: int
    counters: Counters

    @property
    def conflicts(self) -> int:
        """Passes through shared memory that bank conflicts add."""
        return self.counters.bank_conflicts

    @property
    def waste(self) -> float:
        """Of the accesses to global memory the worst: bytes of the sectors that its warps touch, over those that they
        ask for. A residue of more than 16 bytes comes by several instructions, each of which touches all its sectors:
        2 there, of which the first cache takes one half."""
        return max(map(_waste, (each.count for each in self.counters.lines if each.space == "global")))

    def row(self) -> dict[str, object]:
        """Plain data, for a table of figures."""
        banks = self.counters.shared_loads.passes + self.counters.shared_stores.passes
        return {
            "kernel": self.kernel, "data": self.data, "loaded": self.loaded, "stored": self.stored,
            "tables": self.tables, "constants": self.constants, "waste": round(self.waste, 3),
            "bank_passes": banks, "bank_conflicts": self.conflicts, "barriers": self.counters.barriers,
        }  # fmt: skip


def _waste(count: MemoryCount) -> float:
    return count.sectors * SECTOR / count.bytes


def launch_traffic(source: Source, count: int, module: PtxModule | None = None) -> Iterator[LaunchTraffic]:
    """The launches of one call on ``count`` transforms, or elements, of each modulus; ``module``: the kernel, where it
    is loaded."""
    program, rows = source.program, source.spec.rows
    assert isinstance(program, DeviceProgram)
    size = max(program.size, program.stride) * rows * count
    module = module or load_ptx(compile_cuda(source.source, VIRTUAL).ptx)
    names = dict.fromkeys(name for launch in program.run for name in launch.operands)
    vectors = {name: np.zeros(max(size, program.numbers * rows), np.uint32) for name in names}
    own = [np.zeros(max(1, rows * size), np.uint32) for size in (program.constants, program.tables)]
    for launch in program.run:
        operands = [vectors[name] for name in launch.operands]
        counted = module.launch(
            launch.kernel, grid=(launch.blocks * -(-count // (launch.group or count)), rows), block=(launch.threads,),
            args=[*operands, *own, count], shared=launch.shared, count=True,
        )  # fmt: skip
        moved = [pair or (0, 0) for pair in counted.arguments]
        vector, constants, tables = moved[: len(operands)], moved[len(operands)], moved[len(operands) + 1]
        loaded, stored = (sum(pair[at] for pair in vector) for at in (0, 1))
        yield LaunchTraffic(launch.kernel, size * WORD, loaded, stored, tables[0], constants[0], counted)
