"""Codelets on digits with slack or in doubles: the butterflies of a level, and what precedes and follows all."""

from __future__ import annotations

from momagen.ir import Block, const
from momagen.ir.real import MANTISSA
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded

from .lazy_builder import Drifting


def cooley_tukey(a: ReducedRadix, shared: bool) -> Block:
    """X ≡ x + v·y, Y ≡ x - v·y."""
    f = Drifting(a)
    x, y = f.drifted("x"), f.drifted("y", a.factor)
    t = f.product(y, shared)
    f.level("X", f.b.one("plus", a.width, x, t))
    f.level("Y", f.b.one("minus", a.width, x, t))
    return f.b.block


def gentleman_sande(a: ReducedRadix, shared: bool, settles: bool = True) -> Block:
    """X ≡ x + y, Y ≡ v·(x - y); ``settles``: the last level of ``pace``, which settles X."""
    f = Drifting(a)
    x, y = (f.drifted(name, unsettled=a.pace - 1 - (not settles)) for name in "xy")
    f.level("X", f.b.one("plus", a.width, x, y), settles)
    f.level("Y", f.product(f.difference(x, y, a.reach), shared))
    return f.b.block


def lift(a: ReducedRadix) -> Block:
    """X = x + lift·q for x below m_in·q where values must not go below zero, else X = x; or reduced, where one double
    is to hold it."""
    f = Drifting(a)
    f.b.output("X", f.lifted(f.given("x"), a.m_in))
    return f.b.block


def first(a: ReducedRadix) -> Block:
    """X0, X1 ≡ x0 ± v·x1: the first level, on what comes in."""
    f = Drifting(a)
    x, t = f.lifted(f.given("x0"), a.m_in), f.product(f.given("x1"), True)
    f.level("X0", f.b.one("plus", a.width, x, t))
    f.level("X1", f.b.one("minus", a.width, x, t))
    return f.b.block


def first_two(a: ReducedRadix) -> Block:
    """X0, X1 ≡ (x0 + x2) ± (x1 + x3) and X2, X3 ≡ (x0 - x2) ± v·(x1 - x3): the first two levels of x^n - 1, whose
    roots are 1, 1 and v."""
    f = Drifting(a)
    x0, x1, x2, x3 = (f.given(f"x{i}") for i in range(4))
    if not a.factor:
        x0 = f.b.one("minus", a.width, x0, f.q) if a.real else f.lifted(x0, a.m_in)
    even, odd = f.b.one("plus", a.width, x0, x2), f.b.one("plus", a.width, x1, x3)
    y = f.b.one("minus", a.width, f.lifted(x1, a.m_in), x3)
    y = y if a.real else bounded(y, 0, f.top, "offset_difference")
    rest, t = f.b.one("minus", a.width, x0, x2), f.product(y, True)
    for at, (one, other) in enumerate(((even, odd), (rest, t))):
        f.level(f"X{2 * at}", f.b.one("plus", a.width, one, other))
        f.level(f"X{2 * at + 1}", f.b.one("minus", a.width, one, other))
    return f.b.block


def settle(a: ReducedRadix) -> Block:
    """X = x with small digits, or x less the multiple of q next to it; or below 2q, and lifted again, with digits that
    levels left where these settle none (``steps`` counts what is added)."""
    f = Drifting(a)
    x = f.drifted("x")
    if a.reduces_between and not a.real:
        x = f.lifted(f.b.one("residue_lazy", a.width, x, f.q, k=a.cut), 2)
        f.b.output("X", f.settled(x) if a.settles else x)
        return f.b.block
    x = f.nearest(x) if a.reduces_between else x
    f.b.output("X", x if a.single else f.settled(x))
    return f.b.block


def finish(a: ReducedRadix) -> Block:
    """X ≡ x below m_out·q, after the last level."""
    f = Drifting(a)
    f.reduced("X", f.drifted("x", a.last), a.m_out)
    return f.b.block


def rest(a: ReducedRadix) -> Block:
    """X ≡ x below resting·q, between two passes."""
    f = Drifting(a)
    f.reduced("X", f.drifted("x"), a.resting)
    return f.b.block


def resume(a: ReducedRadix) -> Block:
    """X ≡ x below resting·q, with room for the differences of all levels."""
    f = Drifting(a)
    f.b.output("X", f.lifted(a.residue(f.b, "x", a.resting), a.resting))
    return f.b.block


def scaled(a: ReducedRadix) -> Block:
    """X ≡ v·x below m_out·q."""
    f = Drifting(a)
    f.reduced("X", f.product(f.drifted("x"), shared=True), a.m_out)
    return f.b.block


def canonical(a: ReducedRadix, ends: tuple[str, ...] = ("",)) -> Block:
    """X = x mod n·q where -n·q < x < n·q, for n = 2^over, on integers in lanes; ``negative`` says whether x is. Once
    for each of ``ends`` of these names."""
    f, zero, top = Drifting(a), const(0), a.top << a.over
    whole = f.b.one("shl", a.width, f.q, k=a.over) if a.over else f.q
    for end in ends:
        x = f.digits(f"x{end}", (1 - top, top - 1), 1 << MANTISSA - 2)
        negative = f.b.input(f"negative{end}", 0, 1, "flag")
        total = f.b.one("plus", a.width, x, f.b.one("select", a.width, negative, whole, zero))
        total = bounded(total, 0, top - 1, "sign_correction")
        f.b.output(f"X{end}", f.b.one("settle", a.width, total, k=a.word))
    return f.b.block
