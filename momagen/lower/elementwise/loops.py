"""Loops over elements: functions that do z = f(x, y), or f(x), for one vector of residues after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate

from momagen.ir import Block, Builder, renewed
from momagen.kernels.elementwise.frame import Elementwise
from momagen.kernels.flow.layouts import USER
from momagen.lower.body.layouts import Layout, Row, layout_of
from momagen.lower.body.movement import Body, Move, bare_body, moved_body
from momagen.lower.body.sink_permutes import sunk
from momagen.lower.names import C, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Prefetch, Run, Type, Woven
from momagen.program.statements import Body as Statements
from momagen.targets import Target

N = Name("n")


@dataclass(frozen=True)
class Elements:
    """What a loop does with one vector of elements: registers that are loaded, by vector; those that are stored; and
    constants that all vectors share, by name."""

    block: Block
    loads: Mapping[str, Row]
    stores: Row
    constants: Mapping[str, Row]

    def again(self) -> Elements:
        """The same on registers of its own, but for constants."""
        inputs = {f"{key}{i}": value for key, row in self.loads.items() for i, value in enumerate(row)}
        whole = Block(inputs, self.block.instrs, {str(i): value for i, value in enumerate(self.stores)})
        new = renewed(whole, [value for row in self.constants.values() for value in row])
        loads = {key: [new.inputs[f"{key}{i}"] for i in range(len(row))] for key, row in self.loads.items()}
        return Elements(new, loads, list(new.outputs.values()), self.constants)

    def statements(self, memory: Layout, turn: int = 0, parts: Statements | None = None) -> Statements:
        """What is done with the vector that is ``turn`` vectors on; ``parts``: the block in parts."""
        loads = [load for key, row in self.loads.items() for load in memory.load(vector(key), row, turn)]
        return [*loads, *(parts or [Run(self.block)]), *memory.store(Z, self.stores, turn)]


def write_loop(
    writer: ProgramWriter, name: str, codelet: Elementwise, lanes: int, layout: str, turns: int = 1
) -> None:
    """Write ``name``(z, x, y, c, n): ``turns`` times n vectors of ``lanes`` residues in ``layout``, as many at once,
    statement by statement in turns; c holds the constants.

    There is no y where the codelet has none.
    """
    target, count = (writer.target if lanes > 1 else writer.host), writer.arith.words
    body = bare_body(writer.lower(codelet.block, target), codelet.vectors, "z", count, target.word)
    memory = layout_of(target, count, lanes, layout == USER)
    if lanes > 1 and layout == USER and count > 1:
        body = sunk(_from_user(body, memory, target.word), target.ops.__contains__)
    loads = dict(zip(codelet.vectors, body.loads, strict=True))
    f, elements = begun(name, codelet.vectors, target), Elements(body.block, loads, body.stores[0], body.others)
    for key, offset in zip(codelet.constants, offsets(codelet), strict=True):
        f.load(key, elements.constants.get(key, ()), C, offset, 1, target.vector)
    with over_elements(writer, f, codelet.vectors, turns * lanes * count, codelet.multiplies and lanes > 1):
        in_turns(f, elements, memory, turns)
    writer.put(f)


def begun(name: str, vectors: Iterable[str], target: Target) -> Function:
    """A function on elements with nothing in it."""
    return Function(name, (Z, *map(vector, vectors), C, N), vector=target.vector, copies="apart")


def vector(key: str) -> Name:
    """An operand."""
    return Name(key, Type.INPUT)


@contextmanager
def over_elements(
    writer: ProgramWriter, f: Function, vectors: Iterable[str], size: int, fetched: bool = False
) -> Iterator[None]:
    """The loop of ``f``, ``size`` words of each vector at a time.

    Where they are ``fetched`` ahead, as products are, the loop is not unrolled unless the options say so: beyond the
    first cache that is slower. Longer residues take so long to multiply that memory keeps up by itself.
    """
    target, pointers = writer.target, [vector(key) for key in vectors]
    ahead = target.ahead // 8 if fetched and writer.arith.words == 1 else 0
    if ahead:
        many = target.long.get(writer.spec.kind, target.second.bytes) // (8 * size * (len(pointers) + 1))
        long_ = f.let("long_", many < N)
    with f.each("i", N, unroll=int(writer.unroll or ahead > 0)):
        yield
        for pointer in [*pointers, Z]:
            f.step(pointer, size)
        if ahead:
            with f.if_(long_):
                lines = range(ahead, ahead + size, target.lanes)
                f.add(*(Prefetch(pointer, line) for pointer in pointers for line in lines))


def in_turns(f: Function, elements: Elements, memory: Layout, turns: int) -> None:
    """Append what is done with ``turns`` vectors."""
    each = [elements, *(elements.again() for _ in range(turns - 1))]
    parts = [one.statements(memory, turn) for turn, one in enumerate(each)]
    f.add(*([Woven(parts)] if turns > 1 else parts[0]))


def offsets(codelet: Elementwise) -> list[int]:
    """Where each constant begins, in words."""
    return list(accumulate(codelet.constants.values(), initial=0))[:-1]


def _from_user(body: Body, memory: Layout, word: int) -> Body:
    """``body`` with moves from residue after residue to one word per register, and back."""

    def each(moved: Callable[[Builder, Row], Row]) -> Move:
        return lambda b, grid: [moved(b, row) for row in grid]

    return moved_body(body, word, each(memory.arrive), each(memory.leave), memory.registers)
