"""Radix-2 transforms: forward from natural to bit-reversed order, backward the same from behind."""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import powmod

from momagen.errors import MomagenError, among
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

from .flow import FLOWS
from .twiddles import RingTwiddles

LEAST, MOST = 1024, 65536
"""Points: two vectors, and what the paper has."""
DEPTH = 4
"""Stages of a rectangle: 16 vectors, their results and twiddles in 64 registers."""
STRIDED = 8192
"""Points from which there are 16 vectors for stages between vectors."""


@dataclass(frozen=True)
class TransformShape:
    """A transform of n points modulo any q.

    Attributes:
        inverse: from bit-reversed to natural order, divided by n. flow: "pease", "unpacked" or "strided". depth: stages
            of a rectangle; of unpacked 1, or as many as fit. in_time: of an inverse, one instruction a butterfly, for
            up to five times the words of tables; else three.
    """

    n: int
    negacyclic: bool = False
    inverse: bool = False
    flow: str = "pease"
    depth: int = DEPTH
    in_time: bool = False

    def __post_init__(self) -> None:
        if not LEAST <= self.n <= MOST or self.n & self.n - 1:
            raise MomagenError(f"a power of two from {LEAST} to {MOST}", self.n, "n")
        if self.flow not in FLOWS:
            raise among("one of the data flows", FLOWS, self.flow, "flow")
        if not 1 <= self.depth <= DEPTH:
            raise MomagenError(f"from 1 to {DEPTH} butterfly levels per rectangle", self.depth, "depth")

    @property
    def stages(self) -> int:
        return self.n.bit_length() - 1

    @property
    def order(self) -> int:
        """Of the root."""
        return self.n << self.negacyclic

    @property
    def twiddles(self) -> RingTwiddles:
        return RingTwiddles(self.stages, self.negacyclic, self.inverse, self.in_time)


@dataclass(frozen=True)
class RpuTransform:
    """A transform of n points modulo q.

    Attributes:
        root: of order n modulo q; of a negacyclic one of order 2n. The others are of :class:`TransformShape`.
    """

    n: int
    q: int
    root: int
    negacyclic: bool = False
    inverse: bool = False
    flow: str = "pease"
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if not self.q % 2:
            raise MomagenError("an odd modulus, so that n has an inverse", self.q, "modulus")
        if not 2 <= self.q < 1 << b512().machine["bits"]:
            hint = "for larger numbers use an RNS basis of several moduli"
            raise MomagenError("a modulus from 3 to 2^128 - 1", f"{self.q.bit_length()} bits", "modulus", hint)
        order = self.shape.order
        if powmod(self.root, order // 2, self.q) != self.q - 1:
            raise MomagenError(f"a root of unity of order {order} modulo q", self.root, "root")

    @property
    def shape(self) -> TransformShape:
        """All but modulus and root."""
        return TransformShape(self.n, self.negacyclic, self.inverse, self.flow, self.depth)

    @property
    def stages(self) -> int:
        return self.shape.stages


def best_flow(n: int, design: Design) -> str:
    """The flow that takes fewest cycles, by what was simulated: strided stores where they meet no bank twice and there
    are enough vectors."""
    return "strided" if design.hash == "xor" and n >= STRIDED else "unpacked"
