"""Inverses of many residues by one inversion (Montgomery's trick): a chain of products forward, and one backward.

Zero has no inverse; it counts as 1 in the chains, by a mask, and its result is zero. Products are over R = 2^held, so
that prefixes p_i = x_i·p_(i-1)/R and u_i = 1/p_i give 1/x_i = u_i·p_(i-1)/R and u_(i-1) = u_i·x_i/R: whatever factor
u_i starts with, all results have.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.arith import Arith

KIND, TEXT = "vinv", "1/x"
"""The kernel, and what it computes, for people; 0 for 0."""


class InverseCodelet(NamedTuple):
    """The codelets' names of what they read, and of what they give."""

    vectors: tuple[str, ...]
    results: tuple[str, ...]


FORWARD = InverseCodelet(("t", "x"), ("z",))
BACKWARD = InverseCodelet(("u", "t", "x"), ("z", "u"))


class InverseBuilder:
    """Makes both codelets, on residues below q; q is odd."""

    def __init__(self, arith: Arith) -> None:
        self.arith, self.b = arith, Builder()
        self.q = arith.q(self.b)
        self.x = arith.residue(self.b, "x")
        self.none = self.b.one("eq", arith.width, self.x, const(0))

    def operand(self, name: str) -> Value:
        return self.arith.residue(self.b, name)

    def instead(self, of_none: int, x: Value) -> Value:
        """x, or ``of_none`` where there is no inverse."""
        return self.b.one("select", self.arith.width, self.none, const(of_none), x)

    def product(self, x: Value, y: Value) -> Value:
        """x·y/R mod q."""
        held, width = self.arith.held, self.arith.width
        return self.b.one("montgomery", width, x, y, self.q, self.b.one("inverse", width, self.q, k=held), k=held)


def forward(arith: Arith) -> Builder:
    """z = t·x/R, or t·1/R where x is 0."""
    f = InverseBuilder(arith)
    f.b.output("z", f.product(f.operand("t"), f.instead(1, f.x)))
    return f.b


def backward(arith: Arith) -> Builder:
    """z = u·t/R, or 0 where x is 0; u becomes u·x/R, or u·1/R."""
    f = InverseBuilder(arith)
    u, t = f.operand("u"), f.operand("t")
    f.b.output("z", f.instead(0, f.product(u, t)))
    f.b.output("u", f.product(u, f.instead(1, f.x)))
    return f.b
