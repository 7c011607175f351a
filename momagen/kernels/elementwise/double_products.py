"""Products of residues in doubles: in one double, or on several limbs by Horner's scheme.

In one double (Intel HEXL, WAHC 2021, Algorithm 9), the exact product as a high and a low half is reduced by
its nearest multiple of q. On several limbs, the limbs of one factor are multiplied one after another, the
highest first. Carries never move from column to column, and only the two leading columns determine a
quotient. The limbs of both factors are therefore used as they are cut from words, and the result is within q
of zero, for limbs of any size.
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
"""Limbs are within 2^HELD, so that a double holds the difference of two."""
LONGEST = 960
"""The largest number of bits of a modulus. The units of all columns are then units of normal doubles."""
KEPT, MOST = 12, 1 << 8
"""q has at least ``KEPT`` bits above the limbs that the estimate of a quotient omits. Columns are at most
``MOST`` limbs, as the operation ``row_near`` requires."""
MOST_OVER_Q = 50
"""The largest number of bits of a product divided by q. The error of the quotient, including its rounding, is
then below 1."""


def fits(row: ProductRow, arith: Arith, taken: int) -> bool:
    """Return whether quotients are at most one too large or too small, and sums fit a double.

    The quotients are x·y/q for factors below taken·q, or a·x/q.
    """
    lazy = (taken - 1).bit_length() * (2 if row.pairs else 1)
    return arith.bits + lazy <= MOST_OVER_Q and (1 + taken) * arith.top < 1 << HELD - 1


WORTH = {True: 8, False: 3}
"""The number of conditional subtractions that a product in one double is worth, by whether it is a product of
two vectors. On words such a product takes three times as long, and a product by a number half as long
again."""


def real_range(row: ProductRow, arith: Arith, taken: int) -> int:
    """Return the largest m up to ``taken`` for which one double multiplies vectors below m·q.

    It is 0 if words are faster.
    """
    most = next((m for m in powers(taken) if fits(row, arith, m)), 0)
    steps = (1 + (row.pairs or row.adds)) * (taken // max(most, 1) - 1).bit_length()
    return most if steps <= WORTH[row.pairs] else 0


def real_product(row: ProductRow, arith: Arith, taken: int) -> Elementwise:
    """Return the codelet of a kernel in one double, for vectors below taken·q.

    The input "n" is q. The output t is such that t + q is not negative and below m·q. The unit of all inputs
    is 1 except for the fractions by q.
    """
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
    """Return the bound of every column after ``count`` rows, in units of a limb.

    Each row adds halves of two products, one by a limb of a number below taken·q and one by a quotient within
    taken + 2. Each half is rounded to nearest.
    """
    return count * (taken + 4)


def _exact(bits: int, taken: int, word: int, count: int) -> bool:
    """Return whether all sums are exact, and the limbs of the modulus have enough bits for quotients."""
    held = columns(count, taken)
    tells = bits - 1 - word * (count - 1) >= KEPT and word * count >= bits + (taken - 1).bit_length()
    exact = 2 * held + 8 << word <= 1 << MANTISSA and count * (taken + 3) << word <= 1 << MANTISSA - 2
    return tells and held <= MOST and exact and (taken + 2) << word <= 1 << MANTISSA - 4


def digits(bits: int, taken: int, most: int) -> tuple[int, int]:
    """Return the smallest number of limbs from two on, and their width of at most ``most`` bits.

    The result is (0, 0) if sums are not exact for any width.
    """
    tried = ((count, word) for count in range(2, bits // SHORTEST + 2) for word in range(SHORTEST, most + 1))
    return next(((count, word) for count, word in tried if _exact(bits, taken, word, count)), (0, 0))


def horner_product(arith: Arith, taken: int, most: int) -> Elementwise | None:
    """Return the codelet x·y for vectors below taken·q and a modulus of exactly ``arith.bits`` bits.

    It is None if doubles lack the headroom. The input "n" is q, and t is within ±q. The limbs of a factor are
    multiplied by 2^-middle, so that the columns are around 1.
    """
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
    """Return the codelet X = x mod q for -q < x < q, on integers in lanes.

    Only the leading limb of x may be negative. The input ``negative`` states whether x is negative.
    """
    b, count, word = Builder(), product.size, product.word
    width, ends = count * word, [(0, 2 << HELD)] * (count - 1) + [(-1 << HELD, 1 << HELD)]
    x = b.numeral("x", (1 - arith.top, arith.top - 1), ends, word)
    q = b.numeral("q", (0, arith.top), [(0, (1 << word) - 1)] * count, word)
    total = b.one("plus", width, x, b.one("select", width, b.input("negative", 0, 1, "flag"), q, const(0)))
    total = bounded(total, 0, arith.top - 1, "sign_correction")
    b.output("X", b.one("settle", width, total, k=word))
    return b.block
