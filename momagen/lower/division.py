"""Powers of two divided by the modulus, for a plan: quotients that products by Barrett's and Shoup's begin with."""

from __future__ import annotations

from momagen.program import Function, Name, Type
from momagen.program.build import word

from .names import Q, Z
from .writer import ProgramWriter

WORDS, BITS, MU = Name("words"), Name("bits"), Name("mu", Type.WORDS)
FULL = word((1 << 64) - 1)


def write_divide(writer: ProgramWriter) -> str:
    """The function divide(z, words, bits, q). It needs "add"."""
    count = writer.arith.words
    doc = (
        "z = floor(2^bits / q) in ``words`` words, bit by bit: a remainder is doubled, and less than it was where q"
        " comes off. Whether q divides 2^bits."
    )
    f = Function("divide", (Z, WORDS, BITS, Q), doc, Type.COUNT)
    f.clear(Z, WORDS)
    r = f.array("r", count, first=[1])
    with f.each("i", BITS):
        twice = f.array("twice", count)
        f.do(writer.call("add", twice, r, r, Q))
        bit = f.variable("bit", 0, Type.WORD)
        with f.each("w", count) as w:
            f.set(bit, (twice[w] < r[w]) | (twice[w].is_(r[w]) & bit))
            f.set(r[w], twice[w])
        with f.each("w", WORDS) as w:
            top = f.let("top", Z[w] >> 63)
            f.set(Z[w], Z[w] << 1 | bit)
            f.set(bit, top)
    left = f.variable("left", 0, Type.WORD)
    with f.each("w", count) as w:
        f.set(left, left | r[w])
    f.give(left.is_(0))
    return writer.put(f)


def write_barrett_constant(writer: ProgramWriter) -> str:
    """The function barrett_constant(mu, words, bits, q). It needs "divide"."""
    doc = (
        "mu = floor((2^bits - 1) / q): for a power of two one less than 2^bits / q, whose top bit may be one too high."
    )
    f = Function("barrett_constant", (MU, WORDS, BITS, Q), doc)
    less = f.variable("less", writer.call("divide", MU, WORDS, BITS, Q), Type.WORD)
    with f.each("w", WORDS) as w:
        f.set(MU[w], MU[w] - less)
        f.set(less, less & MU[w].is_(FULL))
    return writer.put(f)
