"""Buffers that a plan keeps for later calls, which take and leave them by atomic exchanges.

A pointer in a plan that is NULL after ``create`` may be changed by concurrent calls of ``execute``, but only by atomic
exchanges. The prover keeps this invariant: the pointer is NULL, or refers to an allocation of one size and layout that
no call uses. An exchange is proven for every state that satisfies it: it returns NULL, or an allocation of this layout
with unknown contents. What the call puts in its place must be NULL or an allocation of this layout, which the call must
not use afterwards. By induction over the exchanges of all calls in the order in which they happen, the invariant holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Null, Pointer
from momagen.prove.c.system.aligned import ARRAY, HEADER, START, Aligned, as_array, header_of
from momagen.prove.c.types import Byte, Integer
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.machine import Machine
    from momagen.prove.c.memory import Block

EXCHANGE = "__atomic_exchange_n"
ORDERS = {"__ATOMIC_RELAXED": 0, "__ATOMIC_CONSUME": 1, "__ATOMIC_ACQUIRE": 2, "__ATOMIC_RELEASE": 3,
          "__ATOMIC_ACQ_REL": 4, "__ATOMIC_SEQ_CST": 5}  # fmt: skip
"""The memory orders, with the values that gcc and clang define."""
ACQUIRES = {ORDERS[f"__ATOMIC_{name}"] for name in ("ACQUIRE", "ACQ_REL", "SEQ_CST")}
"""The orders after which a call sees what the previous user of a buffer stored there, so that no stores race."""
RELEASES = {ORDERS[f"__ATOMIC_{name}"] for name in ("RELEASE", "ACQ_REL", "SEQ_CST")}
"""The orders before which a call's own accesses to a buffer happen."""


@dataclass(frozen=True)
class Layout:
    """The layout of an allocation that a plan keeps.

    Attributes:
        size: The number of its bytes.
        grain: The alignment of the array inside it.
        of: The type of the array's elements.
    """

    size: int
    grain: int
    of: Integer


@dataclass(eq=False)
class Kept:
    """A pointer in a plan, which calls exchange.

    Attributes:
        layout: The layout of the allocations that calls leave; None if no call has left one.
    """

    layout: Layout | None = None

    def leave(self, pointer: Any, machine: Machine) -> None:
        """Leave an allocation to the plan, after which the call must not use it.

        Raises:
            ProofError: It is not the start of an allocation of the call, or calls leave different layouts.
        """
        layout, block = _layout_of(pointer)
        if self.layout not in (None, layout):
            raise ProofError("calls leave buffers of different lengths to the plan")
        self.layout = layout
        block.is_allocated = False
        for part in (block, *block.cells.values()):
            part.end(machine.words)

    def taken(self, machine: Machine) -> Pointer:
        """Return the start of an allocation that another call left, and of whose contents nothing is known.

        Raises:
            ProofError: No call has left one, so that its layout is not known.
        """
        if self.layout is None:
            raise ProofError("a buffer is taken from the plan before a call is known to leave one")
        block = machine.new_array("a buffer of the plan", Byte(), self.layout.size, is_allocated=True)
        at = Aligned(block, self.layout.grain)
        header_of(at, machine.new_array).store(START, Pointer(block, START), machine.facts)
        return as_array(at, self.layout.of, machine.new_array)


def _layout_of(pointer: Any) -> tuple[Layout, Block]:
    """Return the layout of the allocation of an aligned array, and the allocation."""
    if not isinstance(pointer, Pointer) or pointer.offset.polynomial:
        raise ProofError("what a call leaves to the plan is not the start of an aligned array")
    array, at = pointer.block, pointer.block.aligned
    if not isinstance(at, Aligned) or at.block.cells.get(ARRAY) is not array:
        raise ProofError("what a call leaves to the plan is not the start of an aligned array")
    if not at.block.is_allocated or not at.block.is_writable:
        raise ProofError("a call leaves memory to the plan that it has not allocated or taken")
    start = at.block.cells[HEADER].cells.get(frozenset()) if HEADER in at.block.cells else None
    if not isinstance(start, Pointer) or start.block is not at.block or start.offset.polynomial:
        raise ProofError("a buffer that a call leaves to the plan does not keep the start of its allocation")
    return Layout(at.block.size.low, at.grain, array.of), at.block


def exchange(machine: Machine, place: Any, value: Any, order: Any) -> Any:
    """Exchange a pointer that a plan keeps with NULL or a buffer of the call, and return NULL or another buffer.

    Raises:
        ProofError: The pointer is none that a plan keeps, or the order of memory accesses is too weak.
    """
    block = place.block if isinstance(place, Pointer) and not place.offset.polynomial else None
    kept = block.cells.get(frozenset()) if block is not None else None
    if block is None or not isinstance(kept, Kept):
        raise ProofError("an atomic exchange changes something else than a pointer that create leaves NULL")
    number, value = machine.number(order), machine.convert(value, block.of)
    if number not in ACQUIRES or (number not in RELEASES and not isinstance(value, Null)):
        raise ProofError("the memory order of an atomic exchange is too weak, so that accesses to a buffer may race")
    if not isinstance(value, Null):
        kept.leave(value, machine)
    return NULL if machine.exchange_gives_null() else kept.taken(machine)
