"""Powers of two divided by the modulus when a plan is made: the constants of Barrett's and Shoup's products."""

from __future__ import annotations

from momagen.lower.names import Q, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Type, choice
from momagen.program.build import word

WORDS, BITS, MU = Name("words"), Name("bits"), Name("mu", Type.WORDS)


def step(writer: ProgramWriter) -> str:
    """The scalar function that division needs: one of two words by one, where the host has that, or a doubling."""
    return "divide_word" if writer.arith.words == 1 and "div" in writer.host.ops else "add"


def write_divide(writer: ProgramWriter) -> str:
    """The function divide(z, words, bits, q)."""
    return writer.put((_by_words if step(writer) == "divide_word" else _by_bits)(writer))


def _by_words(writer: ProgramWriter) -> Function:
    doc = "z = floor(2^bits / q) in ``words`` words, a word at a time. Whether q divides 2^bits."
    f = Function("divide", (Z, WORDS, BITS, Q), doc, Type.COUNT)
    f.clear(Z, WORDS)
    bits = writer.arith.word
    top = f.let("top", BITS // bits)
    r, low, e = f.array("r", 1, first=[0]), f.array("low", 1), f.array("e", 1)
    with f.each("w", top + 1, down=True) as w:
        f.set(low[0], choice(w.is_(top), word(1) << BITS % bits, 0))
        f.do(writer.call("divide_word", e, r, low, Q))
        f.set(r[0], low[0] - e[0] * Q[0])
        with f.if_(w < WORDS):
            f.set(Z[w], e[0])
    f.give(r[0].is_(0))
    return f


def _by_bits(writer: ProgramWriter) -> Function:
    count, last = writer.arith.words, writer.arith.word - 1
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
            top = f.let("top", Z[w] >> last)
            f.set(Z[w], Z[w] << 1 | bit)
            f.set(bit, top)
    left = f.variable("left", 0, Type.WORD)
    with f.each("w", count) as w:
        f.set(left, left | r[w])
    f.give(left.is_(0))
    return f


def write_barrett_constant(writer: ProgramWriter) -> str:
    """The function barrett_constant(mu, words, bits, q), which calls divide."""
    doc = (
        "mu = floor((2^bits - 1) / q): for a power of two one less than 2^bits / q, whose top bit may be one too high."
    )
    f, full = Function("barrett_constant", (MU, WORDS, BITS, Q), doc), word((1 << writer.arith.word) - 1)
    less = f.variable("less", writer.call("divide", MU, WORDS, BITS, Q), Type.WORD)
    with f.each("w", WORDS) as w:
        f.set(MU[w], MU[w] - less)
        f.set(less, less & MU[w].is_(full))
    return writer.put(f)
