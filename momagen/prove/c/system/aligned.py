"""Arrays at aligned addresses inside an allocation.

Generated source allocates ``size + grain`` bytes at ``room``, puts the array at ``room + (grain - (uintptr_t)room %
grain)``, and keeps the pointer ``room`` in the bytes before it. The address of an allocation is not known, but it is a
multiple of 8: pointers have 64 bits, and memory from malloc is aligned for them. So if ``grain`` is a power of two
from 8 on, the array begins at least 8 and at most ``grain`` bytes after ``room``. This module has a class for this
distance and for the pointers that are computed from it. A source may also add numbers to an address and prefetch the
result, which accesses no memory. The prover refuses every other use of an address as a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Address, Number, Pointer
from momagen.prove.c.types import SIZE, Byte, Integer, Reference
from momagen.prove.checker import ProofError
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.memory import Block

    NewArray = Callable[..., Block]

POINTER = 8
"""The bytes of a pointer, and its alignment."""
START = Value({}, 0, 0)
HEADER, ARRAY = frozenset({((-1,), "header")}), frozenset({((-1,), "array")})
"""The keys of the two parts of an allocation: the pointer to its start, and the array behind it."""


@dataclass(frozen=True)
class AsNumber:
    """The address of an allocation as a number."""

    block: Block


@dataclass(frozen=True)
class Excess:
    """The remainder of the address of an allocation by ``grain``."""

    block: Block
    grain: int


@dataclass(frozen=True)
class Distance:
    """The distance from the start of an allocation to the next multiple of ``grain``, at least 8 and at most grain."""

    block: Block
    grain: int


@dataclass(frozen=True)
class Aligned:
    """The pointer of type ``char *`` to the first multiple of ``grain`` behind the start of an allocation."""

    block: Block
    grain: int


@dataclass(frozen=True)
class Somewhere:
    """An address that can only be prefetched: the numbers that it is the sum of, besides the start of a block."""

    numbers: tuple[Value, ...]


def numeric(pointer: Any, kind: Any) -> AsNumber | Somewhere:
    """Return an address as a number."""
    if not isinstance(pointer, Pointer) or kind != SIZE:
        raise ProofError("this use of an address as a number is not supported")
    is_start = isinstance(pointer.block.of, Byte) and not pointer.offset.polynomial
    if not is_start or not pointer.block.is_allocated:
        return Somewhere((pointer.offset,))
    return AsNumber(pointer.block)


def operate(op: str, a: Any, b: Any, new_array: NewArray) -> Any:
    """Return the result of an operator on what this module defines, or None if neither operand is of these kinds.

    Args:
        op: The operator.
        a: The left operand.
        b: The right operand.
        new_array: The function that makes a block, from its name, the type of its elements and their number.
    """
    kinds = (AsNumber, Excess, Distance, Aligned, Somewhere)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        return None
    if isinstance(a, Somewhere) and op == "+" and isinstance(b, Number) and isinstance(b.value, Value):
        return Somewhere((*a.numbers, b.value))
    if isinstance(a, AsNumber) and op == "%":
        return Excess(a.block, _grain(b))
    if isinstance(b, Excess) and op == "-" and _grain(a) == b.grain:
        return Distance(b.block, b.grain)
    is_start = isinstance(a, Pointer) and not a.offset.polynomial
    if is_start and isinstance(b, Distance) and op == "+" and a.block is b.block:
        return Aligned(b.block, b.grain)
    if isinstance(a, Aligned) and op == "-" and _size(b) == POINTER:
        return Address(Pointer(header_of(a, new_array), START))
    raise ProofError(f"this use of the operator {op} on an address is not supported")


def _size(number: Any) -> int:
    """Return a known number of type size_t."""
    is_known = isinstance(number, Number) and isinstance(number.value, Value) and number.value.is_constant
    if not is_known or number.kind != SIZE:
        raise ProofError("a distance between addresses is not known")
    return int(number.value.low)


def _grain(number: Any) -> int:
    """Return a known power of two of type size_t that is at least the size of a pointer."""
    grain = _size(number)
    if grain < POINTER or grain & grain - 1:
        raise ProofError("the alignment of an allocation is no power of two from 8 on")
    return grain


def header_of(at: Aligned, new_array: NewArray) -> Block:
    """Return the pointer before an aligned array, in which the source keeps the start of the allocation."""
    return _part(HEADER, at, Reference(Byte()), 1, new_array)


def as_array(at: Aligned, of: Any, new_array: NewArray) -> Pointer:
    """Return the pointer to the array of integers at an aligned address, which fills the rest of the allocation."""
    if not isinstance(of, Integer) or of.bits > 64:
        raise ProofError("the type of an aligned array is not supported")
    size = of.bits // 8
    if not at.block.size.is_constant or at.block.size.low < at.grain:
        raise ProofError("the length of an aligned array is not known")
    return Pointer(_part(ARRAY, at, of, (at.block.size.low - at.grain) // size, new_array), START)


def as_bytes(pointer: Pointer) -> Aligned:
    """Return the address of an aligned array as a ``char *``."""
    at = pointer.block.aligned
    if not isinstance(at, Aligned) or pointer.offset.polynomial:
        raise ProofError("a pointer to something else than an aligned array is used as char *")
    return at


def _part(key: Any, at: Aligned, of: Any, count: int, new_array: NewArray) -> Block:
    """Return a part of an allocation, which is made when it is first used."""
    block = at.block
    if key not in block.cells:
        if not block.is_allocated or not block.is_writable or block.cells.keys() - {HEADER, ARRAY}:
            raise ProofError("an allocation is aligned after it was used or freed")
        block.cells[key] = new_array(block.name, of, count, aligned=at)
    part: Block = block.cells[key]
    if part.of != of or any(other.aligned != at for other in block.cells.values()):
        raise ProofError("an allocation is aligned in two ways")
    return part
