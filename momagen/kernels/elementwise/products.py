"""Products of residues on digits, for one vector of elements after another: Barrett's and Shoup's quotients.

All is done on numbers 2^s times too large, modulo 2^s·q. A quotient e that is too small by less than 2^s in units of
2^-s, its last s bits cleared, is a whole quotient, one too small at most: so what falls below the digits of e, in μ, in
h and in the columns that the product h·μ leaves out, costs no more than those s bits, and no digit of a guard.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.ir import Builder, Value
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.on_the_fly_quotient import lost
from momagen.kernels.residues.theorems import bounded

from .codelet import ORDER, DigitProduct, ordered

MULTIPLYING = ("vmul", "axpy", "scal")
"""The kernels with a product: of two vectors, or of one by a number that comes with the call."""


@dataclass
class ProductBuilder:
    """Builds one codelet. ``taken``: vectors are below taken·q."""

    arith: Arith
    word: int
    taken: int
    b: Builder = field(default_factory=Builder)
    operands: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Bits of an operand."""
        return (self.taken * self.arith.top - 1).bit_length()

    def digits(self, bits: int) -> int:
        return -(-bits // self.word)

    def operand(self, name: str, vector: str, shift: int) -> Value:
        self.operands[name] = vector, shift
        return self.b.input(name, 0, (self.taken * self.arith.top - 1) << shift)

    def whole(self, x: Value, y: Value) -> Value:
        """x·y."""
        count = self.digits((x.hi * y.hi).bit_length())
        return self.b.one("mullo", self.width(count), x, y)

    def width(self, count: int) -> int:
        """Of operations on ``count`` digits."""
        return self.word << (count - 1).bit_length()

    def high(self, h: Value, v: Value, columns: int) -> Value:
        """⌊h·v / 2^(columns·word)⌋, too small by what is lost."""
        of_h, of_v = (self.digits(x.hi.bit_length()) for x in (h, v))
        width = self.width(max(of_h, of_v, of_h + of_v - columns))
        count = width // self.word
        by_v = min(count - columns, count - of_v)  # as far as v goes; h goes the rest
        v = self.b.one("shl", width, v, k=by_v * self.word)
        h = self.b.one("shl", width, h, k=(count - columns - by_v) * self.word)
        return self.b.one("mulhi_about", width, h, v, k=count)

    def rest(self, product: Value, e: Value, m: int, shift: int) -> Value:
        """product - e·q, known to lie below m·q·2^shift."""
        top = (m * self.arith.top - 1) << shift
        count = self.digits(top.bit_length())
        n = self.b.input("n", 0, (1 << self.word * count) - 1)
        width = self.width(max(count, self.digits(e.hi.bit_length())))
        low = self.b.one("low", width, product, k=width)
        less = self.b.one("addlo", width, low, self.b.one("mullo", width, e, n))
        t = self.b.one("low", count * self.word, less, k=count * self.word)
        t = bounded(t, 0, top, "rough_quotient")
        return self.b.one("settle", count * self.word, t, k=self.word)

    def reduced(self, t: Value, m: int, shift: int) -> Value:
        """t below q·2^shift, from below m·q·2^shift."""
        s = self.b.input("s", 0, self.arith.top << shift)
        while m > 1:
            m = 1 << (m - 1).bit_length() - 1
            top = m * self.arith.top << shift
            width = self.width(self.digits(max(top, t.hi).bit_length()))
            t = self.b.one("csub", width, t, self.b.one("shl", width, s, k=m.bit_length() - 1))
            t = bounded(t, 0, top - 1, "conditional_subtraction")
        return self.b.one("settle", self.digits(top.bit_length()) * self.word, t, k=self.word)

    def product(self, t: Value, m: int, shift: int, cut: int) -> DigitProduct:
        """The codelet whose result is t, below m·q·2^shift: reduced on digits if the words that hold q do not hold
        m·q."""
        if m > self.arith.room:
            t, m = self.reduced(t, m, shift), 1
        self.b.output("t", t)
        tops = {name: value.hi.bit_length() for name, value in self.b.block.inputs.items() if name in ORDER}
        constants = ordered({name: self.digits(top) for name, top in tops.items()}, self.arith.words)
        return DigitProduct(self.b.block, self.operands, constants, m, cut, self.word, shift)


def barrett(arith: Arith, word: int, taken: int = 1) -> DigitProduct:
    """x·y for q of exactly ``arith.bits`` bits."""
    f = ProductBuilder(arith, word, taken)
    one = arith.bits + 2 <= word and word + 1 - arith.bits <= 2 * (word - f.bits)
    return _barrett_digit(f) if one else _barrett(f)


def _barrett(f: ProductBuilder) -> DigitProduct:
    """e = ⌊h·μ / 2^(word·columns)⌋ for h = ⌊x·y/2^(word·cut)⌋, μ = ⌊(2^(word·(cut + columns)) - 1)/q⌋.

    It errs by h/2^(word·columns) ≤ 1, by what is lost, and by (2·cut + 1)·2^(word·cut)/q ≤ 1/2: h lacks the carry of
    2·cut halves of products.
    """
    word, bits = f.word, f.arith.bits
    cut = next(c for c in range(bits // word, -1, -1) if (2 * c + 1) << word * c + 2 <= 1 << bits)

    def sizes(shift: int) -> tuple[int, int]:
        columns = f.digits(2 * f.bits + shift - word * cut)
        return columns, lost(columns, f.digits(word * (cut + columns) - bits + 1), columns)

    shift = next(s for s in range(word) if sizes(s)[1] + 1 <= 1 << s)
    columns, _ = sizes(shift)
    x, y = f.operand("x", "x", shift), f.operand("y", "y", 0)
    product = f.whole(x, y)
    h = f.b.one("above", f.width(2 * columns + cut), product, k=word * cut)
    mu = f.b.input("mu", 0, (1 << word * (cut + columns)) - 1 >> bits - 1)
    e = f.b.one("clear", word, f.high(h, mu, columns), k=shift)
    return f.product(f.rest(product, e, 2, shift), 2, shift, word * (cut + columns))


def _barrett_digit(f: ProductBuilder) -> DigitProduct:
    """One digit: h = ⌊x·y·2^s/2^word⌋ takes a product of its own, of operands as large as a digit holds.

    e = ⌊h·μ/2^(word + g)⌋ for μ = ⌊(2^(2·word - s + g) - 1)/q⌋, which fits a digit, errs by 2^(word - s)/q, by
    h/2^(word + g), and by less than one in ⌊ ⌋: a g above 0 costs a shift where it saves a correction.
    """
    word, bits = f.word, f.arith.bits
    shifts = range(word + 1 - bits, 2 * (word - f.bits) + 1)

    def error(s: int, g: int) -> float:
        return 2.0 ** (word - s - bits + 1) + 2.0 ** (2 * f.bits + s - 2 * word - g)

    fits = [(error(s, g) > 1, g, error(s, g), s) for s in shifts for g in range(s + bits - word)]
    more, g, _, s = min(fits)
    m = 2 + more
    left = min(s, word - f.bits)
    x, y = f.operand("x", "x", 0), f.operand("y", "y", 0)
    u, v = f.operand("xs", "x", left), f.operand("ys", "y", s - left)
    h = f.b.one("mulhi", word, u, v)
    mu = f.b.input("mu", 0, (1 << 2 * word - s + g) - 1 >> bits - 1)
    e = f.b.one("shr", word, f.b.one("mulhi", word, h, mu), k=g)
    return f.product(f.rest(f.b.one("mullo", word, x, y), e, m, 0), m, 0, 2 * word - s + g)


def shoup(arith: Arith, word: int, taken: int = 1, plus: bool = False) -> DigitProduct:
    """a·x, or a·x + y, for any q: e = ⌊x·u / 2^cut⌋ for u = ⌊a·2^cut/q⌋ errs by x/2^cut ≤ 1 and
    by what is lost."""
    f = ProductBuilder(arith, word, taken)

    counts = ((s, f.digits(f.bits + s)) for s in range(word))
    shift = next(s for s, count in counts if lost(count, count, count) <= 1 << s)
    columns, m = f.digits(f.bits + shift), 2 + taken * plus
    x, u = f.operand("x", "x", shift), f.b.input("u", 0, (1 << f.digits(f.bits + shift) * word) - 1)
    e = f.b.one("clear", word, f.high(x, u, columns), k=shift)
    product = f.whole(x, f.b.input("a", 0, arith.top - 1))
    if plus:
        y = f.operand("y", "y", shift)
        product = f.b.one("plus", f.width(2 * columns), product, y)
    return f.product(f.rest(product, e, m, shift), m, shift, word * columns)


def product(kind: str, arith: Arith, word: int, taken: int) -> DigitProduct:
    """The codelet of the kernel ``kind`` for vectors below taken·q."""
    return barrett(arith, word, taken) if kind == "vmul" else shoup(arith, word, taken, kind == "axpy")
