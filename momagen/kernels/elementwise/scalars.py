"""Scalar codelets on one residue each: what a plan computes its tables with, and what finishes a vector's tail.

All are z = f(a, b) with q and 1/q modulo R (R = 2^held) at hand, or ⌊R²/q⌋ where q may be even. No division is needed
anywhere: a quotient ⌊v·R/q⌋ is exact once its remainder is known, (v·R - r)/q with r = v·R mod q, so it is -r·(1/q)
modulo R; or it is ⌊v·⌊R²/q⌋/R⌋, or one more.
"""

from __future__ import annotations

from collections.abc import Callable

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded


def _block(arith: Arith, body: Callable[[Builder, Value, Value, Value, Value], Value], reduced: bool = True) -> Block:
    b = Builder()
    full = (1 << arith.held) - 1
    a, c = (b.input(name, 0, arith.top - 1 if reduced else full) for name in "ab")
    b.output("z", body(b, a, c, b.input("q", 0, arith.top), b.input("qi", 0, full)))
    return b.block


def _low(b: Builder, arith: Arith, value: Value) -> Value:
    return b.one("low", arith.width, value, k=arith.held)


def montgomery(arith: Arith) -> Block:
    """a·b/R mod q."""
    return _block(arith, lambda b, x, y, q, qi: b.one("montgomery", arith.width, x, y, q, qi, k=arith.held))


def add(arith: Arith) -> Block:
    """a + b mod q."""
    return _block(arith, lambda b, x, y, q, qi: b.one("addmod", arith.width, x, y, q))


def subtract(arith: Arith) -> Block:
    """a - b mod q."""
    return _block(arith, lambda b, x, y, q, qi: b.one("submod", arith.width, x, y, q))


def quotient(arith: Arith) -> Block:
    """-a·(1/q) mod R: the quotient ⌊v·R/q⌋ from its remainder a = v·R mod q."""

    def body(b: Builder, x: Value, y: Value, q: Value, qi: Value) -> Value:
        product = _low(b, arith, b.one("mullo", arith.width, x, qi))
        return _low(b, arith, b.one("sublo", arith.width, const(0), product))

    return _block(arith, body)


def over(arith: Arith) -> Block:
    """⌊a·R/q⌋ for any q: e = ⌊a·m/R⌋ for m = ⌊R²/q⌋, or e + 1 where a·R - e·q is not below q."""
    b, full, room = Builder(), (1 << arith.held) - 1, arith.room > 1
    a, q = b.input("a", 0, arith.top - 1), b.input("q", 0, arith.top)
    m0, m1 = b.input("m0", 0, full), b.input("m1", 0, full)
    above = b.one("mulhi", arith.width, a, b.one("shl", arith.width, m0, k=arith.width - arith.held))
    e = b.one("addlo", arith.width, b.one("mullo", arith.width, a, m1), above)
    e = bounded(e, 0, full, "constant_quotient")
    width, kept = (arith.width, arith.held) if room else (2 * arith.width, arith.held + 1)
    scaled = const(0) if room else b.one("shl", width, a, k=arith.held)
    left = b.one("low", width, b.one("sublo", width, scaled, b.one("mullo", width, e, q)), k=kept)
    more = b.one("le", width, q, bounded(left, 0, 2 * arith.top - 1, "constant_quotient"))
    b.output("z", bounded(b.one("addclo", arith.width, e, const(0), more), 0, full, "corrected_quotient"))
    return b.block


def divided(arith: Arith) -> Block:
    """⌊(a·2^w + b)/q⌋ for one word of w bits, where a machine divides two of them by one."""
    b, full = Builder(), (1 << arith.held) - 1
    x, y, q = b.input("a", 0, arith.top - 1), b.input("b", 0, full), b.input("q", 1, arith.top)
    b.output("z", b.one("div", arith.width, x, y, q))
    return b.block


def rest(arith: Arith) -> Block:
    """-a·q mod R: the remainder v·R mod q from its quotient a = ⌊v·R/q⌋."""

    def body(b: Builder, x: Value, y: Value, q: Value, qi: Value) -> Value:
        product = _low(b, arith, b.one("mullo", arith.width, x, q))
        return _low(b, arith, b.one("sublo", arith.width, const(0), product))

    return _block(arith, body, reduced=False)


def newton(arith: Arith) -> Block:
    """a·(2 - q·a) mod R: twice as many correct low bits of 1/q."""

    def body(b: Builder, x: Value, y: Value, q: Value, qi: Value) -> Value:
        qx = _low(b, arith, b.one("mullo", arith.width, q, x))
        rest = _low(b, arith, b.one("sublo", arith.width, const(2), qx))
        return _low(b, arith, b.one("mullo", arith.width, x, rest))

    return _block(arith, body, reduced=False)


def half(arith: Arith) -> Block:
    """(q + 1)/2, which is 1/2 mod q: ⌊q/2⌋ + 1 for odd q."""

    def body(b: Builder, x: Value, y: Value, q: Value, qi: Value) -> Value:
        return b.one("addlo", arith.width, b.one("shr", arith.width, q, k=1), const(1))

    return _block(arith, body)


SCALARS: dict[str, Callable[[Arith], Block]] = {
    "mont": montgomery, "add": add, "sub": subtract, "quot": quotient, "newton": newton, "half": half,
    "over": over, "rest": rest, "divide_word": divided,
}  # fmt: skip
