"""A data flow by slots: which bit of the index each pass has in its legs, wherever its elements stand.

A *slot* is a bit of the address in the operand. A pass replaces an element by another, which keeps its slots, so a
permutation between passes only says which slot is which bit of a position. Bits above those of one transform number
the transforms of a batch.
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


@dataclass(frozen=True)
class SlotPass:
    """One pass. ``slots``: by bit of its position. ``done``: its codelet and twiddles."""

    done: Pass
    slots: Slots

    @property
    def legs(self) -> Slots:
        """The slots of its legs, leg bit 0 first."""
        return tuple(self.slots[bit] for bit in self.done.flow.legs)

    @property
    def table(self) -> Slots:
        """The slots that number the entries of its table, the lowest bit first."""
        return tuple(self.slots[bit] for bit in self.done.table_bits)

    @property
    def width(self) -> int:
        return len(self.done.flow.legs)

    def numbered(self, work: Slots) -> SlotPass:
        """The pass with the entries of its table in the order of ``work``: neighbouring threads read neighbours."""
        first = {slot: at for at, slot in enumerate(work)}
        outer = sorted(self.done.outer, key=lambda bit: (first.get(self.slots[bit], len(first)), self.slots[bit]))
        return replace(self, done=replace(self.done, outer=tuple(outer)))


@dataclass(frozen=True)
class SlotFlow:
    """All passes. ``result``: the slot that is bit b of an address in the result."""

    n: int
    passes: Sequence[SlotPass]
    result: Slots


def slot_flow(arith: Arith, formula: Formula, m_in: int, m_out: int) -> SlotFlow:
    """The passes of an expanded ``formula``, from values below m_in·q to values below m_out·q."""
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
