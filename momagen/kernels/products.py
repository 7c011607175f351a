"""Products of residues on digits, for one vector of elements after another: Barrett's and Shoup's quotients by whole
digits, and none exact.

All is done on numbers 2^s times too large, modulo 2^s·q. A quotient e that is too small by less than 2^s in units of
2^-s, its last s bits cleared, is a whole quotient, one too small at most: so what falls below the digits of e, in μ, in
h and in the columns that the product h·μ leaves out, costs no more than those s bits, and no digit of a guard.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.ir import Block, Builder, Value, refine

from .arith import Arith

MULTIPLYING = ("vmul", "axpy", "scal")
"""The kernels with a product: of two vectors, or of one by a number that comes with the call."""


@dataclass(frozen=True, eq=False)
class DigitProduct:
    """t = 2^shift·z of a z ≡ f(x, y) modulo q, z < m·q.

    Attributes:
        block: inputs are digits of the ``operands`` and the constants; the output is t, by digits of ``word`` bits.
        operands: inputs by name: the vector, and by how many bits its elements are shifted.
        constants: what all elements share, by name and number of digits.
        cut: the bits of 2^cut in ⌊2^cut/q⌋ and ⌊a·2^cut/q⌋, the constants "mu" and "u". The others are "n", a power of
            2^word less q, "s", q·2^shift, and "a" itself.
    """

    block: Block
    word: int
    operands: dict[str, tuple[str, int]]
    constants: dict[str, int]
    shift: int
    m: int
    cut: int

    @property
    def real(self) -> bool:
        """Whether digits are held in doubles."""
        return False


@dataclass
class _Maker:
    """What both quotients are made with. ``taken``: vectors are below taken·q."""

    arith: Arith
    word: int
    taken: int
    b: Builder = field(default_factory=Builder)
    operands: dict[str, tuple[str, int]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Bits of an operand."""
        return (self.taken * self.arith.top - 1).bit_length()

    def digits(self, bits: int) -> int:
        return -(-bits // self.word)

    def operand(self, name: str, vector: str, shift: int) -> Value:
        self.operands[name] = vector, shift
        return self.b.input(name, 0, (self.taken * self.arith.top - 1) << shift)

    def constant(self, name: str, most: int) -> Value:
        self.constants[name] = self.digits(most.bit_length())
        return self.b.input(name, 0, most)

    def lost(self, h: int, v: int, columns: int) -> int:
        """By how much a product of h by v digits is too small at most where all below ``columns`` is left out: low
        halves of the column below, high halves of the next, and all the rest together."""
        pairs = [i + j for i in range(h) for j in range(v)]
        return pairs.count(columns - 1) + pairs.count(columns - 2) + (columns > 1)

    def width(self, count: int) -> int:
        """Of operations on ``count`` digits."""
        return self.word << (count - 1).bit_length()

    def high(self, h: Value, v: Value, columns: int) -> Value:
        """⌊h·v / 2^(columns·word)⌋, too small by what is lost."""
        count = max(columns, self.digits(h.hi.bit_length()), self.digits(v.hi.bit_length()))
        width = self.width(count)
        moved = self.b.one("shl", width, v, k=width - columns * self.word)
        return self.b.one("mulhi_about", width, h, moved, k=width // self.word)

    def rest(self, product: Value, e: Value, m: int, shift: int) -> Value:
        """product - e·q, known to lie below m·q·2^shift."""
        top = (m * self.arith.top - 1) << shift
        count = self.digits(top.bit_length())
        n = self.constant("n", (1 << self.word * count) - 1)
        width = self.width(max(count, self.digits(e.hi.bit_length())))
        low = self.b.one("low", width, product, k=width)
        less = self.b.one("addlo", width, low, self.b.one("mullo", width, e, n))
        t = refine(self.b.one("low", count * self.word, less, k=count * self.word), 0, top)
        return self.b.one("settle", count * self.word, t, k=self.word)

    def reduced(self, t: Value, m: int, shift: int) -> Value:
        """t below q·2^shift, from below m·q·2^shift."""
        s = self.constant("s", self.arith.top << shift)
        while m > 1:
            m = 1 << (m - 1).bit_length() - 1
            top = m * self.arith.top << shift
            width = self.width(self.digits(max(top, t.hi).bit_length()))
            t = self.b.one("csub", width, t, self.b.one("shl", width, s, k=m.bit_length() - 1))
            t = refine(t, 0, top - 1)
        return self.b.one("settle", self.digits(top.bit_length()) * self.word, t, k=self.word)

    def done(self, t: Value, m: int, shift: int, cut: int) -> DigitProduct:
        """Reduced on digits where the words that hold q do not hold m·q."""
        if m > self.arith.room:
            t, m = self.reduced(t, m, shift), 1
        self.b.output("t", t)
        return DigitProduct(self.b.block, self.word, self.operands, self.constants, shift, m, cut)


def _whole(f: _Maker, x: Value, y: Value) -> Value:
    """x·y."""
    count = f.digits((x.hi * y.hi).bit_length())
    return f.b.one("mullo", f.width(count), x, y)


def barrett(arith: Arith, word: int, taken: int = 1) -> DigitProduct:
    """x·y for q of exactly ``arith.bits`` bits."""
    f = _Maker(arith, word, taken)
    one = arith.bits + 2 <= word and word + 1 - arith.bits <= 2 * (word - f.bits)
    return _barrett_digit(f) if one else _barrett(f)


def _barrett(f: _Maker) -> DigitProduct:
    """e = ⌊h·μ / 2^(word·columns)⌋ for h = ⌊x·y/2^(word·cut)⌋, μ = ⌊2^(word·(cut + columns))/q⌋.

    It errs by h/2^(word·columns) ≤ 1, by what is lost, and by (2·cut + 1)·2^(word·cut)/q ≤ 1/2: h lacks the carry of
    2·cut halves of products.
    """
    word, bits = f.word, f.arith.bits
    cut = next(c for c in range(bits // word, -1, -1) if (2 * c + 1) << word * c + 2 <= 1 << bits)

    def sizes(shift: int) -> tuple[int, int]:
        columns = f.digits(2 * f.bits + shift - word * cut)
        return columns, f.lost(columns, f.digits(word * (cut + columns) - bits + 1), columns)

    shift = next(s for s in range(word) if sizes(s)[1] + 1 <= 1 << s)
    columns, _ = sizes(shift)
    x, y = f.operand("x", "x", shift), f.operand("y", "y", 0)
    product = _whole(f, x, y)
    h = f.b.one("above", f.width(2 * columns + cut), product, k=word * cut)
    mu = f.constant("mu", (1 << word * (cut + columns)) // ((1 << bits - 1) + 1))
    e = f.b.one("clear", word, f.high(h, mu, columns), k=shift)
    return f.done(f.rest(product, e, 2, shift), 2, shift, word * (cut + columns))


def _barrett_digit(f: _Maker) -> DigitProduct:
    """One digit: h = ⌊x·y·2^s/2^word⌋ takes a product of its own, of operands as large as a digit holds.

    e = ⌊h·μ/2^word⌋, μ = ⌊2^(2·word - s)/q⌋ errs by 2^(word - s)/q, h/2^word, and less than one in ⌊ ⌋.
    """
    word, bits = f.word, f.arith.bits

    def error(s: int) -> float:
        return 2.0 ** (word - s - bits + 1) + 2.0 ** (2 * f.bits + s - 2 * word)

    s = min(range(word + 1 - bits, 2 * (word - f.bits) + 1), key=error)
    m = 2 if error(s) <= 1 else 3
    left = min(s, word - f.bits)
    x, y = f.operand("x", "x", 0), f.operand("y", "y", 0)
    u, v = f.operand("xs", "x", left), f.operand("ys", "y", s - left)
    h = f.b.one("mulhi", word, u, v)
    mu = f.constant("mu", (1 << 2 * word - s) // ((1 << bits - 1) + 1))
    e = f.b.one("mulhi", word, h, mu)
    return f.done(f.rest(f.b.one("mullo", word, x, y), e, m, 0), m, 0, 2 * word - s)


def shoup(arith: Arith, word: int, taken: int = 1, plus: bool = False) -> DigitProduct:
    """a·x, or a·x + y, for any q: e = ⌊x·u / 2^cut⌋ for u = ⌊a·2^cut/q⌋ errs by x/2^cut ≤ 1 and
    by what is lost."""
    f = _Maker(arith, word, taken)

    def lost(shift: int) -> int:
        count = f.digits(f.bits + shift)
        return f.lost(count, count, count)

    shift = next(s for s in range(word) if lost(s) <= 1 << s)
    columns, m = f.digits(f.bits + shift), 2 + taken * plus
    x, u = f.operand("x", "x", shift), f.constant("u", (1 << f.digits(f.bits + shift) * word) - 1)
    e = f.b.one("clear", word, f.high(x, u, columns), k=shift)
    product = _whole(f, x, f.constant("a", arith.top - 1))
    if plus:
        y = f.operand("y", "y", shift)
        product = f.b.one("plus", f.width(2 * columns), product, y)
    return f.done(f.rest(product, e, m, shift), m, shift, word * columns)


def product(kind: str, arith: Arith, word: int, taken: int) -> DigitProduct:
    """The codelet of the kernel ``kind`` for vectors below taken·q."""
    return barrett(arith, word, taken) if kind == "vmul" else shoup(arith, word, taken, kind == "axpy")
