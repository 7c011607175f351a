"""Codelets on reduced-radix limbs: the butterflies of a level, and the steps before and after all levels."""

from __future__ import annotations

from momagen.ir import Block, const
from momagen.ir.real import MANTISSA
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded

from .lazy_builder import LazyBuilder


def cooley_tukey(a: ReducedRadix, shared: bool) -> Block:
    """Return the codelet X ≡ x + v·y, Y ≡ x - v·y. ``shared`` is whether all lanes share v."""
    f = LazyBuilder(a)
    x, y = f.drifted("x"), f.drifted("y", a.factor)
    t = f.product(y, shared)
    f.level("X", f.sum(x, t))
    f.level("Y", f.minus(x, t))
    return f.b.block


def gentleman_sande(a: ReducedRadix, shared: bool, settles: bool = True) -> Block:
    """Return the codelet X ≡ x + y, Y ≡ v·(x - y).

    Args:
        a: The representation of residues.
        shared: Whether all lanes share v.
        settles: Whether this level, the last of ``pace`` levels, normalises the carries of X.
    """
    f = LazyBuilder(a)
    x, y = (f.drifted(name, unsettled=a.pace - 1 - (not settles)) for name in "xy")
    f.level("X", f.sum(x, y), settles)
    f.level("Y", f.product(f.difference(x, y, a.reach), shared))
    return f.b.block


def lift(a: ReducedRadix, m: int) -> Block:
    """Return the codelet that prepares an input x below m·q for the first level.

    X is x + lift·q if values must not become negative, and otherwise x, reduced if one double must hold it.
    """
    f = LazyBuilder(a)
    f.b.output("X", f.lifted(f.given("x", m), m))
    return f.b.block


def first(a: ReducedRadix, legs: int) -> Block:
    """Return the codelet of the first levels, on inputs from outside the transform.

    For two inputs it computes one level, X0, X1 ≡ x0 ± v·x1. For four inputs it computes the first two levels
    of x^n - 1, whose roots are 1, 1 and v: X0, X1 ≡ (x0 + x2) ± (x1 + x3) and X2, X3 ≡ (x0 - x2) ± v·(x1 -
    x3).

    Args:
        a: The representation of residues.
        legs: The number of inputs, 2 or 4.
    """
    f = LazyBuilder(a)
    xs = [f.given(f"x{i}", a.m_in) for i in range(legs)]
    if legs == 2:
        pairs = [(f.lifted(xs[0], a.m_in), f.product(xs[1], True))]
    else:
        x0, x1, x2, x3 = xs
        if not a.factor:
            x0 = f.minus(x0, f.q) if a.real else f.lifted(x0, a.m_in)
        pairs = [(f.sum(x0, x2), f.sum(x1, x3))]
        y = f.minus(f.lifted(x1, a.m_in), x3)
        y = y if a.real else bounded(y, 0, f.top, "offset_difference")
        pairs.append((f.minus(x0, x2), f.product(y, True)))
    for at, (x, t) in enumerate(pairs):
        f.level(f"X{2 * at}", f.sum(x, t))
        f.level(f"X{2 * at + 1}", f.minus(x, t))
    return f.b.block


def settle(a: ReducedRadix) -> Block:
    """Return the codelet that prepares a value x for the next pass.

    X is x with normalised carries, or x minus the nearest multiple of q if passes begin with a reduction. On
    integers such a reduction leaves a value below 2q, to which the offset is added again; its limbs keep the
    usual range if levels do not normalise carries.
    """
    f = LazyBuilder(a)
    x = f.drifted("x")
    if a.reduces_between:
        x = f.nearest(x) if a.real else f.lifted(f.one("residue_lazy", x, f.q, k=a.cut), 2)
    same = a.single or (a.reduces_between and not a.real and not a.settles)
    f.b.output("X", x if same else f.settled(x, a.loose if a.settles else a.word + 1))
    return f.b.block


def copied(a: ReducedRadix) -> Block:
    """Return the codelet X = x."""
    f = LazyBuilder(a)
    f.b.output("X", f.drifted("x"))
    return f.b.block


def finish(a: ReducedRadix, within: int, most: int, scaled: bool = False) -> Block:
    """Return the codelet for x within ``within``·q after the last level or between two passes.

    X is congruent to x, or with ``scaled`` to v·x, and is below most·q.
    """
    f = LazyBuilder(a)
    x = f.drifted("x", within)
    f.b.output("X", f.reduced(f.product(x, True) if scaled else x, most))
    return f.b.block


def last(a: ReducedRadix, legs: int) -> Block:
    """Return the codelet of the last levels of the inverse transform, which divides by n.

    The final reduction also divides by 2^levels. For two inputs it computes X0 ≡ (x0 + x1)/n and X1 ≡ v·(x0 -
    x1)/n. For four inputs it computes the last two levels of x^n - 1, whose roots are 1, v and 1: X0, X2 ≡
    (x0 + x1) ± (x2 + x3) and X1, X3 ≡ (x0 - x1) ± v·(x2 - x3), over n.

    Args:
        a: The representation of residues.
        legs: The number of inputs, 2 or 4.
    """
    f = LazyBuilder(a)
    half = a.reach // 2
    xs = [f.drifted(f"x{i}", a.reach // legs) for i in range(legs)]
    pairs = [(x, y) for x, y in zip(xs[::2], xs[1::2], strict=True)]
    sums, rests = [f.sum(x, y) for x, y in pairs], [f.difference(x, y, half) for x, y in pairs]
    found = [*sums, *rests[:-1], f.product(rests[-1], True)]
    if legs > 2:
        even, odd, rest, t = found
        found = [f.sum(even, odd), f.sum(rest, t), f.difference(even, odd, half), f.minus(rest, t)]
    for i, x in enumerate(found):
        f.b.output(f"X{i}", f.reduced(x if a.real else bounded(x, 0, f.top, "lazy_levels"), 1, a.over))
    return f.b.block


def canonical(a: ReducedRadix, ends: tuple[str, ...] = ("",)) -> Block:
    """Return the codelet X = x mod n·q for -n·q < x < n·q and n = 2^over, on integers in lanes.

    The input ``negative`` states whether x is negative.

    Args:
        a: The representation of residues.
        ends: The suffixes of names; the codelet has one copy of all operations for each suffix.
    """
    f = LazyBuilder(a)
    zero, top = const(0), a.top << a.over
    whole = f.one("shl", f.q, k=a.over) if a.over else f.q
    for end in ends:
        x = f.digits(f"x{end}", (1 - top, top - 1), 1 << MANTISSA - 2)
        negative = f.b.input(f"negative{end}", 0, 1, "flag")
        total = bounded(f.sum(x, f.one("select", negative, whole, zero)), 0, top - 1, "sign_correction")
        f.b.output(f"X{end}", f.one("settle", total, k=a.word))
    return f.b.block
