"""What this GPU does, measured: lanes a cycle of its pipes, its clock under load, its copy bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .machine import Machine

SOURCE = Path(__file__).with_name("rates.cu")
THREADS = 1024
"""Of a block, alone on its multiprocessor: of several the oldest runs first, and its clock tells its time alone."""
COPIED = 256
"""Threads of a block of the copy."""
ROUNDS, CHAINS, UNROLL = 200, 8, 32
KERNELS = {"wide_carry": "IMAD.WIDE", "wide_beside": "IMAD.WIDE", "multiply": "IMAD", "add": "IADD3",
           "fp64": "DFMA"}  # fmt: skip
"""Kernels of rates.cu, and the instruction of which each has CHAINS · UNROLL in its loop. wide_beside has as many
IADD3 beside them."""
LANES = {"wide": "wide_carry", "fmaheavy": "multiply", "alu": "add", "fp64": "fp64"}
"""By momagen's name of a pipe or rate, the kernel that measures it."""
SLOTS = 128
"""Lanes that a multiprocessor issues in a cycle: four warps, since sm_70."""


def source() -> str:
    return SOURCE.read_text(encoding="utf-8")


def measured(machine: Machine) -> dict[str, Any]:
    """Lanes a cycle of one multiprocessor, by kernel; GHz while they ran; GB/s of a copy, both ways counted."""
    device = machine.device(source().replace("clock64()", "0ll") if machine.dry else source())
    rounds = 1 if machine.dry else ROUNDS
    blocks = machine.sms
    found: dict[str, Any] = {"lanes": {}}
    clocks = []
    for name in KERNELS:
        out, cycles = device.zeros(THREADS), device.zeros(2)

        def call(name: str = name, out: Any = out, cycles: Any = cycles) -> None:
            device.launch(name, (blocks, 1), THREADS, 0, [out, cycles, rounds])

        if machine.dry:
            call()
            continue
        milliseconds = min(machine.timed(call, 1, 5))
        took = int(device.taken(cycles).view(np.uint64)[0])
        found["lanes"][name] = _lanes(rounds, took)
        clocks.append(_clock(took, milliseconds))
    if not machine.dry:
        found["ghz"] = max(clocks)
    found["copy_gb_s"] = _copy(machine, device)
    return found


def _lanes(rounds: int, cycles: int) -> float:
    """Results a cycle of a multiprocessor."""
    return rounds * CHAINS * UNROLL * THREADS / cycles


def _clock(cycles: int, milliseconds: float) -> float:
    return cycles / milliseconds / 1e6


def lanes_of(found: Mapping[str, Any]) -> dict[str, float]:
    """The measured lanes by momagen's names of pipes, as a floor takes them."""
    return {pipe: found["lanes"][name] for pipe, name in LANES.items()}


def slots_of(found: Mapping[str, Any]) -> dict[str, int]:
    """Issue slots of a wide product: what it takes with an addition beside it, less the slot of the addition.

    Slots are whole; what the loop adds is rounded away.
    """
    return {"wide": max(1, round(SLOTS / found["lanes"]["wide_beside"]) - 1)}


def _copy(machine: Machine, device: Any, size: int = 1 << 30) -> float:
    size = 1 << 14 if machine.dry else min(size, machine.free() // 4)
    count = size // 16
    source, goal = device.zeros(4 * count), device.room(4 * count)

    def call() -> None:
        device.launch("copy", (-(-count // COPIED), 1), COPIED, 0, [goal, source, count])

    return 2 * size / min(machine.timed(call, 1, 10)) / 1e6
