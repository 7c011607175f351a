"""From code on virtual registers to instructions, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.isa.program import Area
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

from .allocate import allocate
from .registers import COUNT, pressure
from .residence import resident
from .schedule import schedule
from .steps import ALL, FORWARDING, PLACEMENT, SCHEDULING, SPILLING, Steps
from .stores import without_dead_stores
from .virtual import Code

SPILL = "spill"
"""The area of values that found no register."""
KEPT, LOOSE = 40, 56
"""Registers in use up to which values stay for loads of what was stored; and for how many code is spilled that is then
scheduled, so that there are some left to begin work early."""


class Compiled(NamedTuple):
    """Instructions, and areas of the vector memory that they need beside those of the code."""

    instructions: list[RpuInstruction]
    areas: dict[str, Area]


def compiled(
    code: Code, design: Design | None, steps: Steps = ALL, *, end: int, scratch: Sequence[Area] = ()
) -> Compiled:
    """The instructions of ``code`` for ``design``, by ``steps``; without a machine in the order of the code.

    Args:
        end: the first word of the vector memory that the code leaves free. scratch: areas that nobody reads afterwards.

    Raises:
        MomagenError: more vectors are alive than there are registers, and none may be spilled, or memory that
            addresses reach does not hold them.
    """
    ops, spilled = code.ops, 0
    loose = bool(design) and SCHEDULING in steps
    many = SPILLING in steps and pressure(ops) > COUNT
    if many or FORWARDING in steps:
        most = (LOOSE if loose else COUNT) if many else max(COUNT, pressure(ops))
        ops, spilled = resident(ops, most, (KEPT if loose else COUNT) * (FORWARDING in steps), end)
    if end + spilled > (reach := 1 << b512().fields["ADDRESS"].bits):
        raise MomagenError(f"code whose data and spilled vectors take at most {reach} words", end + spilled, SPILL)
    areas = {SPILL: Area(end, spilled)} if spilled else {}
    if FORWARDING in steps:
        ops = without_dead_stores(ops, [*scratch, *areas.values()])
    planned = design is not None and steps & {SCHEDULING, PLACEMENT}
    return Compiled(schedule(ops, design, steps) if design and planned else allocate(ops), areas)
