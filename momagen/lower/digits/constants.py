"""The constants of transforms in tiles: what a plan keeps of q, and what tables hold of a twiddle."""

from __future__ import annotations

from momagen.kernels.residues.double_digits import RealArith
from momagen.kernels.residues.on_the_fly_quotient import left_out, most
from momagen.lower.names import ENTRY, ONE, STEP, C, R, literal_one, written
from momagen.lower.setup.digits import put_digits, put_fraction, put_reals
from momagen.program import Expr, Function, Name, Number
from momagen.program.build import word

from .writer import TileWriter

LANE = 64


def places(writer: TileWriter) -> dict[str, int]:
    """Where c has the digits of q, μ, -1/q, and ν or the bias, behind what scalar functions need and 2^digit; at the
    end the factor of all results. In doubles, digits of q as integers go by n."""
    a, start = writer.inner, 4 * writer.arith.words
    mu = start + a.words
    more = a.words * bool(a.real or a.half) + _nu_digits(writer)
    found = {"fold": 3 * writer.arith.words, "q": start, "mu": mu, "qn": mu + 1, "nu": mu + 2, "bias": mu + 2}
    return {**found, "scale": mu + 2 + more, **({"n": start, "q": mu + 2} if a.real else {})}


def kept_words(writer: TileWriter) -> int:
    """Words of all constants that a plan keeps."""
    scaled = writer.spec.inverse and not writer.inner.over
    return places(writer)["scale"] + writer.inner.shared_words * scaled


def _nu_digits(writer: TileWriter) -> int:
    a = writer.inner
    return -(-most(a).bit_length() // a.word) if a.packed else 0


class ConstantsWriter:
    """Writes what makes constants.

    Attributes:
        expansions: words of a fraction over q, in numbers as long as a residue.
    """

    def __init__(self, writer: TileWriter) -> None:
        self.writer, self.inner, self.count = writer, writer.inner, writer.arith.words
        a, held = writer.inner, writer.arith.held
        self.ends = [a.held, a.cut + a.word] + [a.held + a.word * left_out(a)] * a.packed
        self.expansions = -(-max(self.ends) // held)

    def write(self) -> None:
        """put_constants(c, one), put_folded(entry, step, r, c), and for constants that differ by lane put_words or
        put_pair, which take the same."""
        writer = self.writer
        put_digits(writer, self.inner.word)
        if self.inner.real:
            put_reals(writer, self.inner.word)
        put_fraction(writer, self.expansions)
        if not self.inner.folds:
            writer.put(self._words() if self.inner.packed else self._pair())
        writer.put(self._folded())
        writer.put(self._constants())

    def _one(self) -> Expr:
        return self.writer.static(literal_one(self.count))

    def _fraction(self, f: Function) -> Name:
        return f.array("fraction", self.expansions * self.count)

    def _cut(self, f: Function, to: Expr, step: Expr | int, count: int, fraction: Expr, end: int) -> None:
        """``count`` digits of 2^end/q at ``to``, of the fraction over q."""
        held = self.expansions * self.writer.arith.held
        length = self.expansions * self.count
        f.do(self.writer.call("put_digits", to, step, count, fraction, length, held - end))

    def _reals(self, f: Function, to: Expr, step: Expr | int, count: int, unit: Expr) -> None:
        f.do(self.writer.call("put_reals", to, step, count, unit))

    def _unit(self, name: str) -> Number:
        """The unit of the lowest digit of the input ``name``."""
        assert isinstance(self.inner, RealArith)
        return word(self.inner.unit(name, 0) % (1 << LANE))

    def _words(self) -> Function:
        doc = "The constant in words; r is the constant times R mod q."
        f = Function("put_words", (ENTRY, STEP, R, C), doc)
        v = f.array("v", self.count)
        f.do(self.writer.call("mont", v, R, self._one(), C))
        with f.each("i", self.count) as i:
            f.set(ENTRY[i * STEP], v[i])
        return f

    def _pair(self) -> Function:
        doc = "The constant and its Shoup quotient in digits; r is the constant times R mod q."
        f, digits = Function("put_pair", (ENTRY, STEP, R, C), doc), self.inner.words
        v, fraction = f.array("v", self.count), self._fraction(f)
        f.do(self.writer.call("mont", v, R, self._one(), C))
        f.do(self.writer.call("put_digits", ENTRY, STEP, digits, v, self.count, 0))
        f.do(self.writer.call("put_fraction", fraction, R, C))
        self._cut(f, ENTRY + STEP * digits, STEP, digits, fraction, self.ends[0])
        return f

    def _folded(self) -> Function:
        a, call, fold = self.inner, self.writer.call, C + places(self.writer)["fold"]
        each = f"2^({a.word} {'i' if a.over_q else '(i + 1)'})"
        more = ", and behind all of them what each is over q, to 53 bits" * a.over_q
        doc = f"The constant v folded, v * {each} mod q for every digit i of a factor{more}; r = v * R mod q."
        f = Function("put_folded", (ENTRY, STEP, R, C), doc)
        shifted, v = f.array("shifted", self.count), f.array("v", self.count)
        fraction = self._fraction(f) if a.over_q else v
        over_q = f.let("over_q", ENTRY + STEP * a.words**2) if a.over_q else ENTRY
        f.copy(shifted, R, self.count)
        shift, reduce = call("mont", shifted, shifted, fold, C), call("mont", v, shifted, self._one(), C)
        with f.each("i", a.words) as i:
            if a.over_q:
                self._over_q(f, over_q + i * STEP, fraction, shifted, i)
            for each_call in (reduce, shift) if a.over_q else (shift, reduce):
                f.do(each_call)
            f.do(call("put_digits", ENTRY, STEP, a.words, v, self.count, 0))
            if a.real:
                self._reals(f, ENTRY, STEP, a.words, self._unit("v") - i * a.word)
            f.step(ENTRY, STEP * a.words)
        return f

    def _over_q(self, f: Function, at: Expr, fraction: Expr, shifted: Expr, i: Expr) -> None:
        """Row i of a constant over q."""
        f.do(self.writer.call("put_fraction", fraction, shifted, C))
        f.set(at[0], fraction[self.expansions * self.count - 1] >> 11)
        self._reals(f, at, 1, 1, self._unit("u") - i * self.inner.word)

    def _constants(self) -> Function:
        a, c, at, call = self.inner, written(C), places(self.writer), self.writer.call
        more = "; and 1/q in digits" * a.packed + f"; and -{a.half} q digit by digit" * bool(a.half)
        doc = (
            f"After q, 1/q and R^2: 2^{a.word} * R mod q, the digits of q, the estimate of 1/q, and -1/q mod 2^{a.word}"
            f"{more}."
        )
        f, digits = Function("put_constants", (c, ONE), doc), c + 4 * self.count
        fraction, fold = self._fraction(f), c + at["fold"]
        f.copy(fold, ONE, self.count)
        with f.each("i", a.word):
            f.do(call("add", fold, fold, fold, c))
        f.do(call("put_digits", digits, 1, a.words, c, self.count, 0))
        f.do(call("put_fraction", fraction, ONE, c))
        self._cut(f, c + at["mu"], 1, 1, fraction, self.ends[1])
        f.set(c[at["qn"]], 0 - c[self.count] & word((1 << a.word) - 1))
        if a.packed:
            self._cut(f, c + at["nu"], 1, _nu_digits(self.writer), fraction, self.ends[2])
        if a.half:
            with f.each("i", a.words) as i:
                f.set(c[i + at["bias"]], 0 - digits[i] * a.half)
        if a.real:
            f.copy(c + at["q"], digits, a.words)
            for name, length in (("mu", 1), ("qn", 1), ("q", a.words)):
                self._reals(f, c + at[name], 1, length, self._unit(name))
        return f
