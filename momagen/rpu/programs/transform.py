"""Radix-2 transforms: forward from natural to bit-reversed order, backward the same from behind."""

from __future__ import annotations

from dataclasses import dataclass, field

from gmpy2 import invert, mpz, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

from .wires import Nodes

LEAST, MOST = 1024, 65536
"""Points: two vectors, and what the paper has."""
DEPTH = 4
"""Stages of a rectangle: 16 vectors, their results and twiddles in 64 registers."""
STRIDED = 8192
"""Points from which there are 16 vectors for stages between vectors."""


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
            self.size += len(nodes.blocks)
        return self.places[nodes]


@dataclass(frozen=True)
class RpuTransform:
    """A transform of n points modulo q.

    Attributes:
        root: of order n modulo q; of a negacyclic one of order 2n. inverse: from bit-reversed to natural order, divided
            by n. flow: "pease", "unpacked" or "strided". depth: stages of a rectangle; of unpacked 1, or as many fit.
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
        if not self.q % 2:
            raise MomagenError("an odd modulus, modulo which n has an inverse", self.q, "modulus")
        if not 2 <= self.q < 1 << b512().machine["bits"]:
            raise MomagenError("a modulus below 2^128; a larger one by towers of an RNS", self.q.bit_length(), "bits")
        order = self.n << self.negacyclic
        if powmod(self.root, order // 2, self.q) != self.q - 1:
            raise MomagenError(f"a root of order {order}", self.root, "root")

    @property
    def shape(self) -> tuple[object, ...]:
        """All but modulus and root."""
        return self.n, self.negacyclic, self.inverse, self.flow, self.depth

    @property
    def stages(self) -> int:
        return self.n.bit_length() - 1

    def twiddles(self, table: NodeTable) -> list[int]:
        """The words of a table."""
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
    are enough vectors."""
    return "strided" if design.hash == "xor" and n >= STRIDED else "unpacked"
