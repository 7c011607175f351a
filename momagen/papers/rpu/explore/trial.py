"""One transform that is scheduled for one machine, with its cycles on this machine and on modified ones."""

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
    """A request to generate a negacyclic transform and to count its cycles.

    Attributes:
        label: The name of the trial.
        design: The design for which the transform is scheduled.
        n: The number of points.
        flow: The name of the data flow.
        schedule: The name of the schedule.
        also: Changes of the design. The same program is counted on each changed design.

    Raises:
        MomagenError: The schedule or data flow is unknown, or the number of points is not supported.
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
        """Return the trial as plain data, from which :meth:`of` restores it in another process."""
        return asdict(self)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RpuTrial:
        """Return the trial from the result of :meth:`to_dict`."""
        return cls(**{**row, "design": Design(**row["design"])})


@dataclass(frozen=True)
class Outcome:
    """The result of a trial.

    Attributes:
        cycles: The cycles on its design.
        microseconds: The time on its design.
        joules: The energy by part in microjoules, by the energy model.
        also: The cycles on the changed designs.
        instructions: The number of instructions of each pipeline.
        waits: For each pipeline the cycles for which the front end waited to dispatch an instruction to it.
    """

    cycles: int
    microseconds: float
    joules: Mapping[str, float]
    also: list[int] = field(default_factory=list)
    instructions: Mapping[str, int] = field(default_factory=dict)
    waits: Mapping[str, int] = field(default_factory=dict)

    @property
    def microjoules(self) -> float:
        """The total energy in microjoules."""
        return sum(self.joules.values())


def run_trial(trial: RpuTrial) -> Outcome:
    """Generate and count the transform of a trial, and return the result."""
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
    """Return the transform before it is scheduled, which all machines share."""
    return transform_code(shape)


def _waits(program: Sequence[RpuInstruction], found: CycleCount) -> dict[str, int]:
    """Return the cycles for which each pipeline's instructions waited after the front end was ready for them."""
    waits, ready = dict.fromkeys(PIPELINES, 0), 0
    for each, at in zip(program, found.dispatched.tolist(), strict=True):
        waits[each.opcode.pipeline] += at - ready
        ready = at + found.design.dispatch
    return waits
