"""The longer codelets of `blas`: products of two vectors, and conditional sums and differences."""

from __future__ import annotations

from momagen.ir import Value
from momagen.kernels.butterflies.codelets import Lazy
from momagen.kernels.residues.arith import Arith

from .codelet import Elementwise
from .compare import COMPARES
from .frame import Choices, Frame


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
    return {"barrett": _barrett, "montgomery": _montgomery}[f.choices.product](f, f.x, f.y)


def _barrett(f: Frame, x: Lazy, y: Lazy) -> Lazy:
    """x·y for q of exactly k bits; μ = ⌊(2^(2k + 3) - 1)/q⌋ has four bits more, and the operation room for it."""
    x, y = _below(f, x, y, 4)
    k, (op, m) = f.arith.bits, ("barrett_lazy", 2) if f.choices.m_out > 1 else ("barrett", 1)
    mu = f.arith.constant(f.b, "mu", (1 << k + 4) - 1, lambda q: ((1 << 2 * k + 3) - 1) // q)
    return Lazy(f.b.one(op, Arith(k + 4, f.arith.word).width, x.value, y.value, f.q, mu, k=k), m)


def _montgomery(f: Frame, x: Lazy, y: Lazy) -> Lazy:
    """(x·y/R)·R²/R = x·y for any odd q."""
    return f.montgomery(f.montgomery(*_below(f, x, y, f.arith.room), f.arith.room), f.square, f.choices.m_out)


def _below(f: Frame, x: Lazy, y: Lazy, most: int) -> tuple[Lazy, Lazy]:
    """Factors of the product x·y < most·q², reduced in turn as far as that takes."""
    while x.m * y.m > most:
        x, y = y, f.reduce(x, x.m // 2)
    return x, y


def montgomery_product(arith: Arith, m_in: int = 1, m_out: int = 1) -> Elementwise:
    """z = x·y/R: a product whose missing factor R some later constant makes good."""
    f = Frame(arith, Choices(m_in=m_in, m_out=m_out))
    return f.finish(f.montgomery(*_below(f, f.x, f.y, arith.room), m_out))
