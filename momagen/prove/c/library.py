"""The functions of the C library and the compilers' built-in functions that generated source calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Address, Block, Null, Number, Pointer
from momagen.prove.c.simd.vectors import load, store
from momagen.prove.c.system.advice import ADVISE, PREFETCH, advise, prefetch
from momagen.prove.c.system.exchange import EXCHANGE, exchange
from momagen.prove.c.types import INT, SIZE, WORD, Integer, Vector
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.machine import Machine
    from momagen.prove.words import Value

FLAG = Integer(8)
LONGEST = 1 << 63
"""No allocation has as many bytes."""


def _length(machine: Machine, pointer: Any, size: Any) -> int:
    """Return how many elements ``size`` bytes are."""
    if not isinstance(pointer, Pointer):
        raise ProofError("memory is copied from or to a null pointer")
    count, rest = divmod(machine.number(size), machine.size_of(pointer.block.of))
    if rest:
        raise ProofError("a copy ends inside an element")
    return count


def _copy(machine: Machine, to: Any, source: Any, size: Any) -> Any:
    count, read = _length(machine, to, size), _length(machine, source, size)
    if isinstance(source.block.of, Vector) and count and read == 1:
        store(to, source.block.load(source.offset, machine.facts), machine.facts)
        return Address(to)
    if isinstance(to.block.of, Vector) and count == 1:
        to.block.store(to.offset, load(to.block.of, source, machine.facts), machine.facts)
        return Address(to)
    if count != read or to.block.of != source.block.of:
        raise ProofError("a copy changes the type of elements")
    if count and source.block.result is to.block:
        raise ProofError(f"memcpy copies {source.block.name} into the result, which may be the same array")
    if to.block is source.block:
        distance = plus(to.offset.polynomial, source.offset.polynomial, -1)
        if not distance.keys() <= {()} or abs(distance.get((), 0)) < count:
            raise ProofError("memcpy inside one array may copy an element onto one that it copies")
    for i in range(count):
        word = source.block.load(source.moved({(): i} if i else {}, machine.facts).offset, machine.facts)
        to.block.store(to.moved({(): i} if i else {}, machine.facts).offset, word, machine.facts)
    return Address(to)


def _compare(machine: Machine, a: Any, b: Any, size: Any) -> Any:
    """Return a number that is 0 if and only if two arrays are equal."""
    count = _length(machine, a, size)
    if count != _length(machine, b, size) or a.block.of != b.block.of:
        raise ProofError("a comparison of elements of different types")
    differs = []
    for i in range(count):
        words = [p.block.load(p.moved({(): i} if i else {}, machine.facts).offset, machine.facts).value for p in (a, b)]
        differs.append(machine.compare("!=", *words)[0])
    if any(flag.is_constant and flag.low for flag in differs):
        return Number(INT, machine.words.constant(1))
    unknown = [flag for flag in differs if not flag.is_constant]
    if not unknown:
        return Number(INT, machine.words.constant(0))
    if len(unknown) > 1:
        raise ProofError("a comparison of several words is not supported")
    return Number(INT, unknown[0])


def _fill(machine: Machine, to: Any, byte: Any, size: Any) -> Any:
    if machine.number(byte) != 0 or not isinstance(to, Pointer) or not isinstance(to.block.of, Integer):
        raise ProofError("memset is supported with zeros in arrays of integers only")
    for i in range(_length(machine, to, size)):
        zero = Number(to.block.of, machine.words.constant(0))
        to.block.store(to.moved({(): i} if i else {}, machine.facts).offset, zero, machine.facts)
    return Address(to)


def _allocate(machine: Machine, size: Any) -> Any:
    """Return a new block, or a null pointer on the path on which there is no memory."""
    if machine.allocation_fails():
        machine.is_out_of_memory = True
        return NULL
    total = machine.convert(size, SIZE).value
    if total.low < 1:
        raise ProofError("an allocation may have no bytes, so that its pointer may be NULL")
    if total.high >= LONGEST:
        raise ProofError("an allocation may be longer than the address space")
    block = machine.new_array("an allocation", None, total, is_allocated=True)
    return Address(Pointer(block, machine.words.constant(0)))


def _allocate_zeros(machine: Machine, count: Any, size: Any) -> Any:
    total = machine.words.multiply(machine.convert(count, SIZE).value, machine.convert(size, SIZE).value)
    if total.high > SIZE.greatest:
        raise ProofError("the size of an allocation may be longer than its type")
    allocated = _allocate(machine, Number(SIZE, total))
    if isinstance(allocated, Address):
        allocated.pointer.block.cells[frozenset()] = "zeros"
    return allocated


def _free(machine: Machine, pointer: Any) -> None:
    if isinstance(pointer, Null):
        return
    if not isinstance(pointer, Pointer) or not pointer.block.is_allocated or pointer.offset.polynomial:
        raise ProofError("free of something else than an allocation")
    if not pointer.block.is_writable:
        raise ProofError("memory of a plan is freed before destroy")
    pointer.block.is_allocated = False
    pointer.block.end(machine.words)
    for member in pointer.block.cells.values():
        if isinstance(member, Block):
            member.end(machine.words)


def _operands(machine: Machine, carry: Any, a: Any, b: Any) -> tuple[Value, Value, Value]:
    """Return a carry and two words, converted to the types of the built-in function's parameters."""
    flag = machine.convert(carry, FLAG).value
    if flag.low < 0 or flag.high > 1:
        raise ProofError("a carry may be neither 0 nor 1")
    return flag, machine.convert(a, WORD).value, machine.convert(b, WORD).value


def _store_word(machine: Machine, to: Any, word: Value, carry: Value) -> Any:
    if not isinstance(to, Pointer) or to.block.of != WORD:
        raise ProofError("a result is not stored into a word")
    to.block.store(to.offset, Number(WORD, word), machine.facts)
    return Number(FLAG, carry)


def _carry(machine: Machine, carry: Any, a: Any, b: Any, to: Any) -> Any:
    out, word = machine.words.sum([*_operands(machine, carry, a, b)], 64, "addcarry")
    return _store_word(machine, to, word, out)


def _borrow(machine: Machine, borrow: Any, a: Any, b: Any, to: Any) -> Any:
    carry, x, y = _operands(machine, borrow, a, b)
    out, word = machine.words.difference(x, y, carry, 64, "subborrow")
    return _store_word(machine, to, word, out)


LIBRARY: dict[str, Callable[..., Any]] = {
    "memcmp": _compare,
    "memcpy": _copy,
    "memset": _fill,
    "malloc": _allocate,
    "calloc": _allocate_zeros,
    "free": _free,
    "__builtin_ia32_addcarryx_u64": _carry,
    "__builtin_ia32_sbb_u64": _borrow,
    "__builtin_ia32_subborrow_u64": _borrow,
    PREFETCH: prefetch,
    ADVISE: advise,
    EXCHANGE: exchange,
}
__all__ = ["FLAG", "INT", "LIBRARY"]
