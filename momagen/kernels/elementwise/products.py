"""Products of residues on digits, for one vector of elements after another: Barrett's and Shoup's quotients."""

from __future__ import annotations

from momagen.ir import Value
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.quotients import ProductBuilder, lost

from .codelet import DigitProduct, ordered

MULTIPLYING = ("vmul", "axpy", "scal")
"""The kernels with a product: of two vectors, or of one by a number that comes with the call."""


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
    mu = f.constant("mu", (1 << word * (cut + columns)) - 1 >> bits - 1)
    e = f.b.one("clear", word, f.high(h, mu, columns), k=shift)
    return _product(f, f.rest(product, e, 2, shift), 2, shift, word * (cut + columns))


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
    mu = f.constant("mu", (1 << 2 * word - s + g) - 1 >> bits - 1)
    e = f.b.one("shr", word, f.b.one("mulhi", word, h, mu), k=g)
    return _product(f, f.rest(f.b.one("mullo", word, x, y), e, m, 0), m, 0, 2 * word - s + g)


def shoup(arith: Arith, word: int, taken: int = 1, plus: bool = False) -> DigitProduct:
    """a·x, or a·x + y, for any q: e = ⌊x·u / 2^cut⌋ for u = ⌊a·2^cut/q⌋ errs by x/2^cut ≤ 1 and
    by what is lost."""
    f = ProductBuilder(arith, word, taken)

    counts = ((s, f.digits(f.bits + s)) for s in range(word))
    shift = next(s for s, count in counts if lost(count, count, count) <= 1 << s)
    columns, m = f.digits(f.bits + shift), 2 + taken * plus
    x, u = f.operand("x", "x", shift), f.constant("u", (1 << f.digits(f.bits + shift) * word) - 1)
    e = f.b.one("clear", word, f.high(x, u, columns), k=shift)
    product = f.whole(x, f.constant("a", arith.top - 1))
    if plus:
        y = f.operand("y", "y", shift)
        product = f.b.one("plus", f.width(2 * columns), product, y)
    return _product(f, f.rest(product, e, m, shift), m, shift, word * columns)


def _product(f: ProductBuilder, t: Value, m: int, shift: int, cut: int) -> DigitProduct:
    """The codelet whose result is t, below m·q·2^shift."""
    m = f.settled(t, m, shift)
    return DigitProduct(f.b.block, f.operands, ordered(f.constants, f.arith.words), m, cut, f.word, shift)


def product(kind: str, arith: Arith, word: int, taken: int) -> DigitProduct:
    """The codelet of the kernel ``kind`` for vectors below taken·q."""
    return barrett(arith, word, taken) if kind == "vmul" else shoup(arith, word, taken, kind == "axpy")
