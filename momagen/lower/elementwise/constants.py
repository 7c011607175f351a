"""Constants of BLAS kernels, in words, digits and doubles: what a plan keeps of q, and what comes with a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from momagen.kernels.elementwise.codelet import GIVEN, DigitProduct, Elementwise
from momagen.lower.names import A, C, Q, Z, written
from momagen.lower.setup.derived import cut
from momagen.lower.setup.scalars import write_scalars
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Field, Function, Name, Real, Type
from momagen.program.build import word
from momagen.program.expressions import Operand

from .choice import LoopChoice
from .shifts import SHIFT, write_shifts

D, FIELD, OVER = (Name(name, Type.INPUT) for name in ("d", "field", "over_q"))
"""Fields of a plan besides c, the constants in words."""
FRACTION = Name("fraction", Type.WORDS)
"""The factor of a call over q."""
NEEDS = {
    "qi": ("newton", "add"), "square": ("newton", "add"), "mu": ("barrett", "divide"), "u1": ("divide",),
    "r0": ("newton", "add", "mont"), "u0": ("over", "divide"), "u": ("over", "rest", "divide"),
}  # fmt: skip
"""What constants are computed with: scalar functions, and divisions, which only a plan's making needs."""
MEANINGS = {"q": "q", "qi": "1/q mod R", "square": "R^2 mod q", "mu": "Barrett's quotient", "u1": "floor(R / q)"}
"""The constants that depend on q alone, for people."""
DIGITS, COUNT = Name("digits", Type.WORDS), Name("count")
EXPONENT = 52
"""The bit of a double where its exponent begins."""
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
    division = {"divide_word" if writer.given["by_words"] else "add"} if "divide" in needs else set()
    write_scalars(writer, needs | division)
    for name, need in {"divide": "divide", "barrett_constant": "barrett"}.items():
        if need in needs:
            writer.write(name)
    if choice.inner:
        _write_digits(writer, choice.inner)
    if choice.shifts:
        write_shifts(writer)


def _write_digits(writer: ProgramWriter, inner: DigitProduct) -> None:
    if not inner.real:
        writer.put(_negate(inner.word))
    if "u" in inner.constants:
        writer.put(_over_digits(writer, _expansions(writer, inner)))


def _expansions(writer: ProgramWriter, codelet: Elementwise) -> int:
    """Words of a fraction over q, in numbers as long as a residue."""
    return -(-codelet.cut // writer.arith.held)


def constants_of(writer: ProgramWriter, choice: LoopChoice) -> list[Constants]:
    """Those in words, and those in digits where a loop needs these."""
    return [Constants(writer, codelet) for codelet in (choice.one, choice.inner) if codelet]


class Constants:
    """Writes the constants of a codelet: in words, or in digits, as integers or in doubles.

    Attributes:
        place: where a plan keeps those that q alone decides. array: the name of all together in a call.
        made: each by how it is made: "r0" is a factor in Montgomery form, which has no quotient.
    """

    def __init__(self, writer: ProgramWriter, codelet: Elementwise) -> None:
        self.writer, self.codelet, self.at = writer, codelet, codelet.at
        self.inner = codelet if isinstance(codelet, DigitProduct) else None
        self.place, self.array = (D, "in_digits") if self.inner else (C, "numbers")
        scaled = "v0" in self.at and "u0" not in self.at
        self.made = {name: "r0" if scaled and name == "v0" else name for name in self.at}

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
            if self.inner and name != "q":
                self._digits(f, self.inner, name, to, short)
            elif self.inner or name != "q":
                self._words(f, self.made[name], to + self.at[name], self.codelet.constants[name], short)

    def _words(self, f: Function, name: str, z: Expr, size: int, short: Operand) -> None:
        """One of them, of ``size`` words at z."""
        call, count = self.writer.call, self.writer.arith.words
        calls: dict[str, tuple[str, Sequence[Operand]]] = {
            "u1": ("divide", (z, size, self.writer.arith.held, Q)), "u0": ("over", (z, A, A, OVER)),
            "mu": ("barrett_constant", (z, size, self.codelet.cut - short, Q)),
            "r0": ("mont", (z, A, FIELD + 2 * count, FIELD)),
        }  # fmt: skip
        known = {"q": C, "qi": FIELD + count, "square": FIELD + 2 * count, "v0": A}
        if name in calls:
            function, args = calls[name]
            f.do(call(function, *args))
        else:
            f.copy(z, known.get(name, Name(name, Type.INPUT)), count)

    def _digits(self, f: Function, inner: DigitProduct, name: str, to: Expr, short: Operand) -> None:
        """One of them in digits."""
        at, size, call = self.at[name], inner.constants[name], self.writer.call
        if name == "i":  # comes with n
            return
        number, length, low = self._number(f, inner, name, short)
        direct: dict[str, Callable[[], Expr]] = {
            "mu": lambda: number[0], "a": lambda: Real(number[0], word(0)),
            "u": lambda: _scaled(f.let("u", number[0] >> low), inner.cut),
        }  # fmt: skip
        own = inner.real and name in direct
        digits = [direct[name]()] if own else cut([number[i] for i in range(length)], low, inner.word, size, LANE)
        for i, digit in enumerate(digits):
            real = inner.real and name in ("n", "mu")
            f.set(to[at + i], Real(digit, word(inner.unit(name, i) & FULL)) if real else digit)
            if "i" in self.at and name == "n":
                f.set(to[self.at["i"] + i], digit)
        if name == "n" and not inner.real:
            f.do(call("negate", to + at, size))

    def _number(self, f: Function, inner: DigitProduct, name: str, short: Operand) -> tuple[Expr, int, int]:
        """The words of a constant that is cut into digits: how many, and from which bit on."""
        call, count, held = self.writer.call, self.writer.arith.words, self.writer.arith.held
        expansions = _expansions(self.writer, inner)
        match name:
            case "s":
                above = f.array("above", count + 1)
                f.set(above[0], 0)
                f.copy(above + 1, C, count)
                return above, count + 1, LANE - inner.shift
            case "mu":
                length = -(-inner.cut // LANE) + 1
                mu = f.array("mu", length)
                f.do(call("barrett_constant", mu, length, inner.cut - short, Q))
                return mu, length, 0
            case "a":
                f.do(call("put_over", f.array(FRACTION.text, expansions * count), A, OVER))
                return A, count, 0
            case "u":
                return FRACTION, expansions * count, expansions * held - inner.cut
        return C, count, 0


def _scaled(u: Expr, cut: int) -> Expr:
    """2^-cut u as a double; without a branch or a product of doubles, whose time may vary: u is not public."""
    return (Real(u, word(0)) + word(-cut << EXPONENT & FULL)) * u.is_not(0)


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
