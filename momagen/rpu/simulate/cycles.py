"""How many cycles a program takes, by a compiled core that knows nothing but times, registers and ports."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.build import compile_shared
from momagen.errors import MomagenError
from momagen.rpu.isa.instruction import COMPUTE, LOAD_STORE, SHUFFLE, RpuInstruction
from momagen.rpu.isa.table import FILES, PIPELINES, b512

from .design import Design
from .memory import LANES, places

SOURCE = Path(__file__).with_name("cycles.c")
READS, WRITES = 4, 2
ADDRESSES = (b512().machine["vdm_bytes"] // 16).bit_length()
"""Bits of an address of the vector memory."""
Times = NDArray[np.int64]


@dataclass(frozen=True)
class CycleCount:
    """A run.

    Attributes:
        cycles: until the last result. dispatched, started, ended: when each instruction left the front end, began to
            read, and had written all. holds: how many cycles it held its pipeline without conflicts of ports.
    """

    design: Design
    cycles: int
    dispatched: Times
    started: Times
    ended: Times
    holds: NDArray[np.int32]

    @property
    def microseconds(self) -> float:
        return self.cycles / self.design.clock / 1e3


class _Machine(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("vectors", "stacked", "dispatch", "queue", "share", "late")] + [
        ("interval", ctypes.c_int32 * len(PIPELINES))
    ]


@functools.cache
def _core() -> ctypes.CDLL:
    path = compile_shared(SOURCE.read_text(encoding="utf-8"), name="rpu_cycles", flags=["-std=c99"])
    library = ctypes.CDLL(str(path))
    library.rpu_cycles.restype = ctypes.c_int64
    library.rpu_cycles.argtypes = [ctypes.c_void_p, ctypes.c_int32, *[ctypes.c_void_p] * 8]
    return library


def count_cycles(program: Sequence[RpuInstruction], design: Design) -> CycleCount:
    """Simulate ``program`` on ``design``. Address registers are taken to be 0, as far as banks go.

    Raises:
        MomagenError: nothing goes on any more: the program waits for itself.
    """
    count = len(program)
    pipeline = np.array([PIPELINES.index(each.opcode.pipeline) for each in program], np.int8)
    holds = np.array([held(each, design) for each in program], np.int32)
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
        raise MomagenError("a program that ends", "instructions that wait for one another", design.name)
    return CycleCount(design, cycles, dispatched, started, ended, holds)


def latency(given: RpuInstruction, design: Design) -> int:
    """Cycles from the first operand to the first result: of a compute instruction those of its units, one behind the
    other."""
    if given.opcode.pipeline == SHUFFLE:
        return design.shuffle
    if given.opcode.pipeline == LOAD_STORE:
        return design.load_store
    return sum({"add": design.add, "multiply": design.multiply}[unit] for unit in given.opcode.operations)


def held(given: RpuInstruction, design: Design) -> int:
    """Cycles that an instruction holds its pipeline, conflicts of ports apart."""
    if given.opcode.pipeline != LOAD_STORE:
        return -(-LANES // design.hples) * (design.interval if given.opcode.pipeline == COMPUTE else 1)
    if "v" not in dict((*given.writes, *given.reads)) or given.opcode.name == "vbroadcast":
        return 1 if "v" not in dict(given.writes) else -(-LANES // design.hples)
    return bank_cycles(given["ADDRESS"], given["MODE"], given["VALUE"], design.banks, design.hples, design.hash)


@functools.lru_cache(maxsize=1 << 16)
def bank_cycles(address: int, mode: int, value: int, banks: int, hples: int, mapping: str) -> int:
    """Cycles that 512 words take: of as many as go at a time, the bank that most of them ask for sets the pace. A word
    that several lanes ask for is read once."""
    words = address + places(mode, value)
    group, bits = min(hples, banks), banks.bit_length() - 1
    chosen = words % banks
    if mapping == "xor":
        for shift in range(bits, ADDRESSES, max(bits, 1)):
            chosen ^= (words >> shift) % banks
    total = 0
    for begin in range(0, LANES, group):
        pairs = {*zip(words[begin : begin + group].tolist(), chosen[begin : begin + group].tolist(), strict=True)}
        total += int(np.bincount([bank for _, bank in pairs]).max())
    return total
