"""One transform, scheduled for one machine and counted on it, and on machines that differ a little."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from momagen.errors import MomagenError, among
from momagen.papers.rpu.model.energy import energy
from momagen.rpu.backend.compile import compiled
from momagen.rpu.backend.steps import SCHEDULES
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.isa.table import PIPELINES
from momagen.rpu.machine.design import Design
from momagen.rpu.programs.flow import FLOWS
from momagen.rpu.programs.layout import ProgramLayout
from momagen.rpu.programs.transform import LEAST, MOST, TransformShape
from momagen.rpu.programs.writer import transform_code
from momagen.simulate.cycles import CycleCount, count_cycles


@dataclass(frozen=True)
class RpuTrial:
    """What to generate and count: a negacyclic transform of n points by ``flow``, scheduled for ``design``.

    Attributes:
        label: names it. also: changes of the design; the same program is counted on each.
    """

    label: str
    design: Design
    n: int
    flow: str
    schedule: str
    also: Sequence[Mapping[str, int]] = ()

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise among("one of the schedules", SCHEDULES, self.schedule, "--schedule")
        if not LEAST <= self.n <= MOST or self.n & self.n - 1:
            raise MomagenError(f"a power of two from {LEAST} to {MOST}", self.n, "n")
        if self.flow not in FLOWS:
            raise among("one of the data flows", FLOWS, self.flow, "--flow")

    def to_dict(self) -> dict[str, Any]:
        """For another process."""
        return asdict(self)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RpuTrial:
        """From :meth:`to_dict`."""
        return cls(**{**row, "design": Design(**row["design"])})


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    Attributes:
        cycles, microseconds: on its design. also: cycles on the changed ones. joules: microjoules by part, of
            the energy model.
        instructions, waits: per pipeline, how many there are, and for how many cycles the front end, ready for one,
            waited to dispatch it.
    """

    cycles: int
    microseconds: float
    joules: Mapping[str, float]
    also: list[int] = field(default_factory=list)
    instructions: Mapping[str, int] = field(default_factory=dict)
    waits: Mapping[str, int] = field(default_factory=dict)

    @property
    def microjoules(self) -> float:
        """In all."""
        return sum(self.joules.values())


def run_trial(trial: RpuTrial) -> Outcome:
    """Generate and count."""
    design, shape = trial.design, TransformShape(trial.n, True, flow=trial.flow)
    code, layout = _written(shape)
    made = compiled(code, layout.frame("room"), design, SCHEDULES[trial.schedule])
    program = layout.kernel(made, shape.order).instructions
    found = count_cycles(program, design)
    also = [count_cycles(program, design.having(**change)).cycles for change in trial.also]
    counts = Counter(each.opcode.pipeline for each in program)
    return Outcome(found.cycles, found.microseconds, energy(program), also,
                   {name: counts[name] for name in PIPELINES}, _waits(program, found))  # fmt: skip


@functools.lru_cache(maxsize=8)
def _written(shape: TransformShape) -> tuple[Code, ProgramLayout]:
    """Return the transform before it is scheduled, which machines share."""
    return transform_code(shape)


def _waits(program: Sequence[RpuInstruction], found: CycleCount) -> dict[str, int]:
    """Behind the cycle after the instruction before it."""
    waits, ready = dict.fromkeys(PIPELINES, 0), 0
    for each, at in zip(program, found.dispatched.tolist(), strict=True):
        waits[each.opcode.pipeline] += at - ready
        ready = at + found.design.dispatch
    return waits
