"""Moves across lanes: permutation networks of two-vector permutes, as parts of a block.

A stride permutation of 2^b elements in 2^v registers is a permutation of index bits. Each exchange of a
register bit with a lane bit costs one permute for each register; three exchanges are an 8 × 8 transpose with
24 permutes. For any other move, each register is gathered with one permute for every further source register.
If the number of registers is a multiple of a power of two, the bits that number groups of registers are
exchanged with lane bits first, or last, if this leaves fewer sources to gather. Eight residues of six words
take 18 permutes in this way instead of 30.

A permute of two registers may also move three bits in a cycle. Two neighbouring lane bits are exchanged with
register bits by the cheapest of three ways: two exchanges, an interleaving and an exchange, or two
deinterleavings. On AVX-512, a deinterleaving of quarters of registers is an instruction whose pattern is a
constant, while an exchange of the lower bit needs a register for its pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from momagen.ir import Builder, Value

from .index_bits import Order, moved

Place = tuple[int, int]
"""The register and the lane of an element."""
Wanted = Sequence[Sequence[Place]]
"""For every register of the result and every lane, the place of the element that it receives."""
Cost = Callable[[tuple[int, ...]], int]
"""A function that returns the cost of a permute with given lanes."""
Cycle = tuple[int, ...]
"""The lane bits through which a permute of two registers moves the bit that distinguishes them: this bit moves to the
first lane bit, each lane bit moves to the next one, and the last one then distinguishes the registers."""


def move(b: Builder, vectors: Sequence[Value], wanted: Wanted, cost: Cost | None = None) -> list[Value]:
    """Return registers whose lane j of register i is the element at ``wanted[i][j]`` of ``vectors``.

    Args:
        b: The builder.
        vectors: The registers.
        wanted: The places of the elements.
        cost: The cost of a permute, to compare cycles of bits with exchanges; without it, bits are exchanged.
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
        vectors = _turn(b, vectors, len(vectors) >> bits << bit, (bit,), lanes)
    return vectors


def _exchange(b: Builder, vectors: list[Value], order: Order, lanes: int, cost: Cost | None) -> list[Value]:
    """Return the registers after exchanges of index bits. Target bit i is source bit ``order[i]``."""
    low = lanes.bit_length() - 1
    registers = order[low:]
    holds = list(range(len(order)))  # holds[p] is the source bit that is at position p now

    def turn(vectors: list[Value], cycle: Cycle, at: int) -> list[Value]:
        """Return the registers after a cycle of bits that begins with the bit at position ``at``."""
        for place in cycle:
            holds[at], holds[place] = holds[place], holds[at]
        return _turn(b, vectors, 1 << at - low, cycle, lanes)

    for bit, cycle in _cycles(order, lanes, cost) if cost else ():
        vectors = turn(vectors, cycle, holds.index(bit))
    own, free = list(enumerate(registers, low)), [(p, bit) for bit in registers for p in range(low, len(order))]
    for position, bit in own + free:  # a bit goes to its own position if that is free, and otherwise to any
        there = holds.index(bit)
        if there < low and holds[position] not in registers:
            vectors = turn(vectors, (there,), position)
    return _arrange(b, vectors, holds, order, low)


def _cycles(order: Order, lanes: int, cost: Cost) -> Sequence[tuple[int, Cycle]]:
    """Return cycles that bring register bits to lane bits, each with the bit that begins it.

    If no pair of neighbouring lane bits has cycles that cost less than exchanges, the result is empty. Otherwise
    exchanges of the other lane bits come first, which is 1 to 2 % faster on Zen 4.
    """
    low = lanes.bit_length() - 1
    crossing = [min(order[p], order.index(p)) >= low for p in range(low)]
    found, free = list[tuple[int, Cycle]](), {p for p in range(low) if crossing[p]}
    for p in range(low - 1):
        pair = order[p], order[p + 1]
        if {p, p + 1} <= free and (way := _cheapest(p, lanes, cost)):
            found += zip(pair, way, strict=True)
            free -= {p, p + 1}
    return [*((order[p], (p,)) for p in sorted(free)), *found] if found else []


def _cheapest(p: int, lanes: int, cost: Cost) -> Sequence[Cycle]:
    """Return the cheapest cycles that exchange lane bits p and p + 1 with two register bits.

    The result is empty if two exchanges are as cheap.
    """
    up, down, exchanges = (p, p + 1), (p + 1, p), ((p,), (p + 1,))
    ways = [exchanges, (up, (p + 1,)), (down, down)]

    def price(way: Sequence[Cycle]) -> int:
        return sum(cost(tuple(picks)) for cycle in way for picks in _picks(cycle, lanes))

    way = min(ways, key=price)
    return way if way is not exchanges else ()


def _turn(b: Builder, vectors: list[Value], step: int, cycle: Cycle, lanes: int) -> list[Value]:
    """Return the registers after a cycle that begins with the bit that numbers runs of ``step`` registers.

    This takes two permutes for each pair of registers.
    """
    result = list(vectors)
    for r in (r for r in range(len(vectors)) if not r // step % 2):
        for half, picks in enumerate(_picks(cycle, lanes)):
            result[r + half * step] = _permute(b, vectors[r], vectors[r + step], picks)
    return result


def _picks(cycle: Cycle, lanes: int) -> Iterator[list[int]]:
    """Yield the lanes of both registers after a cycle. The first lane bit of the cycle selects the source."""
    others = ~sum(1 << place for place in cycle)
    for half in (0, 1):
        moved = [
            lane & others | sum((lane >> b & 1) << a for a, b in pairwise(cycle)) | half << cycle[-1]
            for lane in range(lanes)
        ]
        yield [at + lanes * (lane >> cycle[0] & 1) for lane, at in enumerate(moved)]


def _arrange(b: Builder, vectors: list[Value], holds: list[int], order: Order, low: int) -> list[Value]:
    """Return the registers with register bits and lane bits in their final order; renaming registers is free."""
    at = {bit: p for p, bit in enumerate(holds)}
    high = range(len(order) - low)
    names = [sum((r >> i & 1) << at[order[low + i]] - low for i in high) for r in range(len(vectors))]
    picks = [sum((lane >> i & 1) << at[order[i]] for i in range(low)) for lane in range(1 << low)]
    return [_permute(b, vectors[r], vectors[r], picks) for r in names]
