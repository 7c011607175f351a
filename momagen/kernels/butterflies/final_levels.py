"""The last levels of the inverse, with 1/n: 2^levels is divided out by the reduction that ends it anyway."""

from __future__ import annotations

from momagen.ir import Block, Value, const
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded

from .lazy_builder import Drifting


def last(a: ReducedRadix) -> Block:
    """X0 ≡ (x0 + x1)/n and X1 ≡ v·(x0 - x1)/n: the last level."""
    f = Drifting(a)
    x0, x1 = (f.drifted(f"x{i}", a.reach // 2) for i in range(2))
    _out(f, [_sum(f, x0, x1), f.product(f.difference(x0, x1, a.reach // 2), True)])
    return f.b.block


def last_two(a: ReducedRadix) -> Block:
    """X0, X2 ≡ (x0 + x1) ± (x2 + x3) and X1, X3 ≡ (x0 - x1) ± v·(x2 - x3), all over n: the last two levels of x^n - 1,
    whose roots are 1, v and 1."""
    f = Drifting(a)
    x0, x1, x2, x3 = (f.drifted(f"x{i}", a.reach // 4) for i in range(4))
    even, odd = _sum(f, x0, x1), _sum(f, x2, x3)
    rest, t = f.difference(x0, x1, a.reach // 2), f.product(f.difference(x2, x3, a.reach // 2), True)
    first, second = _sum(f, even, odd), _sum(f, rest, t)
    _out(f, [first, second, f.difference(even, odd, a.reach // 2), f.b.one("minus", a.width, rest, t)])
    return f.b.block


def _sum(f: Drifting, x: Value, y: Value) -> Value:
    return f.b.one("plus", f.arith.width, x, y)


def _out(f: Drifting, values: list[Value]) -> None:
    """Results below q, times n; of digits in doubles within ±n·q."""
    a = f.arith
    for i, value in enumerate(values):
        f.b.output(f"X{i}", _over(f, value if a.real else bounded(value, 0, f.top, "lazy_levels")))


def _over(f: Drifting, x: Value) -> Value:
    a, cut = f.arith, const(f.arith.cut)
    if a.real:
        cut, digits, within = const(a.cut + a.word), const(a.words), const(a.reach + 1)
        return f.b.one("near_residue_over", a.word, x, f.q, cut, digits, within, k=a.over)
    x = f.b.one("residue_over", a.width, x, f.q, cut, k=a.over)
    return f.b.one("settle", a.width, x, k=a.word)
