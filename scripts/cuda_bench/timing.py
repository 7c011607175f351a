"""Steady state of one kernel: batches that grow, the least time of all of them, and median and p95 of one.

The paper (Section 5.1) divides the time of a batch by its size and takes the minimum over batch sizes. That is
``minimum``. A median of samples, at a batch whose vectors are four times the second cache, so that no data comes from
it, is ``stated``. Vectors stay on the device; what their transfer would take is in the run's ``transfers``.
"""

from __future__ import annotations

import time
from functools import partial
from statistics import median
from typing import Any

from .checks import residues
from .kernel import BenchKernel, Words32
from .machine import GpuMachine, Machine, quantile

BEYOND = 4
"""How often the stated batch is larger than the second cache."""
MOST = 2 << 30
"""Bytes of all vectors of a batch."""
PART = 0.6
"""Of the free memory."""
SAMPLE, SAMPLES = 3.0, 5
"""Milliseconds that one sample takes at least, and how many a batch size has."""
STATED = 31
"""Samples of the stated batch."""


def measure(kernel: BenchKernel, machine: Machine, seconds: float) -> dict[str, Any]:
    """What a row of the results has: nanoseconds of one transform, or element.

    Batch sizes are powers of four, from one transform or 2^10 elements; the stated batch is always among them where
    memory has it, and where ``seconds`` end the others are left out.
    """
    row, end = kernel.row, time.monotonic() + seconds
    vectors = len(row.operands) - len(row.scalars)
    each = 4 * row.size * (vectors + 1) + 4 * row.room
    most = max(1, int(min(MOST, machine.free() * PART)) // each)
    start = 1 if row.n else min(1 << 10, most)
    stated = min(most, 1 << max(0, (-(-BEYOND * machine.l2 // each) - 1).bit_length()))
    stated = max(stated, start)
    batches = [stated, *(batch for power in range(20) if (batch := start << 2 * power) <= most and batch != stated)]
    words = residues(row.modulus, row.stride, max(row.n, 1 << 12), 7)
    found: dict[int, float] = {}
    told: dict[str, Any] = {}
    for batch in batches:
        if found and time.monotonic() > end:
            break
        samples = _batch(kernel, machine, words, batch, vectors, STATED if batch == stated else SAMPLES)
        machine.release()
        found[batch] = min(samples) / batch * 1e6
        if batch == stated:
            told = {"batch": batch, "median_ns": median(samples) / batch * 1e6,
                    "p95_ns": quantile(samples, 0.95) / batch * 1e6, "samples": len(samples),
                    "bytes": each * batch, "beyond_l2": bool(machine.l2 and each * batch >= BEYOND * machine.l2),
                    }  # fmt: skip
    best = min(found, key=found.__getitem__)
    return {"minimum_ns": found[best], "minimum_batch": best, "stated": told,
            "batches": {str(batch): found[batch] for batch in sorted(found)}}  # fmt: skip


def _batch(
    kernel: BenchKernel, machine: Machine, words: Words32, batch: int, vectors: int, samples: int
) -> list[float]:
    """Milliseconds of so many samples, on ``words`` again and again."""
    row = kernel.row
    times = -(-row.size * batch // len(words))
    given = [machine.tiled(words, times) for _ in range(vectors)]
    result, room = kernel.device.room(row.size * batch), kernel.room(batch)

    def call() -> None:
        kernel.run(result, given, batch, room)

    one = machine.timed(call, 1, 2)[-1]
    repetitions = max(1, min(1000, round(SAMPLE / max(one, 1e-4))))
    return machine.timed(call, repetitions, 1 if machine.dry else samples)


def transfers(machine: GpuMachine, size: int = 1 << 28) -> dict[str, float]:
    """GB/s between pinned memory of the host and the device, each way, by the best of five copies."""
    cupy, stream = machine.cupy, machine.stream
    pinned, there = cupy.cuda.alloc_pinned_memory(size), cupy.empty(size, "u1")
    found = {}
    ways = {"to_device": (there.data.ptr, pinned.ptr, 1), "to_host": (pinned.ptr, there.data.ptr, 2)}
    for name, (to, source, way) in ways.items():
        move = partial(cupy.cuda.runtime.memcpyAsync, to, source, size, way, stream.ptr)
        times = machine.timed(move, 1, 5)
        found[f"{name}_gb_s"] = size / min(times) / 1e6
    return found
