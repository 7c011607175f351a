"""The steps of the back end, from code on virtual registers to instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.errors import build_error
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
from .timing import expected
from .virtual import Code, VirtualOp

SPILL = "spill"
"""The name of the area of spilled values."""
KEPT, LOOSE = 32, 48
"""Two limits for code that is scheduled afterwards. Stored values stay in registers for later loads while at
most ``KEPT`` registers are in use. Code that needs too many registers is spilled until ``LOOSE`` are in
use; the scheduler uses the other ones to start work early. Both were found by a search on transforms of 1K
to 64K points."""
WORTH = 0.1
"""The smallest fraction of loads and stores for whose removal both versions of the code are compared."""


@dataclass(frozen=True)
class MemoryFrame:
    """The vector memory around some code.

    Attributes:
        end: The first word that the code leaves free.
        scratch: The areas that nothing reads after the code.
    """

    end: int
    scratch: Sequence[Area] = ()


class CompiledCode(NamedTuple):
    """Instructions, and the areas of the vector memory that they need in addition to the code's areas."""

    instructions: list[RpuInstruction]
    areas: dict[str, Area]


@dataclass(frozen=True)
class _Fitted:
    """Code that fits the registers if the steps allow this, and the areas that it needs."""

    ops: list[VirtualOp]
    areas: dict[str, Area] = field(default_factory=dict)


def compiled(code: Code, frame: MemoryFrame, design: Design | None, steps: Steps = ALL) -> CompiledCode:
    """Return the instructions of ``code`` for ``design`` after ``steps``.

    Without a design the instructions keep the order of the code. If forwarding replaces enough loads of
    stored values by registers, the model of the machine decides whether to use it: values that stay in
    registers leave fewer registers for starting other work early.

    Raises:
        MomagenError: More vectors are live than there are registers, and spilling is off; or the data need
            more words than the vector memory addresses.
    """
    if design is None or not steps & {SCHEDULING, PLACEMENT}:
        fitted = _fitted(code.ops, frame, steps, COUNT, COUNT)
        return CompiledCode(allocate(fitted.ops), fitted.areas)
    limits = (LOOSE, KEPT) if SCHEDULING in steps else (COUNT, COUNT)
    tried = [_fitted(code.ops, frame, each, *limits) for each in (steps - {FORWARDING}, steps)]
    plain, forwarded = (sum(op.place is not None for op in each.ops) for each in tried)
    if forwarded > (1 - WORTH) * plain:
        tried.pop()
    found = [CompiledCode(schedule(each.ops, design, steps), each.areas) for each in tried]
    return min(found, key=lambda each: expected(each.instructions, design)) if len(found) > 1 else found[0]


def _fitted(ops: list[VirtualOp], frame: MemoryFrame, steps: Steps, most: int, kept: int) -> _Fitted:
    """Return the code after spilling and store-to-load forwarding, as far as ``steps`` contain them.

    Args:
        ops: The code.
        frame: The vector memory around it.
        steps: The steps.
        most: The number of registers to which code that needs too many is spilled.
        kept: The number of registers in use up to which stored values stay in registers.

    Raises:
        MomagenError: The data need more words than the vector memory addresses.
    """
    needed = pressure(ops)
    spills, forwards = SPILLING in steps and needed > COUNT, FORWARDING in steps
    if not spills and not forwards:
        return _Fitted(ops)
    made, spilled = resident(ops, most if spills else max(COUNT, needed), kept if forwards else 0, frame.end)
    if frame.end + spilled > (reach := 1 << b512().fields["ADDRESS"].bits):
        problem = f"data and spilled vectors need {frame.end + spilled} words, and the vector memory has {reach}"
        raise build_error(problem, "program", "use fewer points or moduli, or a smaller batch")
    areas = {SPILL: Area(frame.end, spilled)} if spilled else {}
    return _Fitted(without_dead_stores(made, [*frame.scratch, *areas.values()]) if forwards else made, areas)
