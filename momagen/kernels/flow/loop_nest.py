"""The shape of a pass: one kernel of a data flow as a loop nest, scalar or vector, in no language.

The bits of a position are legs (in one butterfly), lanes (in one vector) and loop bits. A vector register holds
elements that stand side by side in memory, so on either side the lowest address bits must be legs or lanes; where some
are legs, an in-register network puts the elements into place. Loop bits next to one another everywhere are one loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from momagen.formula.transforms import digit_reversal

from .columns import ONE, Columns, Loop, fused
from .data_flow import Butterflies
from .index_bits import Order, Phase, moved
from .permutation_network import Wanted

LOOPS = 4
"""The most loops of a nest."""


@dataclass(frozen=True)
class LoopNest:
    """How one pass runs through memory, found by `shape_of`.

    Attributes:
        flow: what is computed. lane_bits: the position's bits that run along a vector, lane bit 0 first; () where
            columns do. outer: the bits of the loops, innermost first. columns: those of every position.
    """

    flow: Butterflies
    lane_bits: tuple[int, ...]
    outer: tuple[int, ...]
    columns: Columns = ONE

    @property
    def radix(self) -> int:
        return 1 << len(self.flow.legs)

    @property
    def lanes(self) -> int:
        return self.columns.lanes << len(self.lane_bits)

    @cached_property
    def late(self) -> bool:
        """Whether butterflies are Gentleman–Sande's, with bit-reversed legs in: twiddles come after them only; or there
        are none, and legs stand like this."""
        flow = self.flow
        turned = [flow.load[b] for b in flow.legs] == sorted((flow.load[b] for b in flow.legs), reverse=True)
        return not flow.before and (bool(flow.after) or (flow.core.inverse and turned))

    @property
    def heap(self) -> Phase:
        """F of the factor e(l·F(o)) that the butterflies' own twiddles carry."""
        return self.flow.after if self.late else self.flow.before

    @property
    def weights(self) -> Phase:
        """F of the products behind, where there are twiddles on both sides."""
        return {} if self.late else self.flow.after

    @property
    def scaled(self) -> bool:
        """Whether twiddle 0 carries a factor of all legs: 1/n, or a twist."""
        return not self.weights and (self.flow.scaled or bool(self.flow.common))

    @cached_property
    def table_bits(self) -> tuple[int, ...]:
        """The bits that the twiddles depend on, the lowest of the table first: all lanes or none, then loops."""
        read = {b for form in (self.heap, self.weights, self.flow.common) for term in form for b in term}
        return self.lane_bits * bool(read & set(self.lane_bits)) + tuple(b for b in self.outer if b in read)

    @property
    def table_lanes(self) -> int:
        """Lanes of one table entry."""
        return self.lanes if set(self.lane_bits) & set(self.table_bits) else 1

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The loop nest, outermost first; that over columns is the innermost."""
        row, lanes, load, store = self.columns.row, self.columns.lanes, self.flow.load, self.flow.store
        grouped = [b for b in self.table_bits if b in self.outer]
        tables = [1 << grouped.index(b) if b in grouped else 0 for b in self.outer]
        bits = [Loop(2, row << load[b], row << store[b], table) for b, table in zip(self.outer, tables, strict=True)]
        return tuple(fused([*[Loop(self.columns.count, lanes, lanes, 0)] * (self.columns.count > 1), *bits])[::-1])

    @cached_property
    def load_places(self) -> Wanted | None:
        """Where lane λ of the codelet's input i stands in the registers as loaded; None where each is one register."""
        return self._places(self.flow.load, self.late)

    @cached_property
    def store_places(self) -> Wanted | None:
        """Where lane λ of the codelet's output i goes in the registers as stored; None as above."""
        return self._places(self.flow.store, not self.late)

    def _places(self, order: Order, reversed_legs: bool) -> Wanted | None:
        """By codelet leg and lane: register and lane in the registers that hold one group in the order of memory."""
        bits, lanes = (*self.flow.legs, *self.lane_bits), 1 << len(self.lane_bits)
        own = sorted(bits, key=order.__getitem__)
        group = tuple(own.index(b) for b in bits)
        legs = [digit_reversal(i, self.radix) if reversed_legs else i for i in range(self.radix)]
        places = [[divmod(moved(group, leg + lane * self.radix), lanes) for lane in range(lanes)] for leg in legs]
        if self.columns.lanes > 1:
            places = [[(register, lane) for lane in range(self.lanes)] for ((register, _),) in places]
        return None if places == [[(i, lane) for lane in range(self.lanes)] for i in range(self.radix)] else places

    def step(self, order: Order) -> int:
        """Elements from one of these registers to the next, in memory; 0 where the steps are uneven."""
        own = sorted(order[b] for b in (*self.flow.legs, *self.lane_bits))
        high = [a for a in own if a >= len(self.lane_bits)]
        return self.columns.row << high[0] if high == list(range(high[0], high[0] + len(high))) else 0

    @property
    def in_place(self) -> bool:
        """Whether an iteration writes where it read, so that x may be y."""
        own = (*self.flow.legs, *self.lane_bits)
        same = {self.flow.load[b] for b in own} == {self.flow.store[b] for b in own}
        return same and all(self.flow.load[b] == self.flow.store[b] for b in self.outer)

    @property
    def networks(self) -> int:
        """How many of load and store permute lanes."""
        sides = [side for side in (self.load_places, self.store_places) if side is not None]
        return sum(any(lane != at for row in side for at, (_, lane) in enumerate(row)) for side in sides)


def shape_of(flow: Butterflies, lanes: int) -> LoopNest | None:
    """The loops of one pass on vectors of ``lanes``; None where the order in memory does not allow them."""
    width, bits = lanes.bit_length() - 1, set(range(len(flow.load)))
    needed = {b for b in bits if min(flow.load[b], flow.store[b]) < width} - set(flow.legs)
    spare = sorted(bits - needed - set(flow.legs), key=flow.store.__getitem__)
    if not len(needed) <= width <= len(needed) + len(spare):
        return None
    for more in islice(combinations(spare, width - len(needed)), 64):
        own = tuple(sorted((*needed, *more), key=flow.store.__getitem__))
        outer = tuple(sorted(bits - set(flow.legs) - set(own), key=flow.store.__getitem__))
        shape = LoopNest(flow, own, outer)
        if shape.step(flow.load) and shape.step(flow.store) and len(shape.loops) <= LOOPS:
            return shape
    return None


def cost(flow: Butterflies, lanes: int) -> int | None:
    """The cost for `route`: permutation networks first, then loops, then registers in another order."""
    shape = shape_of(flow, lanes)
    if shape is None:
        return None
    renamed = (shape.load_places is not None) + (shape.store_places is not None)
    return 32 * shape.networks + 4 * len(shape.loops) + renamed
