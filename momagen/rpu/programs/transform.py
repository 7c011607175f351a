"""Radix-2 transforms by constant geometry (Pease 1968; Korn and Lambiotte 1979), in rectangles.

Point i of n lies in lane i mod 512 of vector ⌊i/512⌋. Each stage takes points i and i + n/2 to points 2i and 2i + 1: of
two vectors, a butterfly and both unpacks. A rectangle of depth d is what 2^d vectors go through in d stages without
memory. Forward from natural to bit-reversed order, twiddle i mod 2^s of stage s; backward the same in reverse, with
packs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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

LANES = b512().machine["lanes"]
LEAST, MOST = 1024, 65536
"""Points: two vectors, and what the paper has."""
DEPTH = 4
"""Stages of a rectangle: 16 vectors and their results in 64 registers."""


@dataclass(frozen=True)
class RpuTransform:
    """A transform of n points modulo q.

    Attributes:
        root: of order n modulo q; of a negacyclic one of order 2n. inverse: from bit-reversed to natural order, divided
            by n. depth: stages of a rectangle; 1 goes to memory after each.
    """

    n: int
    q: int
    root: int
    negacyclic: bool = False
    inverse: bool = False
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

    @property
    def vectors(self) -> int:
        return self.n // LANES

    @property
    def height(self) -> int:
        """Vectors of a rectangle."""
        return min(1 << self.depth, self.vectors)

    @property
    def places(self) -> dict[str, Area]:
        """Where vectors and tables lie: x, y, room for what goes between rectangles, and the twiddles of all stages,
        those of stage s from word 2^s on, before them 1/n."""
        return {name: Area(at * self.n, self.n) for at, name in enumerate(("x", "y", "room", "twiddles"))}

    def twiddles(self) -> list[int]:
        """The table."""
        root = invert(self.root, self.q) if self.inverse else mpz(self.root)
        found = [int(invert(self.n, self.q))]
        for stage in range(self.stages):
            step = self.n >> stage + 1
            for block in range(1 << stage):
                turn = digit_reversal(block, 1 << stage) if stage else 0
                found.append(int(powmod(root, (2 * turn + 1) * step if self.negacyclic else turn * step, self.q)))
        return found

    def program(self, design: Design | None = None) -> RpuProgram:
        """The program, its tables and its areas; scheduled for ``design``, or in the order of the algorithm."""
        ops = self.code().ops
        body = schedule(ops, design) if design else allocate(ops)
        begin = [instruction("mload", {"MT": MODULUS, "ADDRESS": 0})]
        tables = {self.places["twiddles"].begin: self.twiddles()}
        return RpuProgram([*begin, *body], {0: [self.q]}, tables, self.places)

    def code(self) -> Code:
        """The transform on virtual registers."""
        code, places = Code(), self.places
        groups = list(self._groups())
        order = list(reversed(groups)) if self.inverse else groups
        steps = ["x", *("y" if (len(order) - at) % 2 == 0 else "room" for at in range(1, len(order))), "y"]
        for (first, depth), source, goal in zip(order, steps[:-1], steps[1:], strict=True):
            for fixed in range(self.vectors // self.height):
                write = _backward if self.inverse else _forward
                write(self, code, first, depth, fixed, places[source].begin, places[goal].begin)
        return code

    def _groups(self) -> Iterator[tuple[int, int]]:
        """Rectangles: the first stage of each, and how many."""
        most = self.stages if self.height == self.vectors else self.depth
        for at in range(0, self.stages, most):
            yield at, min(most, self.stages - at)

    def twiddle(self, code: Code, stage: int, pair: int, known: dict[tuple[int, int], int]) -> int:
        """The vector of twiddles of butterflies 512·pair and following; ``known``: those that a rectangle has."""
        lanes = LANES.bit_length() - 1
        row = pair % (1 << stage - lanes) if stage > lanes else 0
        if (stage, row) not in known:
            at = self.places["twiddles"].begin + (1 << stage) + LANES * row
            if stage == 0:
                known[stage, row] = code.broadcast(at)
            else:
                known[stage, row] = code.load(at, "repeated", stage) if stage < lanes else code.load(at)
        return known[stage, row]


def _forward(of: RpuTransform, code: Code, first: int, depth: int, fixed: int, source: int, goal: int) -> None:
    """One rectangle: vectors whose low bits are ``fixed``, through stages from ``first`` on."""
    count, rest = of.height, of.vectors // of.height
    held = [code.load(source + LANES * (at * rest + fixed)) for at in range(count)]
    known = dict[tuple[int, int], int]()
    for stage in range(first, first + depth):
        moved = list[int]()
        for at in range(count // 2):
            pair = _pair(at, stage - first, fixed, rest)
            u, v = code.butterfly(held[at], held[at + count // 2], of.twiddle(code, stage, pair, known))
            if stage == of.stages - 1:
                code.store(u, goal + 2 * LANES * pair, "strided", 1)
                code.store(v, goal + 2 * LANES * pair + 1, "strided", 1)
            else:
                moved += [code.shuffle("unpklo", u, v), code.shuffle("unpkhi", u, v)]
        held = moved
    for at, vector in enumerate(held):
        code.store(vector, goal + LANES * (fixed * count + at))


def _pair(at: int, passed: int, fixed: int, rest: int) -> int:
    """The number, among all of a stage, of a rectangle's butterfly ``at`` behind ``passed`` of its stages."""
    # Bits of a vector's number that a rectangle began with stand above ``fixed``, new ones below it.
    return ((at >> passed) * rest + fixed << passed) + (at & (1 << passed) - 1)


def _backward(of: RpuTransform, code: Code, first: int, depth: int, fixed: int, source: int, goal: int) -> None:
    """The same from behind: x + y and (x - y)·v of even and odd points."""
    count, rest = of.height, of.vectors // of.height
    last, known = first + depth == of.stages, dict[tuple[int, int], int]()
    held = [] if last else [code.load(source + LANES * (fixed * count + at)) for at in range(count)]
    for stage in reversed(range(first, first + depth)):
        sums, differences = list[int](), list[int]()
        for at in range(count // 2):
            pair = _pair(at, stage - first, fixed, rest)
            if stage == of.stages - 1:
                x, y = (code.load(source + 2 * LANES * pair + odd, "strided", 1) for odd in (0, 1))
            else:
                x, y = (code.shuffle(name, held[2 * at], held[2 * at + 1]) for name in ("pklo", "pkhi"))
            sums.append(code.arithmetic("vadd", x, y))
            turned = code.arithmetic("vsub", x, y)
            differences.append(code.arithmetic("vmul", turned, of.twiddle(code, stage, pair, known)))
        held = [*sums, *differences]
    scale = code.broadcast(of.places["twiddles"].begin) if first == 0 else None
    for at, vector in enumerate(held):
        done = vector if scale is None else code.arithmetic("vmul", vector, scale)
        code.store(done, goal + LANES * (at * rest + fixed))
