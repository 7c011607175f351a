"""Scalar codelets on one residue each: what a plan computes its tables with, and what finishes a vector's tail.

All are z = f(a, b) with q and 1/q modulo R (R = 2^held) at hand, or ⌊R²/q⌋ where q may be even. No division is needed
anywhere: a quotient ⌊v·R/q⌋ is exact once its remainder is known, (v·R - r)/q with r = v·R mod q, so it is -r·(1/q)
modulo R; or it is ⌊v·⌊R²/q⌋/R⌋, or one more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded


class Scalar:
    """The operands of one codelet, and operations on the words that hold a residue."""

    def __init__(self, arith: Arith, body: Callable[[Scalar], Value]) -> None:
        self.arith, self.b, self.held, self.full = arith, Builder(), arith.held, (1 << arith.held) - 1
        self.q = self.b.input("q", 0, arith.top)
        self.b.output("z", body(self))

    def residue(self, name: str) -> Value:
        """An operand below q."""
        return self.arith.residue(self.b, name)

    def any(self, name: str) -> Value:
        """An operand that may be anything its words hold."""
        return self.b.input(name, 0, self.full)

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        return self.b.one(op, self.arith.width, *args, k=k)

    def modulo(self, op: str, x: Value, y: Value) -> Value:
        """The result modulo R."""
        return self.one("low", self.one(op, x, y), k=self.held)

    def minus(self, x: Value, y: Value) -> Value:
        """-x·y modulo R."""
        return self.modulo("sublo", const(0), self.modulo("mullo", x, y))


def newton(s: Scalar) -> Value:
    """a·(2 - q·a) mod R: twice as many correct low bits of 1/q."""
    a = s.any("a")
    return s.modulo("mullo", a, s.modulo("sublo", const(2), s.modulo("mullo", s.q, a)))


def over(s: Scalar) -> Value:
    """⌊a·R/q⌋ for any q: e = ⌊a·m/R⌋ for m = ⌊R²/q⌋, or e + 1 where a·R - e·q is not below q."""
    a, m0, m1, room, top = s.residue("a"), s.any("m0"), s.any("m1"), s.arith.room > 1, s.arith.top
    above = s.one("mulhi", a, s.one("shl", m0, k=s.arith.width - s.held))
    e = bounded(s.one("addlo", s.one("mullo", a, m1), above), 0, s.full, "constant_quotient")
    width, kept = (s.arith.width, s.held) if room else (2 * s.arith.width, s.held + 1)
    scaled = const(0) if room else s.b.one("shl", width, a, k=s.held)
    left = s.b.one("low", width, s.b.one("sublo", width, scaled, s.b.one("mullo", width, e, s.q)), k=kept)
    more = s.b.one("le", width, s.q, bounded(left, 0, 2 * top - 1, "constant_quotient"))
    return bounded(s.one("addclo", e, const(0), more), 0, s.full, "corrected_quotient")


BODIES: dict[str, Callable[[Scalar], Value]] = {
    "mont": lambda s: s.one("montgomery", s.residue("a"), s.residue("b"), s.q, s.any("qi"), k=s.held),
    "add": lambda s: s.one("addmod", s.residue("a"), s.residue("b"), s.q),
    "sub": lambda s: s.one("submod", s.residue("a"), s.residue("b"), s.q),
    "quot": lambda s: s.minus(s.residue("a"), s.any("qi")),
    "newton": newton,
    "over": over,
    "rest": lambda s: s.minus(s.any("a"), s.q),
    "divide_word": lambda s: s.one("div", s.residue("a"), s.any("b"), s.q),
}
"""a·b/R mod q; a ± b mod q; ⌊v·R/q⌋ from its remainder a = v·R mod q; 1/q; ⌊a·R/q⌋; the
remainder v·R mod q from its quotient a; ⌊(a·2^w + b)/q⌋ for one word, where a machine divides two of them by one."""


@lru_cache(maxsize=64)
def scalar(name: str, arith: Arith) -> Block:
    """The codelet ``name`` of ``BODIES``."""
    return Scalar(arith, BODIES[name]).b.block
