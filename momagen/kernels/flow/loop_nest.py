"""The shape of a pass: one kernel of a data flow as a scalar or vector loop nest, independent of a language.

The bits of a position are input bits (inside one butterfly), lane bits (inside one vector) and loop bits. A
vector register contains elements that are next to each other in memory, so the lowest address bits of loads
and of stores must be input bits or lane bits. If some of them are input bits, an in-register network moves
the elements into place. Loop bits that are next to one another everywhere form one loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from momagen.formula.transforms import digit_reversal

from .columns import ONE, Columns, Loop, fused
from .data_flow import Butterflies
from .index_bits import Order, moved
from .permutation_network import Wanted

LOOPS = 4
"""The largest number of loops of a nest."""


@dataclass(frozen=True)
class LoopNest:
    """The path of one pass through memory.

    Attributes:
        operand_bits: The index bits that number the butterfly inputs, the lowest bit of that number first.
        lane_bits: The index bits that run along a vector, lane bit 0 first; () if columns do.
        loop_bits: The index bits of the loops, innermost first.
        table_bits: The index bits on which the twiddles depend, the lowest bit of the table's index first. They
            contain all lane bits or none, and the lane bits are first.
        load: The address bit of each index bit when elements are loaded.
        store: The address bit of each index bit when elements are stored.
        late: Whether butterflies are Gentleman–Sande ones, with inputs in bit-reversed order.
        columns: The columns of every index.
    """

    operand_bits: Order
    lane_bits: Order
    loop_bits: Order
    table_bits: Order
    load: Order
    store: Order
    late: bool
    columns: Columns = ONE

    @property
    def radix(self) -> int:
        """The number of inputs of a butterfly."""
        return 1 << len(self.operand_bits)

    @property
    def lanes(self) -> int:
        """The number of lanes."""
        return self.columns.lanes << len(self.lane_bits)

    @property
    def table_lanes(self) -> int:
        """The number of lanes of one table entry."""
        return self.lanes if set(self.lane_bits) & set(self.table_bits) else 1

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The loop nest, outermost first; the loop over columns is the innermost."""
        row, lanes, load, store = self.columns.row, self.columns.lanes, self.load, self.store
        grouped = [b for b in self.table_bits if b in self.loop_bits]
        tables = [1 << grouped.index(b) if b in grouped else 0 for b in self.loop_bits]
        some = zip(self.loop_bits, tables, strict=True)
        bits = [Loop(2, row << load[b], row << store[b], table) for b, table in some]
        return tuple(fused([*[Loop(self.columns.count, lanes, lanes, 0)] * (self.columns.count > 1), *bits])[::-1])

    @cached_property
    def load_places(self) -> Wanted | None:
        """The place of lane λ of the codelet's input i in the loaded registers.

        It is None if each input is one register, in order.
        """
        return self._places(self.load, self.late)

    @cached_property
    def store_places(self) -> Wanted | None:
        """The place of lane λ of the codelet's output i in the stored registers.

        It is None if each output is one register, in order.
        """
        return self._places(self.store, not self.late)

    def _places(self, order: Order, reversed_legs: bool) -> Wanted | None:
        """Return for each input and lane its register and lane, in registers that contain one group in memory order."""
        bits, lanes = (*self.operand_bits, *self.lane_bits), 1 << len(self.lane_bits)
        own = sorted(bits, key=order.__getitem__)
        group = tuple(own.index(b) for b in bits)
        legs = [digit_reversal(i, self.radix) if reversed_legs else i for i in range(self.radix)]
        places = [[divmod(moved(group, leg + lane * self.radix), lanes) for lane in range(lanes)] for leg in legs]
        if self.columns.lanes > 1:
            places = [[(register, lane) for lane in range(self.lanes)] for ((register, _),) in places]
        return None if places == [[(i, lane) for lane in range(self.lanes)] for i in range(self.radix)] else places

    def step(self, order: Order) -> int:
        """Return the number of elements in memory from one register to the next, or 0 if the distances differ."""
        own = sorted(order[b] for b in (*self.operand_bits, *self.lane_bits))
        high = [a for a in own if a >= len(self.lane_bits)]
        return self.columns.row << high[0] if high == list(range(high[0], high[0] + len(high))) else 0

    @property
    def in_place(self) -> bool:
        """Whether an iteration stores to the addresses that it loads, so that the result may overwrite the input."""
        own = (*self.operand_bits, *self.lane_bits)
        same = {self.load[b] for b in own} == {self.store[b] for b in own}
        return same and all(self.load[b] == self.store[b] for b in self.loop_bits)

    @property
    def networks(self) -> int:
        """The number of sides, load and store, that permute lanes."""
        sides = [side for side in (self.load_places, self.store_places) if side is not None]
        return sum(any(lane != at for row in side for at, (_, lane) in enumerate(row)) for side in sides)


def shape_of(flow: Butterflies, lanes: int) -> LoopNest | None:
    """Return the loops of one pass on vectors of ``lanes`` lanes, or None if the order in memory does not allow any."""
    width, bits = lanes.bit_length() - 1, set(range(len(flow.load)))
    needed = {b for b in bits if min(flow.load[b], flow.store[b]) < width} - set(flow.legs)
    spare = sorted(bits - needed - set(flow.legs), key=flow.store.__getitem__)
    if not len(needed) <= width <= len(needed) + len(spare):
        return None
    for more in islice(combinations(spare, width - len(needed)), 64):
        own = tuple(sorted((*needed, *more), key=flow.store.__getitem__))
        outer = tuple(sorted(bits - set(flow.legs) - set(own), key=flow.store.__getitem__))
        read = own * bool(flow.read & {*own}) + tuple(bit for bit in outer if bit in flow.read)
        shape = LoopNest(flow.legs, own, outer, read, flow.load, flow.store, flow.late)
        if shape.step(flow.load) and shape.step(flow.store) and len(shape.loops) <= LOOPS:
            return shape
    return None


def cost(flow: Butterflies, lanes: int) -> int | None:
    """Return the cost of a pass for :func:`route`: first permutation networks, then loops, then reordered registers.

    It is None if the pass is impossible.
    """
    shape = shape_of(flow, lanes)
    if shape is None:
        return None
    renamed = (shape.load_places is not None) + (shape.store_places is not None)
    return 32 * shape.networks + 4 * len(shape.loops) + renamed
