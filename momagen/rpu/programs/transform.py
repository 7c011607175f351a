"""Radix-2 transforms: forward from natural to bit-reversed order, and inverse with the same steps in reversed order."""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import powmod

from momagen.errors import MomagenError, among
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import Design

from .flow import FLOWS

LEAST, MOST = 1024, 65536
"""The smallest number of points, which fill two vectors, and the largest number of points in the paper."""
DEPTH = 4
"""The largest number of stages of a rectangle: 16 vectors, with results and twiddles, fit 64 registers."""
STRIDED = 8192
"""The number of points from which on there are 16 vectors for the stages between vectors."""


@dataclass(frozen=True)
class TransformShape:
    """A transform of n points modulo any q.

    Attributes:
        n: The number of points.
        negacyclic: Whether the transform is negacyclic.
        inverse: Whether it is the inverse, from bit-reversed to natural order with a division by n.
        flow: The data flow: "pease", "unpacked" or "strided".
        depth: The largest number of stages of a rectangle. The data flow "unpacked" has one stage if the
            depth is 1, and otherwise as many as fit.
        in_time: Whether an inverse transform decimates in time. A butterfly then takes one instruction
            instead of three, and the tables have up to five times as many words.
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
        """The number of stages."""
        return self.n.bit_length() - 1

    @property
    def order(self) -> int:
        """The order of the root."""
        return self.n << self.negacyclic


@dataclass(frozen=True)
class RpuTransform:
    """A transform of n points modulo q.

    Attributes:
        n: The number of points.
        q: The modulus.
        root: The root, of order n modulo q, or 2n if the transform is negacyclic.
        negacyclic: Whether the transform is negacyclic.
        inverse: Whether it is the inverse.
        flow: The data flow.
        depth: The largest number of stages of a rectangle.
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
        """The transform without modulus and root."""
        return TransformShape(self.n, self.negacyclic, self.inverse, self.flow, self.depth)

    @property
    def stages(self) -> int:
        """The number of stages."""
        return self.shape.stages


def best_flow(n: int, design: Design) -> str:
    """Return the data flow that took the fewest cycles in simulations.

    Strided stores are best if they do not access a bank twice and there are enough vectors.
    """
    return "strided" if design.hash == "xor" and n >= STRIDED else "unpacked"
