"""Products of residues in doubles: in one double, or on several digits by Horner's scheme.

In one (Intel HEXL, WAHC 2021, Algorithm 9): the product exactly, as a high and a low half, less the multiple of q next
to it. On several: one digit of a factor after another from the top. Columns are never carried into one another, only
the leading two tell a quotient. So digits of both factors come as they are cut from words, and the result is within q
of zero, by digits of any size.
"""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.ir.real import MANTISSA
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.double_digits import SHORTEST
from momagen.kernels.residues.theorems import bounded

from .codelet import Elementwise
from .products import ProductRow, powers

HELD = MANTISSA - 1
"""Digits are within 2^HELD: a double holds the difference of two."""
LONGEST = 960
"""Bits of a modulus at most: the units of all columns are then those of doubles that are normal."""
KEPT, MOST = 12, 1 << 8
"""Bits of q above the digits that the estimate of a quotient leaves out, at least, and what columns hold at most, in
digits, as ``row_near`` has it."""
MOST_OVER_Q = 50
"""Bits of a product over q: the quotient then errs by less than 1 with its rounding."""


def fits(row: ProductRow, arith: Arith, taken: int) -> bool:
    """Whether quotients err by at most one, of x·y/q for factors below taken·q or of a·x/q, and sums fit a double."""
    lazy = (taken - 1).bit_length() * (2 if row.pairs else 1)
    return arith.bits + lazy <= MOST_OVER_Q and (1 + taken) * arith.top < 1 << HELD - 1


WORTH = {True: 8, False: 3}
"""Conditional subtractions that a product in one double is worth, by whether it is one of two vectors: on words these
take three times as long, and products by a number half as much again."""


def real_range(row: ProductRow, arith: Arith, taken: int) -> int:
    """Return the largest m up to ``taken`` for which one double multiplies vectors below m·q; 0: words are faster."""
    most = next((m for m in powers(taken) if fits(row, arith, m)), 0)
    steps = (1 + (row.pairs or row.adds)) * (taken // max(most, 1) - 1).bit_length()
    return most if steps <= WORTH[row.pairs] else 0


def real_product(row: ProductRow, arith: Arith, taken: int) -> Elementwise:
    """The codelet of a kernel for vectors below taken·q, in one double: t + q is below m·q and has no sign.
    "n" is q itself; all but the fractions over q are held as they are."""
    b, most, m, cut = Builder(), const(taken * arith.top - 1), 2, MANTISSA
    vectors = dict.fromkeys("xy" if row.pairs or row.adds else "x", 0)
    x, *y = (b.input(name, 0, most.hi) for name in vectors)
    q = b.input("n", 0, arith.top)
    if row.pairs:
        cut += arith.bits - 1
        r = b.one("product_near", HELD, x, *y, q, k=cut)
    else:
        r = b.one("shoup_near", HELD, x, b.input("a", 0, arith.top - 1), q, most, k=1)
    if row.adds and not row.pairs:
        r, m = b.one("plus", HELD, r, *y), 2 + taken
    b.output("t", r)
    return Elementwise(b.block, vectors, m, HELD, units={"mu": -cut, "u": -cut})


def columns(count: int, taken: int) -> int:
    """What every column holds at most after ``count`` rows, in units of a digit: of each row the halves of two
    products, one by a digit of a number below taken·q, one by a quotient within taken + 2, each rounded to nearest."""
    return count * (taken + 4)


def _exact(bits: int, taken: int, word: int, count: int) -> bool:
    """Whether all digits of a modulus of so many bits are full enough for quotients, and all sums are exact."""
    held = columns(count, taken)
    tells = bits - 1 - word * (count - 1) >= KEPT and word * count >= bits + (taken - 1).bit_length()
    exact = 2 * held + 8 << word <= 1 << MANTISSA and count * (taken + 3) << word <= 1 << MANTISSA - 2
    return tells and held <= MOST and exact and (taken + 2) << word <= 1 << MANTISSA - 4


def digits(bits: int, taken: int, most: int) -> tuple[int, int]:
    """The fewest digits, two or more, and their bits, at most ``most``; (0, 0) where no choice will do."""
    tried = ((count, word) for count in range(2, bits // SHORTEST + 2) for word in range(SHORTEST, most + 1))
    return next(((count, word) for count, word in tried if _exact(bits, taken, word, count)), (0, 0))


def horner_product(arith: Arith, taken: int, most: int) -> Elementwise | None:
    """x·y for vectors below taken·q and q of exactly ``arith.bits`` bits; None where doubles have no room. "n" is q
    itself; t is within ±q. Digits of a factor are held times 2^-middle, so that the columns lie around 1."""
    count, word = digits(arith.bits, taken, most)
    if not count or arith.bits > LONGEST:
        return None
    b, normal, top = Builder(), [(0, (1 << word) - 1)] * count, taken * arith.top - 1
    x, y, q = (b.numeral(name, (0, most), normal, word) for name, most in (("x", top), ("y", top), ("n", arith.top)))
    cut, middle = arith.bits - 1 + MANTISSA, (arith.bits + word) // 2
    known = const(taken), const(columns(count, taken)), const(count)
    b.output("t", b.one("times_near", word, x, y, const(0), q, *known, k=cut))
    units = {"x": -middle, "y": -middle, "t": -2 * middle, "mu": -cut}
    return Elementwise(b.block, dict.fromkeys("xy", 0), 1, word, units=units)


def canonical(arith: Arith, product: Elementwise) -> Block:
    """X = x mod q where -q < x < q, on integers in lanes, none negative but the leading one; ``negative`` says whether
    x is."""
    b, count, word = Builder(), product.size, product.word
    width, ends = count * word, [(0, 2 << HELD)] * (count - 1) + [(-1 << HELD, 1 << HELD)]
    x = b.numeral("x", (1 - arith.top, arith.top - 1), ends, word)
    q = b.numeral("q", (0, arith.top), [(0, (1 << word) - 1)] * count, word)
    total = b.one("plus", width, x, b.one("select", width, b.input("negative", 0, 1, "flag"), q, const(0)))
    total = bounded(total, 0, arith.top - 1, "sign_correction")
    b.output("X", b.one("settle", width, total, k=word))
    return b.block
