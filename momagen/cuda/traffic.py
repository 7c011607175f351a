"""The memory traffic of the launches of a call, counted while the CPU emulates them: bytes, sectors and bank conflicts.

Addresses do not depend on data, so that the vectors are zeros and no plan is created.
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
"""The number of bytes of a word."""


@dataclass(frozen=True)
class LaunchTraffic:
    """The memory traffic of one launch. Its bytes are the bytes that threads request.

    Attributes:
        kernel: The name of the kernel.
        data: The number of bytes of the vector, which it must load and store at least once.
        loaded: The number of bytes of vectors that it loads.
        stored: The number of bytes of vectors that it stores.
        tables: The number of bytes of tables that it loads.
        constants: The number of bytes of constants that it loads.
        counters: All counts of the launch.
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
        """The number of additional passes through shared memory that bank conflicts cause."""
        return self.counters.bank_conflicts

    @property
    def waste(self) -> float:
        """The ratio of transferred to requested bytes for the worst access to global memory.

        The transferred bytes are those of the sectors that the warps touch. A residue of more than 16 bytes
        is transferred by several instructions, each of which touches all of its sectors. The ratio is then 2,
        and the first-level cache serves one half.
        """
        return max(map(_waste, (each.count for each in self.counters.lines if each.space == "global")))

    def row(self) -> dict[str, object]:
        """Return plain data for a table of figures."""
        banks = self.counters.shared_loads.passes + self.counters.shared_stores.passes
        return {
            "kernel": self.kernel, "data": self.data, "loaded": self.loaded, "stored": self.stored,
            "tables": self.tables, "constants": self.constants, "waste": round(self.waste, 3),
            "bank_passes": banks, "bank_conflicts": self.conflicts, "barriers": self.counters.barriers,
        }  # fmt: skip


def _waste(count: MemoryCount) -> float:
    return count.sectors * SECTOR / count.bytes


def launch_traffic(source: Source, count: int, module: PtxModule | None = None) -> Iterator[LaunchTraffic]:
    """Yield the traffic of the launches of one call.

    Args:
        source: The generated source.
        count: The number of transforms or elements of each modulus.
        module: The loaded PTX of the source, or None.
    """
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
