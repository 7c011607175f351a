"""Radix-2 transforms: forward from natural to bit-reversed order, backward the same from behind."""

from __future__ import annotations

from dataclasses import dataclass, field

from gmpy2 import invert, mpz, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.rpu.backend.allocate import allocate
from momagen.rpu.backend.schedule import schedule
from momagen.rpu.backend.virtual import MODULUS, Code
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.isa.table import b512
from momagen.rpu.simulate.design import Design

from .flow import BUTTERFLY, LANES, PassFlow, passes
from .wires import Rectangle, rectangles

LEAST, MOST = 1024, 65536
"""Points: two vectors, and what the paper has."""
DEPTH = 4
"""Stages of a rectangle: 16 vectors, their results and twiddles in 64 registers."""
STRIDED, HELD = 8192, 16384
"""Points from which 16 vectors are there for a stage between vectors, and that all registers but a few hold."""
RESIDENT = 16
"""Vectors of twiddles that stay in registers for all rectangles of a pass."""
Nodes = tuple[int, tuple[int, ...]]
"""A stage, and the numbers of twiddles in it."""


@dataclass
class NodeTable:
    """Twiddles in the order in which they were asked for, from word 1 on; word 0 is 1/n."""

    begin: int
    entries: list[Nodes] = field(default_factory=list)
    places: dict[Nodes, int] = field(default_factory=dict)
    size: int = 1

    def place(self, nodes: Nodes) -> int:
        """Where they lie."""
        if nodes not in self.places:
            self.places[nodes] = self.begin + self.size
            self.entries.append(nodes)
            self.size += len(nodes[1])
        return self.places[nodes]


@dataclass(frozen=True)
class RpuTransform:
    """A transform of n points modulo q.

    Attributes:
        root: of order n modulo q; of a negacyclic one of order 2n. inverse: from bit-reversed to natural order, divided
            by n. flow: "pease", "unpacked" or "strided". depth: stages of a rectangle; 1 goes to memory after each.
    """

    n: int
    q: int
    root: int
    negacyclic: bool = False
    inverse: bool = False
    flow: str = "pease"
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if not LEAST <= self.n <= MOST or self.n & self.n - 1:
            raise MomagenError(f"a power of two from {LEAST} to {MOST}", self.n, "n")
        if not 2 <= self.q < 1 << b512().machine["bits"]:
            raise MomagenError("a modulus below 2^128; a larger one by towers of an RNS", self.q.bit_length(), "bits")
        order = self.n << self.negacyclic
        if powmod(self.root, order // 2, self.q) != self.q - 1:
            raise MomagenError(f"a root of order {order}", self.root, "root")

    @property
    def stages(self) -> int:
        return self.n.bit_length() - 1

    def program(self, design: Design | None = None) -> RpuProgram:
        """The program, its tables and its areas; scheduled for ``design``, or in the order of the algorithm."""
        code, table = self.code()
        body = schedule(code.ops, design) if design else allocate(code.ops)
        begin = [instruction("mload", {"MT": MODULUS, "ADDRESS": 0})]
        areas = {name: Area(at * self.n, self.n) for at, name in enumerate(("x", "y", "room"))}
        areas["twiddles"] = Area(table.begin, table.size)
        return RpuProgram([*begin, *body], {0: [self.q]}, {table.begin: self._twiddles(table)}, areas)

    def code(self) -> tuple[Code, NodeTable]:
        """The transform on virtual registers, and its table."""
        found = passes(self.flow, self.stages, self.depth)
        order = found[::-1] if self.inverse else found
        names = [0, *(1 if (len(order) - at) % 2 == 0 else 2 for at in range(1, len(order))), 1]
        code, table = Code(), NodeTable(3 * self.n)
        for at, (each, source, goal) in enumerate(zip(order, names[:-1], names[1:], strict=True)):
            _Writer(self, code, table, each, source * self.n, goal * self.n).write(at == len(order) - 1)
        return code, table

    def _twiddles(self, table: NodeTable) -> list[int]:
        root = invert(self.root, self.q) if self.inverse else mpz(self.root)
        found = [int(invert(self.n, self.q))]
        for stage, nodes in table.entries:
            step = self.n >> stage + 1
            for node in nodes:
                turn = digit_reversal(node, 1 << stage) if stage else 0
                found.append(int(powmod(root, (2 * turn + 1) * step if self.negacyclic else turn * step, self.q)))
        return found


def best_flow(n: int, design: Design) -> str:
    """The flow that takes fewest cycles, by what was simulated: strided stores where they meet no bank twice and there
    are enough vectors; else one pass over all vectors as long as registers hold them."""
    if design.hash == "xor" and n >= STRIDED:
        return "strided"
    return "unpacked" if n <= HELD else "pease"


class _Writer:
    """Writes one pass."""

    def __init__(self, of: RpuTransform, code: Code, table: NodeTable, flow: PassFlow, source: int, goal: int) -> None:
        self.of, self.code, self.table, self.flow, self.source, self.goal = of, code, table, flow, source, goal
        self.known, self.resident = dict[Nodes, int](), False

    def write(self, last: bool) -> None:
        """All rectangles; ``last``: those of the inverse divide by n."""
        made, bits = [*rectangles(self.flow)], len(self.flow.source)
        stages = [{each.nodes for each in rectangle.work} for rectangle in made]
        self.resident = len(set.union(*stages)) <= RESIDENT
        for rectangle in made:
            if not self.resident:
                self.known.clear()
            if self.of.inverse:
                self._backward(rectangle, bits, last)
            else:
                self._forward(rectangle, bits)

    def _twiddle(self, nodes: tuple[int, ...], stage: int) -> int:
        """A vector of twiddles."""
        key = stage, nodes
        if key not in self.known:
            at, size = self.table.place(key), len(nodes)
            if size == 1:
                self.known[key] = self.code.broadcast(at)
            else:
                mode = ("repeated", size.bit_length() - 1) if size < LANES else ("contiguous", 0)
                self.known[key] = self.code.load(at, *mode)
        return self.known[key]

    def _forward(self, of: Rectangle, bits: int) -> None:
        code = self.code
        wires = {wire: code.load(self.source + address) for wire, address in of.loads}
        for each, stage in zip(of.work, self._stages(of), strict=True):
            x, y = (wires[wire] for wire in each.wires)
            if each.kind == BUTTERFLY:
                made = code.butterfly(x, y, self._twiddle(each.nodes, stage))
            else:
                made = code.shuffle("unpklo", x, y), code.shuffle("unpkhi", x, y)
            wires |= dict(zip(each.results, made, strict=True))
        for wire, address in of.stores:
            code.store(wires[wire], self.goal + address, *self._spread())

    def _backward(self, of: Rectangle, bits: int, last: bool) -> None:
        """x + y and (x - y)·v, and packs, from the last one to the first."""
        code = self.code
        wires = {wire: code.load(self.source + address, *self._spread()) for wire, address in of.stores}
        for each, stage in reversed([*zip(of.work, self._stages(of), strict=True)]):
            x, y = (wires[wire] for wire in each.results)
            if each.kind == BUTTERFLY:
                difference = code.arithmetic("vsub", x, y)
                turned = code.arithmetic("vmul", difference, self._twiddle(each.nodes, stage))
                made = code.arithmetic("vadd", x, y), turned
            else:
                made = code.shuffle("pklo", x, y), code.shuffle("pkhi", x, y)
            wires |= dict(zip(each.wires, made, strict=True))
        scale = code.broadcast(self.table.begin) if last else None
        for wire, address in of.loads:
            done = wires[wire] if scale is None else code.arithmetic("vmul", wires[wire], scale)
            code.store(done, self.goal + address)

    def _spread(self) -> tuple[str, int]:
        return ("strided", self.flow.spread) if self.flow.spread else ("contiguous", 0)

    def _stages(self, of: Rectangle) -> list[int]:
        """The stage of each operation; 0 of an unpack."""
        half = (1 << len(self.flow.local)) // 2
        states = [*self.flow.states()]
        found = []
        for (kind, at), (_, local) in zip(self.flow.steps, states, strict=False):
            stage = len(self.flow.source) - 1 - local[at].number if kind == BUTTERFLY else 0
            found += [stage] * half
        return found
