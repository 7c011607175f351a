"""Loops over elements: functions that compute z = f(x, y) or z = f(x) for one vector of residues after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from momagen.ir import Block, Instr
from momagen.lower.body.layouts import Row
from momagen.lower.names import C, N, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Again, Function, Load, Name, Prefetch, Run, Statement, Store, Type, Woven
from momagen.program.statements import Body
from momagen.rewrite.engine.accumulate import LATENCY
from momagen.targets import Target

from .body import Elements
from .constants import Constant

M = Name("m", Type.WORDS)
SHORT_BODY = 12
"""The largest number of instructions of a product whose loop over short vectors is unrolled."""
COPIES = 4
"""The number of vectors of a group in a loop over short vectors."""


class ShortVectors(NamedTuple):
    """How a loop treats vectors that fit the first-level cache: in groups of ``COPIES`` vectors of the target.

    Attributes:
        woven: Whether the statements for a group are interleaved; otherwise they follow one another.
    """

    woven: bool


def short_vectors(writer: ProgramWriter, elements: Elements, turns: int, products: bool) -> ShortVectors | None:
    """Return how a loop treats short vectors, or None if it has no separate loop for them.

    While vectors fit the first-level cache, the branches of a rolled loop over a few instructions cost time; beyond it,
    rolled loops are faster. Comparisons are interleaved, because each needs several cycles until its mask is ready.

    Args:
        writer: The writer of the program.
        elements: The loop body.
        turns: The number of vectors that the loop interleaves in any case.
        products: Whether the elements are products.
    """
    spec = writer.spec
    if turns > 1 or writer.arith.words > 1 or elements.memory.lanes == 1 or spec.options.unroll:
        return None
    if not products:
        chosen = spec.expression.compared and not spec.expression.modular
        return ShortVectors(woven=True) if chosen else None
    return ShortVectors(woven=False) if len(elements.block.instrs) <= SHORT_BODY else None


def vector(key: str) -> Name:
    """Return the name of an operand."""
    return Name(key, Type.INPUT)


def write_loop(
    writer: ProgramWriter, name: str, elements: Elements, at: Mapping[Constant, int], turns: int = 1,
    fetched: bool = False, short: ShortVectors | None = None, copies: str = "apart",
) -> None:  # fmt: skip
    """Write the function ``name``(z, x, y, c, n), which processes ``turns`` times n vectors.

    There is no y if the codelet has none. The factors of long products stay in memory, and so do constants. A
    loop that prefetches, or that has another loop for short vectors before it, is not unrolled unless the
    options say so, because that is slower beyond the first-level cache. Longer residues take so long to
    multiply that memory keeps up without prefetching.

    Args:
        writer: The writer of the program.
        name: The name of the function.
        elements: The loop body.
        at: The offsets of the constants in c.
        turns: The number of interleaved vectors.
        fetched: Whether vectors are prefetched, as in products.
        short: The treatment of short vectors, or None if there is no separate loop for them.
        copies: Whether the function is inlined.
    """
    memory = elements.memory
    target = writer.target_of(memory.lanes)
    pointers, size = [*map(vector, elements.loads)], turns * memory.lanes * memory.words
    f = Function(name, (Z, *pointers, C, N), vector=target.vector, copies=copies)
    for constant, values in elements.constants.items():
        if elements.repeated:
            _repeat(writer, f, constant.name, values, at[constant])
        else:
            f.load(constant.name, values, C, at[constant], 1, target.vector, stays=bool(elements.factors))
    if short:
        _write_short(f, elements, target.first.bytes, short)
    block = _by_rows(f, elements, target) if elements.factors else Body([Run(elements.block)])
    each = [elements, *(elements.again() for _ in range(turns - 1))]
    parts = [_one(e, i, [Run(e.block)] if i else block) for i, e in enumerate(each)]
    ahead = target.ahead // 8 if fetched and writer.arith.words == 1 else 0
    if ahead:
        many = target.long.get(str(writer.spec.kind), target.second.bytes) // (8 * size * (len(pointers) + 1))
        long_ = f.let("long_", many < N)
    with f.each("i", N, unroll=1 if short else (writer.unroll or int(ahead > 0))):
        f.add(*([Woven(parts)] if turns > 1 else parts[0]))
        for pointer in (*pointers, Z):
            f.step(pointer, size)
        if ahead:
            with f.if_(long_):
                lines = range(ahead, ahead + size, target.lanes)
                f.add(*(Prefetch(pointer, line) for pointer in pointers for line in lines))
    writer.put(f)


def _write_short(f: Function, elements: Elements, cache: int, short: ShortVectors) -> None:
    """Append a loop over groups of vectors if all vectors fit ``cache`` bytes; N vectors remain."""
    pointers, size = [*map(vector, elements.loads), Z], elements.memory.lanes
    most = cache // (8 * size * len(pointers))
    parts = [_one(e, i, Body([Run(e.block)])) for i, e in enumerate(elements.again() for _ in range(COPIES))]
    with f.if_(most + 1 > N):
        with f.each("group", N // COPIES, unroll=1):
            f.add(*([Woven(parts)] if short.woven else (statement for part in parts for statement in part)))
            for pointer in pointers:
                f.step(pointer, COPIES * size)
        f.set(N, N % COPIES)


def _one(elements: Elements, turn: int, block: Body) -> Body:
    """Return the statements for vector number ``turn``."""
    memory = elements.memory
    loads = [load for key, row in elements.loads.items() for load in memory.load(vector(key), row, turn)]
    return [*loads, *block, *memory.store(Z, elements.stores, turn)]


def _repeat(writer: ProgramWriter, f: Function, key: str, values: Row, at: int) -> None:
    """Append the load of a constant that is repeated for every number of a group."""
    words, lanes = writer.arith.words, writer.target.lanes
    repeated = f.array(key, lanes * len(values))
    with f.each("i", lanes * len(values) // words) as i:
        f.copy(repeated + i * words, C + at, words)
    f.load(key, values, repeated, 0, lanes)


def _by_rows(f: Function, elements: Elements, target: Target) -> Body:
    """Return the instructions in parts, for products whose factors stay in memory.

    A part ends with the store of a factor to m as soon as it is computed, or before a row of products, from
    which on factors are loaded again.
    """
    block, lanes = elements.block, target.lanes
    made = {id(r) for instr in block.instrs for r in instr.results}
    kept = {id(v): v for row in elements.factors.values() for v in row if id(v) in made}
    places = {value: lanes * i for i, value in enumerate(kept)}
    f.variable(M.text, f.array("room", lanes * len(kept), line=lanes * target.word // 8))
    read = {id(a) for instr in block.instrs for a in instr.args} | set(map(id, block.outputs.values()))
    rows, found, part = set(_rows(elements)), Body(), list[Instr]()

    def end(*more: Statement) -> None:
        outputs = {str(id(r)): r for instr in part for r in instr.results if id(r) in read}
        found.extend([Run(Block({}, part[:], outputs)), *more])
        part.clear()

    for instr in block.instrs:
        if id(instr.results[0]) in rows:
            end(Again(M), Again(C))
        part.append(instr)
        for value in instr.results:
            if id(value) in places:
                at = places[id(value)]
                end(Store([value], M, at), Load("", [value], M, at, stays=True))
    end()
    return found


def _rows(elements: Elements) -> Iterator[int]:
    """Yield the ids of the first product in every row.

    A row consists of products by the same factor, which is neither a constant nor a limb of an operand other
    than x.
    """
    others = [*elements.constants.values(), *(row for key, row in elements.factors.items() if key != "x")]
    columns, row = {id(v) for each in others for v in each}, 0
    for instr in elements.block.instrs:
        if instr.op in LATENCY:
            factor = next(id(a) for a in (*instr.args[1:], instr.args[0]) if id(a) not in columns)
            if factor != row:
                yield id(instr.results[0])
            row = factor
