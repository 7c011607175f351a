"""The longer codelets of `blas`: products of two vectors, and conditional sums and differences."""

from __future__ import annotations

from momagen.ir import Value
from momagen.kernels.butterflies.codelets import Lazy
from momagen.kernels.residues.arith import Arith

from .codelet import Elementwise
from .compare import COMPARES
from .frame import Choices, Frame

HEADROOM = 4
"""Bits that Barrett's quotient has beyond those of q."""


def compare_add(f: Frame) -> Lazy:
    """x + diff modulo R where the comparison holds."""
    x, width = f.any("x"), f.arith.width
    total = f.b.one("low", width, f.b.one("addlo", width, x, f.any("diff")), k=f.arith.held)
    return Lazy(_where(f, x, total, x), 0)


def compare_subtract(f: Frame) -> Lazy:
    """x - diff modulo q where the comparison holds for x as it comes."""
    raw = f.raw("x")
    x = f.residue(raw)
    less = f.difference(x, f.scalar("diff"))
    return Lazy(_where(f, raw, less.value, x.value), max(x.m, less.m))


def _where(f: Frame, x: Value, chosen: Value, otherwise: Value) -> Value:
    """``chosen`` where the comparison of x with the bound holds."""
    width = f.arith.width
    flag = COMPARES[f.choices.compare].flag(f.b, width, x, f.any("bound"))
    return f.b.one("select", width, flag, chosen, otherwise)


def multiply(f: Frame) -> Lazy:
    """x·y for two vectors."""
    if f.choices.product == "montgomery":
        return _product(f, "product_full", f.arith, f.arith.held)
    f.least = 1 << f.arith.bits - 1
    return _product(f, "product", Arith(f.arith.bits + HEADROOM, f.arith.word), f.arith.bits)


def _product(f: Frame, op: str, held: Arith, k: int) -> Lazy:
    """x·y in words that have ``held``'s room for products, and for constants."""
    lazy = f.choices.m_out > 1 and f.arith.room > 1
    x, y = _below(f, 4 if op == "product" else f.arith.room)
    value = f.b.one(op + "_lazy" * lazy, held.width, x.value, y.value, f.q, k=k)
    return Lazy(value, 1 + lazy)


def _below(f: Frame, most: int) -> tuple[Lazy, Lazy]:
    """Factors of the product x·y < most·q², reduced in turn as far as that takes."""
    x, y = f.x, f.y
    while x.m * y.m > most:
        x, y = y, f.reduce(x, x.m // 2)
    return x, y


def montgomery_product(arith: Arith, m_in: int = 1, m_out: int = 1) -> Elementwise:
    """z = x·y/R: a product whose missing factor R some later constant makes good."""
    f = Frame(arith, Choices(m_in=m_in, m_out=m_out))
    return f.finish(f.montgomery(*_below(f, arith.room), m_out))
