"""The constants of element-wise kernels, in words, limbs or doubles: the constants of a plan and of a call."""

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
"""The number of bits by which a modulus is shorter than the longest one: a field of the plan."""
Q, NORMALISED, MISSING = "q", "normalised", "missing"
"""The sources of constants.

They are the modulus q, the normalised modulus q·2^s, which is as long as the kernel's longest modulus, and s,
the number of bits that q lacks."""
FRACTION = Name("fraction", Type.WORDS)
"""The quotient of a call's factor by q."""
HEADS = {"inverse": "1/q mod R, R^2 mod q", "over": "floor(R^2 / q)", "": ""}
"""The constants that follow q, with which scalar functions compute other constants."""
MEANINGS = {
    "": "q in limbs", NORMALISED: "q·2^s with as many bits as the longest modulus", MISSING: "s",
    "below": "Barrett constant", "below_low": "its low limb",
    "leading_fraction": "Barrett constant", "over": "floor(R / q)", "complement": "a power of two minus q",
    "shifted": "a multiple of q", "inverse": "1/q", "square": "R^2 mod q",
}  # fmt: skip
"""Descriptions of the constants that only depend on q."""
EXPONENT, DOUBLE = 52, (1 << 64) - 1
"""The index of the first exponent bit of a double, and a mask of all of its bits."""


class Constant(NamedTuple):
    """A constant as it is stored in memory.

    Attributes:
        name: Its name in loops.
        op: The operation that derives it from ``source``, or "" if it is the source itself.
        k: The parameter of the operation, such as an exponent of two.
        source: The name of the source.
        digits: The number of its limbs.
        bits: The number of bits of a limb.
        unit: For doubles, the exponent of the lowest limb, which is multiplied by 2^unit. It is None for
            integers.
        floats: Whether the unit increases by the number of bits that the modulus lacks.
    """

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
        """The description of a constant that only depends on q."""
        return MEANINGS[self.op or ("" if self.source == Q else self.source)]

    @property
    def end(self) -> int:
        """The exponent in a quotient ⌊2^end·source/q⌋."""
        return MANTISSA if self.op == "fractions" else self.k


class Constants:
    """A writer of all constants of a kernel.

    They are q, the constants of scalar functions, the constants that only depend on q, and the constants of a call.

    Attributes:
        writer: The writer of the program.
        count: The number of words of a residue.
        given: The constants that depend on the scalars of a call.
        expansions: The number of words of the longest quotient by q of a call, divided by ``count``.
        normalises: Whether a constant depends on the normalised modulus.
        head: The key of ``HEADS`` for the constants that follow q.
        own: The other constants that only depend on q.
        at: The offset of each constant, in words.
        fixed: The number of words of all plan constants.
        size: The number of words of all constants.
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
        """Return whether a constant is stored in words."""
        return c.bits == self.writer.arith.word and c.unit is None

    def write_setup(self) -> tuple[str, list[Field]]:
        """Write the function setup(kept …, q), and return its name and the arrays of the plan."""
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
        """Append the computation of a call's constants to ``f``, and return the array with all constants."""
        if not self.given:
            return C
        numbers = f.array("numbers", self.size)
        f.copy(numbers, C, self.fixed)
        self.put_given(f, numbers)
        return numbers

    def put_given(self, f: Function, to: Expr, first: int = 0) -> None:
        """Append the computation of a call's constants to ``f``.

        Args:
            f: The function.
            to: The array for the constants.
            first: The offset that the start of the array has among all constants.
        """
        if self.expansions:
            fraction = f.array(FRACTION.text, self.expansions * self.count)
            if self.expansions > 1:
                self.writer.write("put_over", length=self.expansions)
                f.do(self.writer.call("put_over", fraction, A, C))
            else:
                f.do(self.writer.call("over", fraction, A, A, C))
        self._put(f, to, self.given, first)

    def _put(self, f: Function, to: Expr, wanted: Iterable[Constant], first: int = 0) -> None:
        """Append the computation of the constants ``wanted``; see :meth:`put_given` for the other arguments."""
        size = self.writer.arith.word
        for c in wanted:
            (number, length, low), at = self._number(f, c), self.at[c] - first
            if self._whole(c):
                f.copy(to + at, number + low // size, c.digits)
                continue
            for i, digit in enumerate(cut([number[i] for i in range(length)], low, c.bits, c.digits, size)):
                f.set(to[at + i], digit if c.unit is None else self._double(f, c, digit, i))

    def _number(self, f: Function, c: Constant) -> tuple[Expr, int, int]:
        """Return the number that contains the limbs of a constant.

        The result is the address of its words, their number, and the index of the constant's lowest bit.
        """
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
                for i in range(count, size):  # the words represent a negative number
                    f.set(z[i], word((1 << bits) - 1))
                if self._whole(c):  # limbs are cut from z; words are copied
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
        """Clear bit k and all higher bits of z, which has ``size`` words."""
        bits = self.writer.arith.word
        if k < bits * size:
            f.set(z[size - 1], z[size - 1] & word((1 << k - bits * (size - 1)) - 1))

    def _double(self, f: Function, c: Constant, digit: Expr, at: int) -> Expr:
        """Return a limb times 2^unit as a double.

        For constants of a call, the computation has no branch and no product of doubles, since their time may
        vary.
        """
        unit = (c.unit or 0) + at * c.bits
        if c not in self.given or not unit:
            twos = word(unit & DOUBLE)
            return Real(digit, twos + Name(MISSING, Type.INPUT)[0] if c.floats else twos)
        u = f.let(c.name, digit)
        return (Real(u, word(0)) + word(unit << EXPONENT & DOUBLE)) * u.is_not(0)
