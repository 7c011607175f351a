"""Candidates of the tuner: generated, identified by their code, compiled, timed in and out of place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from momagen.bench.measure.clock import Reading, TimedCall
from momagen.bench.measure.kernel import Buffers, buffers, calls_per_sample, default_batch, timed_call, units
from momagen.build import Compiler
from momagen.build.call import compile_kernel
from momagen.build.compiled import Compiled, Plan
from momagen.emit import Source, generate
from momagen.kernels.spec.make_spec import with_options
from momagen.kernels.spec.spec import Spec
from momagen.verify import verify

from .space import TriedOptions, matters

SAMPLE_NS, PART_NS, TURNS = 1_500_000, 100_000, 5
"""Of a sample, which is the best of as many repetitions as fit: a disturbance of one leaves another unharmed."""


@dataclass(frozen=True)
class Workshop:
    """Makes one kernel in many ways; ``compilers`` by name, the usual one under ""."""

    spec: Spec
    compilers: Mapping[str, Compiler]

    @cached_property
    def buffers(self) -> Buffers:
        """The same for all candidates: where memory lies makes up to 3 % between two runs of one kernel."""
        return buffers(self.spec, self.spec.modulus, default_batch(self.spec))

    def draft(self, choice: TriedOptions) -> Drafted:
        """The kernel as ``choice`` would have it.

        Raises:
            MomagenError: there is no such kernel.
        """
        chosen = with_options(self.spec, choice.options)
        return Drafted(generate(chosen), self.compilers[choice.compiler], self.buffers)


@dataclass(frozen=True)
class Drafted:
    """A generated kernel and its compiler; a :class:`momagen.tune.search.Draft`."""

    source: Source
    compiler: Compiler
    buffers: Buffers

    @property
    def code(self) -> str:
        """The C text below its first comment, which names the options; and the compiler."""
        return f"{self.compiler}\n{self.source.source.partition('*/')[2]}"

    def matters(self, axis: str) -> bool:
        """Whether the axis can change this kernel."""
        return matters(axis, self.source.spec)

    def build(self, seconds: float | None) -> Running:
        """The kernel, compiled within ``seconds``."""
        return Running(compile_kernel(self.source, self.compiler, seconds), self.buffers)


class Running:
    """A compiled kernel with its plan and its two calls; a :class:`momagen.tune.contest.Entrant`."""

    def __init__(self, compiled: Compiled, given: Buffers) -> None:
        self.compiled, self.spec = compiled, compiled.spec
        self.tables: Plan = compiled.plan(self.spec.modulus, self.spec.told_root)
        batch = default_batch(self.spec)
        calls = [timed_call(self, batch, in_place=in_place, given=given) for in_place in (False, True)]
        self.calls: list[tuple[TimedCall, int]] = [(call, calls_per_sample(call, PART_NS)) for call in calls]
        self.turns = max(1, min(TURNS, int(SAMPLE_NS / max(1.0, self._pair().ns))))
        self.units = units(self.spec, batch) * len(calls)

    def sample(self) -> float:
        """Cycles, or nanoseconds where those are unknown, per unit, of the best turn: out of place and in place."""
        pairs = [self._pair() for _ in range(self.turns)]
        return min(pair.ns if pair.cycles is None else pair.cycles for pair in pairs) / self.units

    def _pair(self) -> Reading:
        """Both calls, one after the other."""
        out, over = (call.time(count) for call, count in self.calls)
        cycles = None if out.cycles is None or over.cycles is None else out.cycles + over.cycles
        return Reading(out.ns + over.ns, cycles)

    def fault(self) -> str:
        """The first value that gmpy2 disagrees with; "" where there is none."""
        report = verify(self)
        return "" if report.ok else str(report.mismatch)
