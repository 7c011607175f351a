"""Moduli shorter than Barrett's constant is for: the modulus and one factor are shifted up, the result down."""

from __future__ import annotations

from momagen.kernels.residues.arith import Arith
from momagen.lower.names import Q, X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type

from .loops import N

S, SHIFT = Name("s"), Name("shift", Type.INPUT)
"""By how many bits a modulus is too short: an argument, and a field of the plan."""


def write_shifts(writer: ProgramWriter) -> None:
    """The functions short_by(q), shift_up(z, x, n, s) and shift_down(z, x, n, s)."""
    arith = writer.arith
    writer.put(_short_by(arith))
    writer.put(_moved("shift_up", "z = 2^s x for n residues; z may be x.", arith, up=True))
    writer.put(_moved("shift_down", "z = x / 2^s for n residues that it divides; z may be x.", arith, up=False))


def _short_by(arith: Arith) -> Function:
    f = Function("short_by", (Q,), f"By how many bits q is shorter than {arith.bits}.", Type.COUNT)
    s = f.variable("s", 0)
    top = arith.bits - 1 - s
    with f.while_((Q[top // arith.word] >> top % arith.word & 1).is_(0)):
        f.step(s, 1)
    f.give(s)
    return f


def _moved(name: str, doc: str, arith: Arith, up: bool) -> Function:
    count = arith.words
    f = Function(name, (Z, X, N, S), doc, copies="apart")
    if count == 1:
        with f.each("i", N) as i:
            f.set(Z[i], X[i] << S if up else X[i] >> S)
        return f
    whole, bits = f.let("whole", S // arith.word), f.let("bits", S % arith.word)
    with f.each("i", N):
        (_up if up else _down)(f, arith, whole, bits)
        f.step(Z, count)
        f.step(X, count)
    return f


def _up(f: Function, arith: Arith, whole: Expr, bits: Expr) -> None:
    """One residue, from the top word down, so that z may be x."""
    with f.each("w", arith.words, whole + 1, down=True) as w:
        f.set(Z[w], X[w - whole] << bits | X[w - whole - 1] >> 1 >> arith.word - 1 - bits)
    f.set(Z[whole], X[0] << bits)
    with f.each("w", whole) as w:
        f.set(Z[w], 0)


def _down(f: Function, arith: Arith, whole: Expr, bits: Expr) -> None:
    """One residue, from the low word up, so that z may be x."""
    count = arith.words
    last = f.let("last", count - 1 - whole)
    with f.each("w", last) as w:
        f.set(Z[w], X[w + whole] >> bits | X[w + whole + 1] << 1 << arith.word - 1 - bits)
    f.set(Z[last], X[count - 1] >> bits)
    with f.each("w", count, last + 1) as w:
        f.set(Z[w], 0)
