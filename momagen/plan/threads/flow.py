"""The steps of a transform on threads, before they are distributed over launches.

A *slot* is an index bit, named by its address bit in the operand. A step replaces each element by another one
with the same slots. Slots above those of one transform number the transforms of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from momagen.kernels.flow.data_flow import butterflies, fold
from momagen.kernels.residues.arith import Arith
from momagen.plan.planners.whole_words import kernel_step
from momagen.plan.schedule.passes import formula_of, step_codelet
from momagen.plan.schedule.types import Bits, Breakdown, Step

Slots = Bits
"""Slots, by the bits that they represent, bit 0 first."""


@dataclass(frozen=True)
class SlotFlow:
    """All steps of a transform.

    Attributes:
        n: The number of elements: points, or points times columns.
        steps: The steps in the order of execution.
        result: The slot of each bit of an address in the result.
    """

    n: int
    steps: Sequence[Step]
    result: Slots


def slot_flow(breakdown: Breakdown, arith: Arith, m_in: int, m_out: int) -> SlotFlow:
    """Return the steps of a broken-down formula.

    Args:
        breakdown: The transform and its breakdown.
        arith: The representation of residues.
        m_in: The inputs are below m_in·q.
        m_out: The results are below m_out·q.
    """
    kernels, gaps = fold(formula_of(breakdown))
    flows = butterflies(kernels, gaps)
    slots, m, steps = tuple(range(len(gaps[0].order))), m_in, list[Step]()
    for at, (flow, gap) in enumerate(zip(flows, gaps, strict=False)):
        slots = tuple(slots[bit] for bit in gap.order)
        own = replace(flow, load=gap.order).named(slots)
        loops = tuple(slot for slot in range(len(slots)) if slot not in own.legs)
        read = tuple(slot for slot in loops if slot in own.read)
        steps.append(kernel_step(own, arith, m, m_out * (at == len(flows) - 1), loops, read))
        m = step_codelet(steps[-1], arith).out[1]
    return SlotFlow(1 << len(slots), steps, tuple(slots[bit] for bit in gaps[-1].order))


def numbered(step: Step, work: Slots) -> Step:
    """Return the step with the entries of its table in the order of work items, so that accesses are coalesced.

    Args:
        step: The step.
        work: The slots of the bits of a work item's number, the lowest first.
    """
    first = {slot: at for at, slot in enumerate(work)}
    bits = tuple(sorted(step.table.bits, key=lambda slot: (first.get(slot, len(first)), slot)))
    return replace(step, table=replace(step.table, bits=bits))
