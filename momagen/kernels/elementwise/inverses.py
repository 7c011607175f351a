"""The inverses of many residues by one inversion (Montgomery's trick): a chain of products forward and one backward.

Zero has no inverse. A mask replaces it by 1 in the chains, and its result is zero. Products are divided by R
= 2^held, so that prefixes p_i = x_i·p_(i-1)/R and u_i = 1/p_i give 1/x_i = u_i·p_(i-1)/R and u_(i-1) =
u_i·x_i/R. A factor in the first u_i is a factor of all results.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import Builder, Value, const
from momagen.kernels.butterflies.codelets import CodeletBuilder
from momagen.kernels.residues.arith import Arith

KIND, TEXT = "vinv", "1/x"
"""The name of the kernel, and its formula for readers."""


class InverseCodelet(NamedTuple):
    """The names of the inputs and of the outputs of a codelet."""

    vectors: tuple[str, ...]
    results: tuple[str, ...]


FORWARD = InverseCodelet(("t", "x"), ("z",))
"""The codelet of the forward chain."""
BACKWARD = InverseCodelet(("u", "t", "x"), ("z", "u"))
"""The codelet of the backward chain."""


class InverseBuilder(CodeletBuilder):
    """A builder of both codelets, on residues below an odd q."""

    def __init__(self, arith: Arith) -> None:
        super().__init__(arith)
        _ = self.q
        self.x = self.operand("x")
        self.none = self.one("eq", self.x, const(0))

    def operand(self, name: str) -> Value:
        """Return a new input."""
        return self.arith.residue(self.b, name)

    def instead(self, of_none: int, x: Value) -> Value:
        """Return x, or ``of_none`` if the element is zero."""
        return self.one("select", self.none, const(of_none), x)

    def product(self, x: Value, y: Value) -> Value:
        """Return x·y/R mod q."""
        held = self.arith.held
        return self.one("montgomery", x, y, self.q, self.one("inverse", self.q, k=held), k=held)


def forward(arith: Arith) -> Builder:
    """Return the codelet z = t·x/R, or z = t·1/R if x is 0."""
    f = InverseBuilder(arith)
    f.b.output("z", f.product(f.operand("t"), f.instead(1, f.x)))
    return f.b


def backward(arith: Arith) -> Builder:
    """Return the codelet z = u·t/R, or z = 0 if x is 0, which replaces u by u·x/R, or by u·1/R."""
    f = InverseBuilder(arith)
    u, t = f.operand("u"), f.operand("t")
    f.b.output("z", f.instead(0, f.product(u, t)))
    f.b.output("u", f.product(u, f.instead(1, f.x)))
    return f.b
