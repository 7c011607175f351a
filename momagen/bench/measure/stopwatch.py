"""A check of the timer on a kernel that branches on its data.

A sum whose modular reduction is a branch is timed as kernels are. Its time is compared with the time of the
same sum on so long a ring of vectors that no branch predictor can learn it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial

import numpy as np

from momagen.bench.report.figure import Figure, spread_figure
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import compile_shared, load

from .clock import Reading, TimedCall, make_call
from .fresh import CHAINED, REFILLED, SAME, drawn_vectors
from .kernel import buffers, residues
from .sample import interleave, ratio

SECTION = "stopwatch"
OFF = 0.1
"""The threshold: the largest relative error of a time."""
LENGTH, RING, CALLS = 1024, 256, 200
"""The number of elements of a vector, of pairs of vectors in the ring (4 MiB), and of calls in a sample."""
ROUNDS = 101
WAYS = {"the same operands again": SAME, "chained operands": CHAINED, "refilled operands": REFILLED}
SOURCE = """
#include <stddef.h>
#include <stdint.h>

typedef struct { uint64_t q, length, pairs; const uint64_t *x, *y; } plan;

void sum(const plan *p, uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t t = x[i] + y[i];
        if (t >= p->q) { __asm__ volatile(""); t -= p->q; } /* a branch: no compiler may make a selection of it */
        z[i] = t;
    }
}

void ring(uint64_t *z, const plan *p)
{
    for (uint64_t i = 0; i < p->pairs; i++) sum(p, z, p->x + i * p->length, p->y + i * p->length, p->length);
}
"""


class TimerPlan(ctypes.Structure):
    """The structure ``plan`` of ``SOURCE``."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("q", "length", "pairs")]
    _fields_ += [(name, ctypes.c_void_p) for name in ("x", "y")]


def stopwatch(repetitions: int, seconds: float) -> Iterator[Figure]:
    """Yield the figures of the section: the time with each origin of operands, divided by the time on the ring."""
    runs = {name: partial(_sample, *each) for name, each in contestants().items()}
    found = interleave(runs, repetitions=min(repetitions, ROUNDS), seconds=seconds)
    times = {name: [reading.ns for reading in readings] for name, readings in found.items()}
    for name in WAYS:
        over = ratio(times[name], times["ring"])
        yield spread_figure(SECTION, f"branchy sum, {name} / a ring of {RING} vectors", over)
        if name != "the same operands again":
            yield Figure(SECTION, f"{name}: relative error", abs(over.median - 1), limit=OFF, samples=over.count)


def _sample(call: TimedCall, calls: int, units: int) -> Reading:
    return call.time(calls) / units


def contestants() -> dict[str, tuple[TimedCall, int, int]]:
    """Return the timed calls by name: one for each origin of operands, and the ring.

    Returns:
        For each name, the call, the number of calls in a sample, and the number of elements in a call.
    """
    spec = make_spec("vadd", bits=64)
    library, q = load(compile_shared(SOURCE, name="branchy", flags=["-std=gnu99"])), spec.modulus
    x, y = (residues(1, q, LENGTH * RING, seed) for seed in (1, 2))
    plan = TimerPlan(q, LENGTH, RING, x.ctypes.data, y.ctypes.data)
    address, keep = ctypes.addressof(plan), (library, plan, x, y)
    drawn = {"vectors": 2, "size": LENGTH, "seed": 5, **vars(drawn_vectors(spec, q))}
    found = {}
    for name, fresh in WAYS.items():
        a, b, z = buffers(spec, q, LENGTH)
        renewal = {**drawn, "fresh": fresh}
        call = make_call("pair", library.sum, address, z=z, x=a, y=b, count=LENGTH, keep=keep, renewal=renewal)
        found[name] = (call, CALLS, LENGTH)
    ring = make_call("in_place", library.ring, address, z=np.zeros(LENGTH, np.uint64), keep=keep)
    return {**found, "ring": (ring, 1, LENGTH * RING)}
