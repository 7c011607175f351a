"""The cycle simulator: a compiled core that models times, registers and ports, but no values."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.errors import build_error
from momagen.rpu.isa.instruction import COMPUTE, RpuInstruction
from momagen.rpu.isa.table import FILES, PIPELINES, b512
from momagen.rpu.machine.costs import held, latency
from momagen.rpu.machine.design import Design
from momagen.runtime import compile_shared

SOURCE = Path(__file__).with_name("cycles.c")
READS, WRITES = 4, 2
MOST_WORDS = b512().machine["vdm_bytes"] // 16
"""The number of words of the vector memory."""
Times = NDArray[np.int64]


@dataclass(frozen=True)
class CycleCount:
    """The cycles of one run.

    Attributes:
        design: The machine.
        cycles: The cycle of the last result.
        dispatched: The cycle in which each instruction left the front end.
        started: The cycle in which each instruction began to read.
        ended: The cycle in which each instruction had written all results.
        holds: The number of cycles for which each instruction occupied its pipeline, without port conflicts.
    """

    design: Design
    cycles: int
    dispatched: Times
    started: Times
    ended: Times
    holds: NDArray[np.int32]

    @property
    def microseconds(self) -> float:
        """The duration of the run in microseconds."""
        return self.cycles / self.design.clock / 1e3


class _Machine(ctypes.Structure):
    """The struct of the machine in cycles.c."""

    _fields_ = [(name, ctypes.c_int32) for name in ("vectors", "stacked", "dispatch", "queue", "share", "late")] + [
        ("interval", ctypes.c_int32 * len(PIPELINES))
    ]


@functools.cache
def _core() -> ctypes.CDLL:
    """Return the compiled core."""
    path = compile_shared(SOURCE.read_text(encoding="utf-8"), name="rpu_cycles", flags=["-std=c99"])
    library = ctypes.CDLL(str(path))
    library.rpu_cycles.restype = ctypes.c_int64
    library.rpu_cycles.argtypes = [ctypes.c_void_p, ctypes.c_int32, *[ctypes.c_void_p] * 8]
    return library


def count_cycles(
    program: Sequence[RpuInstruction], design: Design, sdm: Mapping[int, Sequence[int]] | None = None
) -> CycleCount:
    """Simulate ``program`` on ``design``.

    Args:
        program: The instructions.
        design: The machine.
        sdm: The contents of the scalar memory by address, from which address registers are loaded; unknown words are 0.

    Raises:
        MomagenError: The program does not end, because instructions wait for one another.
    """
    count = len(program)
    pipeline = np.array([PIPELINES.index(each.opcode.pipeline) for each in program], np.int8)
    bases = _bases(program, sdm or {})
    holds = np.array([held(each, design, base) for each, base in zip(program, bases, strict=True)], np.int32)
    latencies = np.array([latency(each, design) for each in program], np.int32)
    reads, writes = (np.full((count, most), -1, np.int16) for most in (READS, WRITES))
    for at, each in enumerate(program):
        for rows, registers in ((reads, set(each.reads)), (writes, each.writes)):
            for place, (file, number) in enumerate(sorted(registers)):
                rows[at, place] = FILES.index(file) * b512().machine["registers"] + number
    dispatched, started, ended = (np.zeros(count, np.int64) for _ in range(3))
    intervals = [design.interval if each == COMPUTE else 1 for each in PIPELINES]
    machine = _Machine(b512().machine["registers"], design.stacked, design.dispatch, design.queue, design.share,
                       design.late, (ctypes.c_int32 * len(PIPELINES))(*intervals))  # fmt: skip
    arrays: list[NDArray[Any]] = [pipeline, holds, latencies, reads, writes, dispatched, started, ended]
    cycles = _core().rpu_cycles(ctypes.addressof(machine), count, *(each.ctypes.data for each in arrays))
    if cycles < 0:
        raise build_error("the program deadlocks, because instructions wait for one another", design.name)
    return CycleCount(design, cycles, dispatched, started, ended, holds)


def _bases(program: Sequence[RpuInstruction], sdm: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yield the value of the address register of each instruction; no instruction writes the scalar memory."""
    held_by, words = dict[int, int](), {begin + at: each for begin, some in sdm.items() for at, each in enumerate(some)}
    for each in program:
        if each.opcode.name == "aload":
            held_by[each["AT"]] = words.get(each["ADDRESS"], 0) % MOST_WORDS
        yield held_by.get(each["RA"], 0)
