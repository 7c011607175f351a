"""Programs of transforms: of several moduli and of batches at once, pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.rpu.backend.compile import CompiledCode, MemoryFrame, compiled
from momagen.rpu.backend.steps import ALL, RECTANGLES, Steps
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.elements import LANES
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

from .flow import PassFlow, passes
from .transform import NodeTable, RpuTransform
from .wires import Nodes, Rectangle, rectangles

RESIDENT = 16
"""Vectors of twiddles that stay in registers for all rectangles of a pass."""


def transform_program(
    towers: Sequence[RpuTransform], design: Design | None = None, batch: int = 1, steps: Steps = ALL
) -> RpuProgram:
    """A program for ``batch`` transforms of each of ``towers``, which are alike but for their moduli and roots.

    In x and y the transforms of the first tower come first. Made for ``design`` by ``steps`` of the back end, or in the
    order of the algorithm.

    Raises:
        MomagenError: more towers than registers for moduli, or towers that differ in more; a batch below 1, or memory
            that addresses do not reach.
    """
    names, towers = ("x", "y", "room"), shaped(towers, steps)
    points = points_of(towers, batch, len(names), 1)
    code, tables = Code(), tables_of(towers, len(names) * points)
    write_transforms(code, tables, towers, batch, (0, points, 2 * points))
    frame = MemoryFrame(tables[-1].begin + towers[0].n, [Area(2 * points, points)])
    return program_of(compiled(code, frame, design, steps), names, points, [(towers, tables)])


def shaped(towers: Sequence[RpuTransform], steps: Steps) -> Sequence[RpuTransform]:
    """``towers``, stage by stage through memory where there are to be no rectangles."""
    return towers if RECTANGLES in steps else [replace(each, depth=1) for each in towers]


def points_of(towers: Sequence[RpuTransform], batch: int, vectors: int, tables: int) -> int:
    """Words of a vector of all towers and members of the batch.

    Args:
        vectors, tables: how many of such vectors, and of tables per tower, there are.

    Raises:
        MomagenError: towers that do not go together, a batch below 1, or more than addresses reach.
    """
    of, most = towers[0], b512().machine["registers"]
    if not 1 <= len(towers) <= most:
        raise MomagenError(f"from 1 to {most} towers", len(towers), "towers")
    if any(other.shape != of.shape for other in towers):
        raise MomagenError("towers that differ in moduli and roots alone", "others", "towers")
    points, reach = of.n * batch * len(towers), 1 << b512().fields["ADDRESS"].bits
    if batch < 1 or vectors * points + tables * of.n * len(towers) > reach:
        expected = f"transforms whose vectors and tables take at most {reach} words"
        raise MomagenError(expected, f"{batch} of {of.n}", "batch")
    return points


def tables_of(towers: Sequence[RpuTransform], begin: int) -> list[NodeTable]:
    """A table for each tower, from a word on: each twiddle once, and 1/n."""
    return [NodeTable(begin + at * towers[0].n) for at in range(len(towers))]


def program_of(
    made: CompiledCode, names: Sequence[str], points: int,
    tables: Sequence[tuple[Sequence[RpuTransform], Sequence[NodeTable]]],
) -> RpuProgram:  # fmt: skip
    """A program: ``names`` of its vectors, and the words of all tables."""
    towers = tables[0][0]
    begin = [instruction("mload", {"MT": at, "ADDRESS": at}) for at in range(len(towers))]
    areas = {name: Area(at * points, points) for at, name in enumerate(names)}
    each = [(of, table) for some, all_of in tables for of, table in zip(some, all_of, strict=True)]
    areas["twiddles"] = Area(each[0][1].begin, sum(table.size for _, table in each))
    words = {table.begin: of.twiddles(table) for of, table in each}
    return RpuProgram([*begin, *made.instructions], {0: [of.q for of in towers]}, words, areas | made.areas)


def write_transforms(
    code: Code, tables: Sequence[NodeTable], towers: Sequence[RpuTransform], batch: int, where: tuple[int, int, int]
) -> None:
    """Append transforms; ``where``: the first words of source and goal, and of room for what goes between passes."""
    of = towers[0]
    found = passes(of.flow, of.stages, of.depth)
    order = found[::-1] if of.inverse else found
    vectors = [0, *(1 if (len(order) - at) % 2 == 0 else 2 for at in range(1, len(order))), 1]
    for at, (each, source, goal) in enumerate(zip(order, vectors[:-1], vectors[1:], strict=True)):
        made = [*rectangles(each)]
        for number, table in enumerate(tables):
            writer = _Writer(towers[number], code, table, each, number, at == len(order) - 1)
            for member in range(batch):
                begin = (number * batch + member) * of.n
                writer.write(made, where[source] + begin, where[goal] + begin)


class _Writer:
    """Writes one pass of one tower; ``last``: those of inverse transforms divide by n."""

    def __init__(
        self, of: RpuTransform, code: Code, table: NodeTable, flow: PassFlow, modulus: int, last: bool
    ) -> None:
        self.of, self.code, self.table, self.flow, self.modulus, self.last = of, code, table, flow, modulus, last
        self.known, self.source, self.goal = dict[Nodes, int](), 0, 0

    def write(self, made: Sequence[Rectangle], source: int, goal: int) -> None:
        """All rectangles of one transform, from the vector at ``source`` to the one at ``goal``."""
        self.source, self.goal = source, goal
        resident = len({each.twiddles for rectangle in made for each in rectangle.work if each.twiddles}) <= RESIDENT
        for rectangle in made:
            if not resident:
                self.known.clear()
            if self.of.inverse:
                self._backward(rectangle)
            else:
                self._forward(rectangle)

    def _twiddle(self, nodes: Nodes) -> int:
        """A vector of twiddles."""
        if nodes not in self.known:
            at, size = self.table.place(nodes), len(nodes.blocks)
            if size == 1:
                self.known[nodes] = self.code.broadcast(at)
            else:
                mode = ("repeated", size.bit_length() - 1) if size < LANES else ("contiguous", 0)
                self.known[nodes] = self.code.load(at, *mode)
        return self.known[nodes]

    def _forward(self, of: Rectangle) -> None:
        code = self.code
        wires = {wire: code.load(self.source + address) for wire, address in of.loads}
        for each in of.work:
            x, y = (wires[wire] for wire in each.wires)
            if each.twiddles:
                made = code.butterfly(x, y, self._twiddle(each.twiddles), self.modulus)
            else:
                made = code.shuffle("unpklo", x, y), code.shuffle("unpkhi", x, y)
            wires |= dict(zip(each.results, made, strict=True))
        for wire, address in of.stores:
            code.store(wires[wire], self.goal + address, *self._spread())

    def _backward(self, of: Rectangle) -> None:
        """x + y and (x - y)·v, and packs, from the last one to the first."""
        code = self.code
        wires = {wire: code.load(self.source + address, *self._spread()) for wire, address in of.stores}
        for each in reversed(of.work):
            x, y = (wires[wire] for wire in each.results)
            if each.twiddles:
                difference = code.arithmetic("vsub", x, y, self.modulus)
                turned = code.arithmetic("vmul", difference, self._twiddle(each.twiddles), self.modulus)
                made = code.arithmetic("vadd", x, y, self.modulus), turned
            else:
                made = code.shuffle("pklo", x, y), code.shuffle("pkhi", x, y)
            wires |= dict(zip(each.wires, made, strict=True))
        scale = code.broadcast(self.table.begin) if self.last else None
        for wire, address in of.loads:
            done = wires[wire] if scale is None else code.arithmetic("vmul", wires[wire], scale, self.modulus)
            code.store(done, self.goal + address)

    def _spread(self) -> tuple[str, int]:
        return ("strided", self.flow.spread) if self.flow.spread else ("contiguous", 0)
