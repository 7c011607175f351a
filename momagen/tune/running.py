"""Candidates that run: samples of the time of machine code, in and out of place, or of a JAX module on its device."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from momagen.bench.measure.clock import Reading, latency
from momagen.bench.measure.fresh import limit_of
from momagen.bench.measure.kernel import (
    Buffers,
    calls_per_sample,
    default_batch,
    not_zero,
    residues,
    timed_call,
    unit,
    units,
)
from momagen.emit.jax.running.tables import ArrayTables
from momagen.kinds.modular.spec import Spec
from momagen.runtime.compiled import Compiled, Plan
from momagen.verify import verify

from .compilers import on_arrays

SAMPLE_NS, PART_NS, TURNS = 1_500_000, 100_000, 5
"""The duration of a sample and of a part in nanoseconds, and the largest number of parts.

A sample is the best of the parts that fit, so that a disturbance of one part does not affect the others.
"""
ARRAY_BYTES = 1 << 18
"""The size of a buffer of arrays in bytes: a call of XLA takes about 20 µs before it begins."""
Part = Callable[[], Reading]
"""The type of a function that times one part of a sample."""


def batch_of(spec: Spec) -> int:
    """Return the number of transforms, products or elements in a call."""
    return default_batch(spec, ARRAY_BYTES) if on_arrays(spec) else default_batch(spec)


def time_unit(spec: Spec) -> str:
    """Return the unit of samples: cycles if the machine's latencies are known, otherwise nanoseconds.

    Samples are times of the calling thread, or wall times if several threads share the work: for kernels with the
    option ``threads``, and for XLA, whose times are in nanoseconds.
    """
    wall = " of wall time" * (spec.threads > 0 or on_arrays(spec))
    return f"{'cycles' if latency() and not on_arrays(spec) else 'ns'}{wall} per {unit(spec)}"


@dataclass(frozen=True)
class TimedKernel:
    """A compiled kernel with its plan.

    Attributes:
        compiled: The loaded library.
    """

    compiled: Compiled

    @property
    def spec(self) -> Spec:
        """The specification of the kernel."""
        return self.compiled.spec

    @cached_property
    def tables(self) -> Plan:
        """The plan for its modulus and root."""
        return self.compiled.plan(self.spec.modulus, self.spec.told_root)


class Running:
    """A candidate that is timed and verified; see :class:`momagen.tune.contest.Entrant`."""

    def __init__(self, compiled: Compiled, given: Buffers) -> None:
        self.kernel, self.spec = TimedKernel(compiled), compiled.spec
        part_of = of_arrays if on_arrays(self.spec) else of_machine_code
        self.part, calls = part_of(self.kernel, given)
        self.turns = max(1, min(TURNS, int(SAMPLE_NS / max(1.0, self.part().ns))))
        self.units = units(self.spec, batch_of(self.spec)) * calls

    def sample(self) -> float:
        """Return the time per unit of the best part, in cycles, or in nanoseconds if cycles are unknown."""
        parts = [self.part() for _ in range(self.turns)]
        return min(part.ns if part.cycles is None else part.cycles for part in parts) / self.units

    def fault(self) -> str:
        """Return the first value that differs from gmpy2's, or ""."""
        report = verify(self.kernel)
        return "" if report.ok else str(report.mismatch)


def of_machine_code(kernel: TimedKernel, given: Buffers) -> tuple[Part, int]:
    """Return a function that times calls out of place and in place, and the number of calls in it."""
    both = [timed_call(kernel, batch_of(kernel.spec), in_place=in_place, given=given) for in_place in (False, True)]
    calls = [(call, calls_per_sample(call, PART_NS)) for call in both]

    def part() -> Reading:
        out, over = (call.time(count) for call, count in calls)
        cycles = None if out.cycles is None or over.cycles is None else out.cycles + over.cycles
        return Reading(out.ns + over.ns, cycles)

    return part, len(calls)


def of_arrays(kernel: TimedKernel, given: Buffers) -> tuple[Part, int]:
    """Return a function that times calls on arrays on the device, and the number of calls in it.

    A first call, which is not timed, compiles the function.
    """
    spec, tables = kernel.spec, cast(ArrayTables, kernel.tables)
    limits = [limit_of(spec, tables.modulus, name) for name in spec.ranges.scalars]
    scalars = [not_zero(residues(spec.row, limit, spec.rows, seed)) for seed, limit in enumerate(limits, 3)]
    x, y, _ = given
    call = tables.waiting(*[*scalars, x, y][: len(spec.ranges.operands)], count=batch_of(spec))
    call()
    count = max(1, round(PART_NS / max(1.0, min(_passed(call, 1) for _ in range(3)))))
    return lambda: Reading(_passed(call, count), None), 1


def _passed(call: Callable[[], object], count: int) -> float:
    """Return the mean wall time of ``count`` calls in nanoseconds."""
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count
