"""Constants in digits: numbers cut into digits, as integers or in doubles, and fractions over q."""

from __future__ import annotations

from momagen.lower.names import AT_SQUARE, C
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Real, Type, choice
from momagen.program.build import word

DIGITS, STEP, COUNT = Name("digits", Type.WORDS), Name("step"), Name("count")
EXPONENT = 52
"""The bit of a double where its exponent begins."""


def put_digits(writer: ProgramWriter, digit: int) -> str:
    """A number in digits of ``digit`` bits."""
    doc = "Bits shift, shift + 1, … of a number of ``words`` words, as ``count`` digits ``step`` apart."
    number, words, shift = Name("number", Type.INPUT), Name("words"), Name("shift")
    f = Function("put_digits", (DIGITS, STEP, COUNT, number, words, shift), doc)
    with f.each("i", COUNT) as i:
        bit = f.let("bit", shift + i * digit)
        at, offset = f.let("at", bit // 64), f.let("offset", bit % 64)
        d = f.variable("d", choice(at < words, number[at] >> offset, 0), Type.WORD)
        with f.if_(offset.both(at + 1 < words)):
            f.set(d, d | number[at + 1] << 64 - offset)
        f.set(DIGITS[i * STEP], d & word((1 << digit) - 1))
    return writer.put(f)


def put_reals(writer: ProgramWriter, digit: int) -> str:
    """Digits of ``digit`` bits as doubles."""
    doc = f"``count`` integers, ``step`` apart, as doubles, number i times 2^(unit + {digit} i)."
    unit = Name("unit", Type.WORD)
    f = Function("put_reals", (DIGITS, STEP, COUNT, unit), doc)
    with f.each("i", COUNT) as i:
        f.set(DIGITS[i * STEP], Real(DIGITS[i * STEP], unit + i * digit))
    return writer.put(f)


def put_fraction(writer: ProgramWriter, length: int) -> str:
    """A quotient by q that is ``length`` residues long: Shoup's quotient, then that of the remainder, and so on."""
    doc = (
        f"floor(v * R^{length} / q) for r = v * R mod q: R = 2^{writer.arith.held} at a time; R^2 mod q is the third of"
        " the constants."
    )
    count, fraction, r = writer.arith.words, Name("fraction", Type.WORDS), Name("r", Type.INPUT)
    f = Function("put_fraction", (fraction, r, C), doc)
    rest = f.array("rest", count)
    f.copy(rest, r, count)
    with f.each("i", length, 1, down=True) as i:
        f.do(writer.call("quot", fraction + i * count, rest, rest, C))
        f.do(writer.call("mont", rest, rest, C + AT_SQUARE * count, C))
    f.do(writer.call("quot", fraction, rest, rest, C))
    return writer.put(f)
