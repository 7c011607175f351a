"""Constants of BLAS kernels: what a plan keeps of q, and what comes with a call, in words, digits or doubles."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from momagen.ir.real import MANTISSA
from momagen.lower.names import A, C, written
from momagen.lower.setup.derived import cut
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Field, Function, Name, Real, Type
from momagen.program.build import word
from momagen.program.notation import function

QUOTIENTS = ("over", "fractions")
SHIFT = Name("shift", Type.INPUT)
"""By how many bits a modulus is too short: a field of the plan."""
Q, NORMALISED, MISSING = "q", "normalised", "missing"
"""What constants are derived of: the modulus q, the normalised modulus q·2^s, which is as long as the kernel's longest
modulus, and s, the number of bits that q lacks."""
FRACTION = Name("fraction", Type.WORDS)
"""The factor of a call over q."""
HEADS = {"inverse": "1/q mod R, R^2 mod q", "over": "floor(R^2 / q)", "": ""}
"""What stands behind q, for scalar functions: what constants are computed with."""
MEANINGS = {
    "": "q in limbs", NORMALISED: "q·2^s with as many bits as the longest modulus", MISSING: "s",
    "below": "Barrett constant", "below_low": "its low limb",
    "leading_fraction": "Barrett constant", "over": "floor(R / q)", "complement": "a power of two minus q",
    "shifted": "a multiple of q", "inverse": "1/q", "square": "R^2 mod q",
}  # fmt: skip
"""The constants that depend on q alone, for people."""
EXPONENT, DOUBLE = 52, (1 << 64) - 1
"""The bit of a double where its exponent begins, and all of its bits."""


class Constant(NamedTuple):
    """One as memory holds it: what ``op`` derives of ``source`` (or with "", the source itself) in ``digits`` digits of
    ``bits`` bits; in doubles, the lowest one times 2^unit. ``name``: what loops call it. ``floats``: the unit
    grows by the number of bits that the modulus lacks."""

    name: str
    op: str
    k: int
    source: str
    digits: int
    bits: int
    unit: int | None = None
    floats: bool = False

    @property
    def meaning(self) -> str:
        """The meaning of a constant that depends on q alone, for people."""
        return MEANINGS[self.op or ("" if self.source == Q else self.source)]

    @property
    def end(self) -> int:
        """Of a quotient ⌊2^end·source/q⌋."""
        return MANTISSA if self.op == "fractions" else self.k


class Constants:
    """Writes all constants of a kernel: q, what scalar functions need of it, those of q alone, those of a call.

    Attributes:
        at: where each begins, in words. fixed: words of all that a plan keeps.
    """

    def __init__(self, writer: ProgramWriter, wanted: Iterable[Constant]) -> None:
        self.writer, self.count, known = writer, writer.arith.words, dict.fromkeys(wanted)
        self.given = [c for c in known if c.source in writer.spec.ranges.scalars]
        self.expansions = max((-(-c.end // writer.arith.held) for c in self.given if c.op in QUOTIENTS), default=0)
        self.normalises = any(c.source in (NORMALISED, MISSING) for c in known)
        odd = any(c.op in ("inverse", "square", "scaled") for c in known)
        self.head = "inverse" if odd else "over" if self.expansions else ""
        stands = {"": 0, "inverse": self.count, "square": 2 * self.count}
        stood = (c for c in known if c.source == Q and c.op in stands and self._whole(c))
        whole = {c: stands[c.op] for c in stood if not c.op or c.k == writer.arith.held}
        self.own = [c for c in known if c not in whole and c not in self.given]
        behind = accumulate((c.digits for c in (*self.own, *self.given)), initial=self.count * (3 if self.head else 1))
        *places, self.size = behind
        self.at = whole | dict(zip((*self.own, *self.given), places, strict=True))
        self.fixed = self.size - sum(c.digits for c in self.given)

    @property
    def missing(self) -> int:
        """The offset of the number of bits that the modulus lacks."""
        return next(at for c, at in self.at.items() if c.source == MISSING)

    def _whole(self, c: Constant) -> bool:
        """Whether it is held in words."""
        return c.bits == self.writer.arith.word and c.unit is None

    def write_setup(self) -> tuple[str, list[Field]]:
        """The function setup(kept …, q) with all that it calls, and what a plan keeps."""
        writer, shifts = self.writer, self.writer.spec.shifts and not self.normalises
        writer.write("modulus_fits")
        given = {"shifts": shifts, "inverses": self.head == "inverse", "quotients": self.head == "over"}
        f = function("constants", writer.call, {**writer.given, **given}, "setup")
        if self.normalises:
            missing, normalised = (f.array(name, 1) for name in (MISSING, NORMALISED))
            f.set(missing[0], writer.call("short_by", C))
            f.set(normalised[0], C[0] << missing[0])
        self._put(f, written(C), self.own)
        return writer.put(f), self._kept(shifts)

    def _kept(self, shifts: bool) -> list[Field]:
        own = dict.fromkeys(c.meaning for c in self.own)
        doc = ", ".join(filter(None, ["q", HEADS[self.head], *own]))
        short = Field(SHIFT.text, 1, doc=f"number of bits by which q is shorter than {self.writer.arith.bits}")
        return [Field(C.text, self.fixed, doc=doc), *[short] * shifts]

    def call(self, f: Function) -> Expr:
        """Append what makes the constants of a call; where all of them stand."""
        if not self.given:
            return C
        numbers = f.array("numbers", self.size)
        f.copy(numbers, C, self.fixed)
        self.put_given(f, numbers)
        return numbers

    def put_given(self, f: Function, to: Expr, first: int = 0) -> None:
        """Append what makes those of a call, at their places, of which ``to`` is number ``first``."""
        if self.expansions:
            fraction = f.array(FRACTION.text, self.expansions * self.count)
            if self.expansions > 1:
                self.writer.write("put_over", length=self.expansions)
                f.do(self.writer.call("put_over", fraction, A, C))
            else:
                f.do(self.writer.call("over", fraction, A, A, C))
        self._put(f, to, self.given, first)

    def _put(self, f: Function, to: Expr, wanted: Iterable[Constant], first: int = 0) -> None:
        """Append what makes the constants ``wanted``, at their places, of which ``to`` is number ``first``."""
        size = self.writer.arith.word
        for c in wanted:
            (number, length, low), at = self._number(f, c), self.at[c] - first
            if self._whole(c):
                f.copy(to + at, number + low // size, c.digits)
                continue
            for i, digit in enumerate(cut([number[i] for i in range(length)], low, c.bits, c.digits, size)):
                f.set(to[at + i], digit if c.unit is None else self._double(f, c, digit, i))

    def _number(self, f: Function, c: Constant) -> tuple[Expr, int, int]:
        """The words of the number that ``c`` is cut from: where they are, how many, and its lowest bit."""
        call, count, bits = self.writer.call, self.count, self.writer.arith.word
        source = C if c.source == Q else Name(c.source, Type.INPUT)
        q = source if c.source == NORMALISED else C
        if not c.op:
            return source, count, 0
        if c.op in QUOTIENTS and c in self.given:
            return FRACTION, self.expansions * count, self.expansions * self.writer.arith.held - c.end
        size = count + 1 if c.op == "shifted" else max(-(-c.digits * c.bits // bits), count)
        z = f.array(f"{c.name}{self.at[c]}", size)
        match c.op:
            case "shifted":
                f.set(z[0], 0)
                f.copy(z + 1, q, count)
                return z, size, bits - c.k
            case "complement":
                f.do(call("rest", z, self.writer.literal(1), q, q))
                for i in range(count, size):  # its words are those of a negative number
                    f.set(z[i], word((1 << bits) - 1))
                if self._whole(c):  # digits are cut from z, a number in words is copied
                    self._clear_above(f, z, size, c.k)
            case "inverse":
                f.copy(z, C + count, size)
                self._clear_above(f, z, size, c.k)
            case "square":
                f.do(call("doubled", z, self.writer.literal(1), 2 * c.k, C))
            case "scaled":
                f.do(call("mont", z, source, C + 2 * count, C))
            case _:
                f.do(call("divide" if c.op == "over" else "barrett_constant", z, size, c.k, q))
        return z, size, 0

    def _clear_above(self, f: Function, z: Expr, size: int, k: int) -> None:
        """Clear the bits of the leading word of z, which has ``size`` words, from 2^k on."""
        bits = self.writer.arith.word
        if k < bits * size:
            f.set(z[size - 1], z[size - 1] & word((1 << k - bits * (size - 1)) - 1))

    def _double(self, f: Function, c: Constant, digit: Expr, at: int) -> Expr:
        """A digit times 2^unit as a double; of a call without a branch or a product of doubles: their time may vary."""
        unit = (c.unit or 0) + at * c.bits
        if c not in self.given or not unit:
            twos = word(unit & DOUBLE)
            return Real(digit, twos + Name(MISSING, Type.INPUT)[0] if c.floats else twos)
        u = f.let(c.name, digit)
        return (Real(u, word(0)) + word(unit << EXPONENT & DOUBLE)) * u.is_not(0)
