"""Constants of BLAS kernels, in words, digits and doubles: what a plan keeps of q, and what comes with a call."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.kernels.elementwise.codelet import GIVEN, DigitProduct, Elementwise
from momagen.lower.names import C, Q, Z, written
from momagen.lower.setup.digits import COUNT, DIGITS, EXPONENT, put_digits, put_reals
from momagen.lower.setup.division import step, write_barrett_constant, write_divide
from momagen.lower.setup.scalars import A, write_scalars
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Field, Function, Name, Real, Type
from momagen.program.build import word
from momagen.program.expressions import Operand

from .choice import LoopChoice
from .shifts import SHIFT, write_shifts

D, FIELD, OVER = (Name(name, Type.INPUT) for name in ("d", "field", "over_q"))
"""Fields of a plan besides c, the constants in words."""
NEEDS = {
    "qi": ("newton", "add"), "square": ("newton", "add"), "mu": ("barrett", "divide"), "u1": ("divide",),
    "r0": ("newton", "add", "mont"), "u0": ("over", "divide"), "u": ("over", "rest", "divide"),
}  # fmt: skip
"""What constants are computed with: scalar functions, and divisions, which only a plan's making needs."""
MEANINGS = {"q": "q", "qi": "1/q mod R", "square": "R^2 mod q", "mu": "Barrett's quotient", "u1": "floor(R / q)"}
"""The constants that depend on q alone, for people."""
LANE = 64
"""Bits of a word, and of a digit in memory."""
FULL = (1 << LANE) - 1


def write_setup(writer: ProgramWriter, choice: LoopChoice) -> tuple[str, list[Field]]:
    """The function setup(kept …, q) with all that it calls, and what a plan keeps."""
    parts = constants_of(writer, choice)
    needs = {need for part in parts for name in part.made.values() for need in NEEDS.get(name, ())}
    _write_called(writer, choice, needs)
    kept = _kept(writer, choice, needs)
    count, call = writer.arith.words, writer.call
    short: Operand = 0
    f = Function("setup", (*(written(Name(field.name)) for field in kept), Q), "Makes a plan.")
    if choice.shifts:
        short = f.let("s", call("short_by", Q))
        f.set(written(SHIFT)[0], short)
        f.do(call("shift_up", written(C), Q, 1, short))
    else:
        f.copy(written(C), Q, count)
    if "newton" in needs:
        f.do(call("core_init", written(FIELD), f.array("one", count), written(FIELD) + 2 * count, Q))
    if "over" in needs:
        f.copy(written(OVER), Q, count)
        f.do(call("divide", written(OVER) + count, 2 * count, 2 * writer.arith.held, Q))
    for part in parts:
        part.put(f, written(part.place), [name for name in part.made if name not in GIVEN], short)
    return writer.put(f), kept


def _kept(writer: ProgramWriter, choice: LoopChoice, needs: set[str]) -> list[Field]:
    three, one, inner = 3 * writer.arith.words, choice.one, choice.inner
    found = [Field(C.text, one.fixed, doc=", ".join(MEANINGS[name] for name in one.constants if name in MEANINGS))]
    if inner:
        found.append(Field(D.text, inner.fixed, doc=f"q, and in digits of {inner.word} bits what loops need of it"))
    if "newton" in needs:
        found.append(Field(FIELD.text, three, doc="q, 1/q mod R, R^2 mod q"))
    if "over" in needs:
        found.append(Field(OVER.text, three, doc="q, floor(R^2 / q)"))
    if choice.shifts:
        found.append(Field(SHIFT.text, 1, doc=f"by how many bits q is shorter than {writer.arith.bits}"))
    return found


def _write_called(writer: ProgramWriter, choice: LoopChoice, needs: set[str]) -> None:
    write_scalars(writer, needs | ({step(writer)} if "divide" in needs else set()))
    if "divide" in needs:
        write_divide(writer)
    if "barrett" in needs:
        write_barrett_constant(writer)
    for part in constants_of(writer, choice):
        part.write()
    if choice.shifts:
        write_shifts(writer)


def constants_of(writer: ProgramWriter, choice: LoopChoice) -> list[Constants]:
    """Those in words, and those in digits where a loop needs these."""
    return [Constants(writer, choice.one), *([DigitConstants(writer, choice.inner)] if choice.inner else [])]


class Constants:
    """Writes the constants of a codelet in words.

    Attributes:
        place: where a plan keeps those that q alone decides. array: the name of all together in a call.
        made: each by how it is made: "r0" is a factor in Montgomery form, which has no quotient.
    """

    place, array = C, "numbers"

    def __init__(self, writer: ProgramWriter, codelet: Elementwise) -> None:
        self.writer, self.codelet, self.at = writer, codelet, codelet.at
        self.count, self.held = writer.arith.words, writer.arith.held
        scaled = "v0" in self.at and "u0" not in self.at
        self.made = {name: "r0" if scaled and name == "v0" else name for name in self.at}

    def write(self) -> None:
        """The functions that those below call."""

    def given(self, f: Function) -> Expr:
        """Append what makes the constants of a call; where all of them stand."""
        if not self.codelet.given:
            return self.place
        numbers = f.array(self.array, sum(self.codelet.constants.values()))
        f.copy(numbers, self.place, self.codelet.fixed)
        self.put(f, numbers, self.codelet.given)
        return numbers

    def put(self, f: Function, to: Expr, wanted: Iterable[str], short: Operand = 0) -> None:
        """Append what makes the constants ``wanted``, at their places behind ``to``; q was moved up by ``short``."""
        for name in wanted:
            self._put(f, self.made[name], to, self.at[name], short)

    def _put(self, f: Function, name: str, to: Expr, at: int, short: Operand) -> None:
        """One of them, at word ``at``."""
        z, size = to + at, self.codelet.constants.get(name, 0)
        match name:
            case "q":
                pass
            case "u1":
                f.do(self.writer.call("divide", z, size, self.held, Q))
            case "mu":
                f.do(self.writer.call("barrett_constant", z, size, self.codelet.cut - short, Q))
            case "u0":
                f.do(self.writer.call("over", z, A, A, OVER))
            case "r0":
                f.do(self.writer.call("mont", z, A, FIELD + 2 * self.count, FIELD))
            case _:
                known = {"qi": FIELD + self.count, "square": FIELD + 2 * self.count, "v0": A}
                f.copy(z, known.get(name, Name(name, Type.INPUT)), self.count)


class DigitConstants(Constants):
    """The same in digits, as integers or in doubles.

    Attributes:
        expansions: words of a fraction over q, in numbers as long as a residue.
    """

    place, array = D, "in_digits"

    def __init__(self, writer: ProgramWriter, inner: DigitProduct) -> None:
        super().__init__(writer, inner)
        self.inner, self.expansions = inner, -(-inner.cut // writer.arith.held)
        self.fraction = Name("fraction", Type.WORDS)

    def write(self) -> None:
        put_digits(self.writer, self.inner.word)
        if self.inner.real:
            put_reals(self.writer, self.inner.word)
        else:
            self.writer.put(_negate(self.inner.word))
        if "u" in self.at:
            self.writer.put(_over_digits(self.writer, self.expansions))

    def _put(self, f: Function, name: str, to: Expr, at: int, short: Operand) -> None:
        z, size = to + at, self.codelet.constants[name]
        inner, count, shift = self.inner, self.count, self.expansions * self.held - self.inner.cut
        match name:
            case "q":
                f.copy(z, C, count)
            case "n":
                self._modulus(f, to, at, size)
            case "s":
                above = f.array("above", count + 1)
                f.set(above[0], 0)
                f.copy(above + 1, C, count)
                self._cut(f, z, size, above, count + 1, LANE - inner.shift)
            case "mu":
                self._estimate(f, to, at, size, short)
            case "a":
                f.do(self.writer.call("put_over", f.array("fraction", self.expansions * count), A, OVER))
                if inner.real:
                    f.set(to[at], Real(A[0], word(0)))
                else:
                    self._cut(f, z, size, A, count)
            case "u" if inner.real:
                f.set(to[at], self._scaled(f.let("u", self.fraction[0] >> shift)))
            case "u":
                self._cut(f, z, size, self.fraction, self.expansions * count, shift)

    def _modulus(self, f: Function, to: Expr, at: int, size: int) -> None:
        """q for the products of quotients, and in integers behind it where that is asked for."""
        z = to + at
        self._cut(f, z, size, C, self.count)
        if "i" in self.at:
            f.copy(to + self.at["i"], z, size)
        if self.inner.real:
            self._reals(f, "n", z, size)
        else:
            f.do(self.writer.call("negate", z, size))

    def _estimate(self, f: Function, to: Expr, at: int, size: int, short: Operand) -> None:
        cut, length = self.inner.cut, -(-self.inner.cut // LANE) + 1
        mu = f.array("mu", length)
        f.do(self.writer.call("barrett_constant", mu, length, cut - short, Q))
        if self.inner.real:
            f.set(to[at], mu[0])
            self._reals(f, "mu", to + at, size)
        else:
            self._cut(f, to + at, size, mu, length)

    def _scaled(self, u: Expr) -> Expr:
        """2^-cut u as a double; without a branch or a product of doubles, whose time may vary: u is not public."""
        return (Real(u, word(0)) + word(-self.inner.cut << EXPONENT & FULL)) * u.is_not(0)

    def _cut(self, f: Function, z: Expr, size: int, number: Expr, length: int, shift: int = 0) -> None:
        """Digits at z of the ``length`` words of a number, from bit ``shift`` on."""
        f.do(self.writer.call("put_digits", z, 1, size, number, length, shift))

    def _reals(self, f: Function, name: str, z: Expr, size: int) -> None:
        """Digits as doubles."""
        f.do(self.writer.call("put_reals", z, 1, size, word(self.inner.unit(name, 0) & FULL)))


def _over_digits(writer: ProgramWriter, expansions: int) -> Function:
    """From the top: of v R the quotient first, which leaves the remainder."""
    v, call, count = Name("v", Type.INPUT), writer.call, writer.arith.words
    doc = f"floor(v * R^{expansions} / q) for v < q, R = 2^{writer.arith.held}; c: q and floor(R^2 / q)."
    f = Function("put_over", (Z, v, C), doc)
    r = f.array("r", count)
    f.copy(r, v, count)
    with f.each("i", expansions, down=True) as i:
        f.do(call("over", Z + i * count, r, r, C))
        f.do(call("rest", r, Z + i * count, r, C))
    return f


def _negate(digit: int) -> Function:
    """The negative number: all digits are inverted, and one is added."""
    full = word((1 << digit) - 1)
    f = Function("negate", (DIGITS, COUNT), f"2^({digit} count) less a number that is not 0, in its place.")
    carry = f.variable("carry", 1, Type.WORD)
    with f.each("i", COUNT) as i:
        d = f.let("d", (DIGITS[i] ^ full) + carry)
        f.set(carry, d >> digit)
        f.set(DIGITS[i], d & full)
    return f
