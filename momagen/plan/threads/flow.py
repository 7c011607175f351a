"""A data flow in terms of slots: the address bits of an element in the operand, wherever the element is stored later.

A *slot* is one bit of that address. A pass replaces each element by another one with the same slots, so that
a permutation between passes only changes which slot is which bit of the position. Slots above those of one
transform number the transforms of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from momagen.formula.expression import Formula
from momagen.kernels.flow.columns import ONE
from momagen.kernels.flow.data_flow import butterflies, fold
from momagen.kernels.flow.layouts import USER
from momagen.kernels.flow.loop_nest import LoopNest
from momagen.kernels.flow.ntt_flow import Pass, range_class, shared_codelet
from momagen.kernels.residues.arith import Arith

Slots = tuple[int, ...]
"""Slots, by the bits that they represent, bit 0 first."""


@dataclass(frozen=True)
class SlotPass:
    """A pass.

    Attributes:
        done: The pass with its codelet and twiddles.
        slots: The slot of each bit of the position.
    """

    done: Pass
    slots: Slots

    @property
    def legs(self) -> Slots:
        """The slots of the butterfly inputs, bit 0 of their number first."""
        return tuple(self.slots[bit] for bit in self.done.flow.legs)

    @property
    def table(self) -> Slots:
        """The slots that number the entries of the table, the lowest bit first."""
        return tuple(self.slots[bit] for bit in self.done.table_bits)

    @property
    def width(self) -> int:
        """The number of levels."""
        return len(self.done.flow.legs)

    def numbered(self, work: Slots) -> SlotPass:
        """Return the pass with the entries of its table in the order of work items, so that accesses are coalesced.

        Args:
            work: The slots of the bits of a work item's number, the lowest first.
        """
        first = {slot: at for at, slot in enumerate(work)}
        outer = sorted(self.done.outer, key=lambda bit: (first.get(self.slots[bit], len(first)), self.slots[bit]))
        return replace(self, done=replace(self.done, outer=tuple(outer)))


@dataclass(frozen=True)
class SlotFlow:
    """All passes of a transform.

    Attributes:
        n: The number of elements: points, or points times columns.
        passes: The passes in the order of execution.
        result: The slot of each bit of an address in the result.
    """

    n: int
    passes: Sequence[SlotPass]
    result: Slots


def slot_flow(arith: Arith, formula: Formula, m_in: int, m_out: int) -> SlotFlow:
    """Return the passes of an expanded formula.

    Args:
        arith: The representation of residues.
        formula: The formula.
        m_in: The inputs are below m_in·q.
        m_out: The results are below m_out·q.
    """
    kernels, gaps = fold(formula)
    steps = butterflies(kernels, gaps)
    bits, m = len(gaps[0].order), m_in
    slots: Slots = tuple(range(bits))
    passes = list[SlotPass]()
    for at, (step, gap) in enumerate(zip(steps, gaps, strict=False)):
        slots = tuple(slots[bit] for bit in gap.order)
        placed = replace(step, load=gap.order)
        rest = sorted((bit for bit in range(bits) if bit not in step.legs), key=slots.__getitem__)
        nest = LoopNest(placed, (), tuple(rest))
        reach = range_class(arith, m, nest.radix, nest.late)
        most = m_out if at == len(steps) - 1 else 0
        made = shared_codelet(arith, nest.radix, reach, most, nest.scaled, bool(nest.weights), back=nest.late)
        m = made.out[1]
        entry = arith.twiddle_words
        one = Pass(placed, (), tuple(rest), ONE, codelet=made, entry=entry, load=USER, store=USER)
        passes.append(SlotPass(one, slots))
    return SlotFlow(1 << bits, passes, tuple(slots[bit] for bit in gaps[-1].order))
