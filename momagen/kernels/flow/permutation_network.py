"""Moves across lanes: permutation networks of two-vector permutes, as parts of a block.

A stride permutation of 2^b elements in 2^v registers is a permutation of index bits. Each exchange of a
register bit with a lane bit costs one permute for each register; three exchanges are an 8 × 8 transpose with
24 permutes. For any other move, each register is gathered with one permute for every further source register.
If the number of registers is a multiple of a power of two, the bits that number groups of registers are
exchanged with lane bits first, or last, if this leaves fewer sources to gather. Eight residues of six words
take 18 permutes in this way instead of 30.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from momagen.ir import Builder, Value

from .index_bits import Order, moved

Place = tuple[int, int]
"""The register and the lane of an element."""
Wanted = Sequence[Sequence[Place]]
"""For every register of the result and every lane, the place of the element that it receives."""
Cost = Callable[[tuple[int, ...]], int]
"""A function that returns the cost of a permute with given lanes."""


def move(b: Builder, vectors: Sequence[Value], wanted: Wanted, cost: Cost | None = None) -> list[Value]:
    """Return registers whose lane j of register i is the element at ``wanted[i][j]`` of ``vectors``.

    Args:
        b: The builder.
        vectors: The registers.
        wanted: The places of the elements.
        cost: The cost of a permute, to compare interleaving with exchanging; without it, bits are exchanged.
    """
    order = _bits(wanted)
    if order is not None and len(vectors) == len(wanted):
        return _exchange(b, list(vectors), order, len(wanted[0]), cost)
    ways = [(bits, last) for last in (False, True) for bits in _group_bits(len(wanted if last else vectors), wanted)]
    bits, last = min(ways, key=lambda way: _permutes(wanted, len(vectors), *way))
    given = list(vectors) if last else _exchange_groups(b, list(vectors), bits, len(wanted[0]))
    found = [_gather(b, given, places) for places in _regrouped(wanted, len(vectors), bits, last)]
    return _exchange_groups(b, found, bits, len(wanted[0])) if last else found


def halves_swapped(wanted: Wanted, bit: int) -> Wanted:
    """Return ``wanted`` for vectors that are loaded by halves.

    Such a load exchanges register bit ``bit`` and the top lane bit.
    """
    half, place = len(wanted[0]) // 2, 1 << bit
    return [
        [(r & ~place | lane // half * place, lane % half + (r >> bit & 1) * half) for r, lane in row] for row in wanted
    ]


def _bits(wanted: Wanted) -> Order | None:
    """Return the permutation of index bits that ``wanted`` describes, or None if it is not one."""
    lanes = len(wanted[0])
    source = [register * lanes + lane for row in wanted for register, lane in row]
    bits = range(len(source).bit_length() - 1)
    order = tuple(source[1 << i].bit_length() - 1 for i in bits)
    right = len(source) == 1 << len(bits) and sorted(order) == list(bits)
    return order if right and all(place == moved(order, at) for at, place in enumerate(source)) else None


def _permute(b: Builder, x: Value, y: Value, lanes: Sequence[int]) -> Value:
    """Return a permute of two registers. A permute whose source is a permute of one register is merged with it."""
    if list(lanes) == list(range(len(lanes))):
        return x
    maker = b.maker(x) if x is y else None
    if maker is not None and maker.op == "perm2":  # a permute of a permute is one permute
        (x, y), lanes = maker.args, [maker.lanes[lane] for lane in lanes]
    (result,) = b.emit("perm2", 64, x, y, lanes=tuple(lanes))
    return result


def _gather(b: Builder, vectors: Sequence[Value], places: Sequence[Place]) -> Value:
    """Return one register that is gathered from any registers.

    Each permute keeps the elements that are in place and adds the elements of one more source.
    """
    first, *others = sorted({r for r, _ in places})
    width, result, kept = len(places), vectors[first], [lane for _, lane in places]
    for source in others or [first]:
        pairs = zip(places, kept, strict=True)
        lanes = [width + lane if r == source != first else stays for (r, lane), stays in pairs]
        result, kept = _permute(b, result, vectors[source], lanes), [*range(width)]
    return result


def _group_bits(registers: int, wanted: Wanted) -> range:
    """Return the numbers of bits that may number groups of ``registers`` and be exchanged with lane bits."""
    return range(min(registers & -registers, len(wanted[0])).bit_length())


def _regrouped(wanted: Wanted, registers: int, bits: int, last: bool) -> Wanted:
    """Return the gathering that remains after an exchange of ``bits`` group bits.

    The exchange is between registers of the sources, or with ``last`` of the results, and lanes.
    """
    if not last:
        return [[_in_group(r, lane, registers >> bits, bits) for r, lane in row] for row in wanted]
    size, lanes = len(wanted) >> bits, range(len(wanted[0]))
    return [[wanted[r][lane] for r, lane in (_in_group(i, at, size, bits) for at in lanes)] for i in range(len(wanted))]


def _in_group(register: int, lane: int, size: int, bits: int) -> Place:
    """Return the place of an element after exchanging the lowest ``bits`` of its lane and the number of its group."""
    group, own = divmod(register, size)
    low = lane & (1 << bits) - 1
    return low * size + own, lane - low + group


def _permutes(wanted: Wanted, registers: int, bits: int, last: bool) -> int:
    """Return the number of permutes of a move that exchanges ``bits`` group bits."""
    exchanges = bits * (len(wanted) if last else registers)
    return exchanges + sum(_sources(places) for places in _regrouped(wanted, registers, bits, last))


def _sources(places: Sequence[Place]) -> int:
    """Return the number of permutes that gather a register."""
    return max(len({r for r, _ in places}) - 1, int([lane for _, lane in places] != [*range(len(places))]))


def _exchange_groups(b: Builder, vectors: list[Value], bits: int, lanes: int) -> list[Value]:
    """Exchange the ``bits`` that number groups of registers with as many of the lowest lane bits."""
    for bit in range(bits):
        vectors = _swap(b, vectors, len(vectors) >> bits << bit, 1 << bit, lanes)
    return vectors


def _exchange(b: Builder, vectors: list[Value], order: Order, lanes: int, cost: Cost | None) -> list[Value]:
    """Return the registers after exchanges of index bits. Target bit i is source bit ``order[i]``."""
    low = lanes.bit_length() - 1
    registers = order[low:]
    holds = list(range(len(order)))  # holds[p] is the source bit that is at position p now
    for p in range(low - 1) if cost else ():
        pair = [order[p], order[p + 1]]
        if min(pair) >= low and {holds[p], holds[p + 1]} <= set(registers) and _interleaves(p, lanes, cost):
            first, second = map(holds.index, pair)
            vectors = _interleaved(b, vectors, 1 << first - low, p, lanes)
            holds[p], holds[p + 1], holds[first] = holds[first], holds[p], holds[p + 1]
            vectors = _swap(b, vectors, 1 << second - low, 2 << p, lanes)
            holds[p + 1], holds[second] = holds[second], holds[p + 1]
    own, free = list(enumerate(registers, low)), [(p, bit) for bit in registers for p in range(low, len(order))]
    for position, bit in own + free:  # a bit goes to its own position if that is free, and otherwise to any
        there = holds.index(bit)
        if there < low and holds[position] not in registers:
            vectors = _swap(b, vectors, 1 << position - low, 1 << there, lanes)
            holds[position], holds[there] = bit, holds[position]
    return _arrange(b, vectors, holds, order, low)


def _interleaves(p: int, lanes: int, cost: Cost | None) -> bool:
    """Return whether interleaving two registers costs less than exchanging lane bit p with a bit of registers."""
    ways = (_interleaving(p, lanes), [_exchanging(1 << p, half, lanes) for half in (0, 1)])
    interleaved, exchanged = (sum(cost(tuple(lanes)) for lanes in way) for way in ways) if cost else (0, 0)
    return interleaved < exchanged


def _interleaving(p: int, lanes: int) -> list[list[int]]:
    """Return the lanes of two registers after an interleaving.

    The bit that distinguishes the registers becomes lane bit p, lane bit p becomes lane bit p + 1, and lane
    bit p + 1 distinguishes the registers.
    """
    bit = 1 << p
    kept = [(lane & ~(3 * bit) | (lane >> 1 & bit), lanes * bool(lane & bit)) for lane in range(lanes)]
    return [[low + 2 * bit * half + other for low, other in kept] for half in (0, 1)]


def _interleaved(b: Builder, vectors: list[Value], register_bit: int, p: int, lanes: int) -> list[Value]:
    """Return registers that are interleaved in pairs, by lanes of 2^p elements in groups of four times as many."""
    result = list(vectors)
    for r in (r for r in range(len(vectors)) if not r & register_bit):
        for half, picks in enumerate(_interleaving(p, lanes)):
            result[r | half * register_bit] = _permute(b, vectors[r], vectors[r | register_bit], picks)
    return result


def _swap(b: Builder, vectors: list[Value], step: int, lane_bit: int, lanes: int) -> list[Value]:
    """Return the registers after exchanging the bit that numbers runs of ``step`` registers with a lane bit.

    This takes two permutes for each pair of registers.
    """
    result = list(vectors)
    for r in (r for r in range(len(vectors)) if not r // step % 2):
        for half in (0, 1):
            picks = _exchanging(lane_bit, half, lanes)
            result[r + half * step] = _permute(b, vectors[r], vectors[r + step], picks)
    return result


def _exchanging(lane_bit: int, half: int, lanes: int) -> list[int]:
    """Return the lanes of the register whose bit becomes ``half``."""
    return [lane & ~lane_bit | half * lane_bit | lanes * bool(lane & lane_bit) for lane in range(lanes)]


def _arrange(b: Builder, vectors: list[Value], holds: list[int], order: Order, low: int) -> list[Value]:
    """Return the registers with register bits and lane bits in their final order; renaming registers is free."""
    at = {bit: p for p, bit in enumerate(holds)}
    high = range(len(order) - low)
    names = [sum((r >> i & 1) << at[order[low + i]] - low for i in high) for r in range(len(vectors))]
    picks = [sum((lane >> i & 1) << at[order[i]] for i in range(low)) for lane in range(1 << low)]
    return [_permute(b, vectors[r], vectors[r], picks) for r in names]
