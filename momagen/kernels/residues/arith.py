"""The representation and multiplication of residues of one width: words, lazy multiples of q, and the reduction scheme.

A value inside a kernel is below m·q; ``room`` is the largest m that the words can hold. The width determines
which multiplication by a constant is the fastest: Shoup's with a truncated quotient, Shoup's, Shoup's with
both summands reduced, or Montgomery's if the modulus fills its words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Final

from momagen.errors import MomagenError, among, build_error
from momagen.ir import Builder, Value, const
from momagen.rewrite import folding, table_columns

from .reductions import REDUCTIONS, REQUESTED, SCHEMES, ReductionRow

FULL_LIMBS = "full-radix limbs"
"""The representation of residues whose limbs are words."""
WIDE: Final = "wide"
"""The scheme of Shoup's products for a q that fills its words, in which the difference of two products has
one more bit. Element-wise kernels use it."""
SPECIAL = "special"
"""The scheme for a baked q close to a power of two 2^a: the bits of a product above 2^a are folded.
Element-wise kernels use it."""
WITHIN = "within"
"""The scheme of Shoup's products with a quotient from the leading columns of products, on machines with carry
chains. Products are below k·q."""
SOLINAS = "solinas"
"""The scheme for a baked q = 2^w - 2^(w/2) + 1 of w bits, on machines with carries. Every number of w bits
represents a residue."""

SIGNED = "signed"
"""The scheme for the same q in one word, on lanes that multiply and compare signed numbers. Every word
represents a residue: the signed number in the word, minus 2^(w/2-1)."""


def scheme(quotients: str | None, reduction: str | None) -> str:
    """Return the scheme that options request, or "" for the scheme of the width.

    Without tables of quotients it is Montgomery's.
    """
    return "montgomery" if quotients == "computed" else reduction or ""


@dataclass(frozen=True)
class Arith:
    """Residues modulo any q below 2^bits, in words of ``word`` bits. Montgomery's scheme requires an odd q.

    Attributes:
        bits: The width of the modulus.
        word: The number of bits of a word.
        scheme: One of ``SCHEMES``, ``WIDE`` or ``SPECIAL``, or "" to let the width choose.
        modulus: The only modulus, if it is baked in; 0 for every modulus of the width.
        half_products: Whether high products of words consist of products of half words, so that quotients can
            be truncated further than by whole words.
        digit: The number of bits of the machine's multiply-adds, if quotients of one word use them; 0 for
            words.
        chains: Whether products are carry chains of multiply-adds, so that quotients are truncated by whole
            columns.
        special: The scheme of the machine for a baked modulus 2^w - 2^(w/2) + 1 of one word, or "".
        loads: Whether a constant as long as a word takes an instruction, so that it is better to load the
            modulus once.
    """

    bits: int
    word: int = 64
    scheme: str = ""
    modulus: int = 0
    half_products: bool = False
    digit: int = 0
    chains: bool = False
    special: str = ""
    loads: bool = False

    @property
    def words(self) -> int:
        """The number of words of a residue."""
        return -(-self.bits // self.word)

    @property
    def held(self) -> int:
        """The number of bits of these words. R = 2^held is Montgomery's radix and the precision of Shoup quotients."""
        return self.words * self.word

    @property
    def stride(self) -> int:
        """The number of words from one residue to the next if residues of several words occupy whole 64-bit words."""
        return self.words + int(self.words > 1 and self.words * self.word // 32 % 2)

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.cut if self.kind == WITHIN else 0

    @property
    def width(self) -> int:
        """The width of the operations, word·2^j, so that repeated halving ends at words. Zero words cost nothing."""
        return self.word << (self.words - 1).bit_length()

    @property
    def room(self) -> int:
        """The largest m, a power of two, for which every value below m·q fits the words."""
        return 1 << min(self.held - self.bits, 30)

    @property
    def reach(self) -> int:
        """The largest m for values below m·q between Cooley–Tukey butterflies.

        With 8k, two levels of butterflies need one conditional subtraction. With more they need one as well,
        and the results need one more for each doubling.
        """
        return min(self.room, (4 if self.kind == WITHIN else 8) * self.k)

    @cached_property
    def kind(self) -> str:
        """The scheme in use: the requested one, or the first one that fits. A truncated quotient must omit something.

        Raises:
            MomagenError: The requested scheme is unknown, or does not support the modulus.
        """
        if not self.scheme and self.chains and self.words == 2 and self.modulus == self._solinas:
            return SOLINAS
        if not self.scheme and self.special and self.words == 1 and self.modulus == self._solinas:
            return self.special
        if not self.scheme and self.within:
            return WITHIN
        if not self.scheme:
            fit = [name for name in SCHEMES if self.room >= REDUCTIONS[name].room]
            return fit[fit[0] == "approximate" and self.truncation == 1]
        if self.scheme == SPECIAL and not self.folds:
            problem = f'`reduction="{SPECIAL}"` requires a baked-in modulus close to a power of two'
            raise build_error(problem, "reduction", 'use `bake="yes"` with such a modulus, or another `reduction`')
        if self.scheme not in REQUESTED:
            raise among("one of", SCHEMES, self.scheme, "reduction")
        if self.room < (need := REQUESTED[self.scheme].room):
            most = f"a modulus of at most {self.held - (need - 1).bit_length()} bits for the reduction {self.scheme}"
            raise MomagenError(most, f"{self.bits} bits", "reduction")
        return self.scheme

    @cached_property
    def reduction(self) -> ReductionRow:
        """The scheme in use, with the operations and the ranges that its row states."""
        return REDUCTIONS[self.kind]

    @property
    def plain(self) -> bool:
        """Whether the scheme supports every modulus."""
        return not self.reduction.form

    @property
    def unbaked(self) -> Arith:
        """The same representation for every modulus of the width."""
        return replace(self, modulus=0, scheme="" if self.scheme == SPECIAL else self.scheme)

    @property
    def folds(self) -> bool:
        """Whether the modulus is known, and rules reduce a product by its form."""
        return self.modulus > 1 and folding("product_full", self.width, self.held, self.modulus) is not None

    @property
    def is_input(self) -> bool:
        """Whether codelets read the modulus from the plan, as they do unless it is known.

        A constant modulus saves operations if the scheme depends on its form, or if its parts, which are the
        words or half words that the machine multiplies by, contain 0, a power of two or two equal parts.
        Otherwise the operations are the same, and if ``loads`` is true each use of the constant takes one
        instruction more than the use of a register.
        """
        if not self.modulus or self.kind == SOLINAS:
            return True
        size = self.word // 2 if self.half_products else self.word
        parts = [self.modulus >> at & (1 << size) - 1 for at in range(0, self.bits, size)]
        saves = len({*parts}) < len(parts) or not all(part & part - 1 for part in parts)
        return self.loads and self.plain and not saves

    @property
    def within(self) -> int:
        """For quotients that are truncated by columns, the k for which products are below k·q; 0 if there is none.

        One conditional subtraction by leading words must then be enough for a level of butterflies. For n
        words, the columns from n - 1 on give a product below (n + 1)·q, and those from n - 2 on a product
        below 3q. After the subtraction of s·q values are below (s + 1)·q, and they must be below 2s·q before
        the next one.
        """
        if not self.chains or self.words == 1:
            return 0
        steps = [1 << at for at in range(self.room.bit_length())]
        ways = (k for k in (self.words + 1, 3) if any(s + 1 + k <= min(self.room, 2 * s) for s in steps))
        return next(ways, 0)

    @property
    def _solinas(self) -> int:
        """The number 2^w - 2^(w/2) + 1 for numbers of w bits; the Goldilocks prime if w is 64."""
        return (1 << self.held) - (1 << self.held // 2) + 1

    @property
    def cut(self) -> int:
        """The number of low bits that a conditional subtraction by leading words does not compare; q has more bits."""
        return (self.words - 1) * self.word

    @property
    def k(self) -> int:
        """The attribute k of Shoup's products.

        They are below 2k·q, or below k·q if quotients are truncated by columns.
        """
        if self.kind == WITHIN:
            return self.within
        return self.truncation if self.kind == "approximate" else 1

    @property
    def truncation(self) -> int:
        """The largest k, a power of two, to which a quotient may be truncated: 4k·q must fit the words.

        Each doubling of k omits another low quarter of the products; after the omission of one word (or half
        a word) nothing more can be omitted. Half words are worth it if 8k·q fits: with less headroom,
        additional conditional subtractions cost more, unless residues have one word.
        """
        words = self.width // self.word
        deeper = self.half_products and self.room >= (8 if words > 1 else 4) * 2 * words
        return 2 * words if deeper else max(1, min(words, self.room // 4))

    @property
    def grown(self) -> int:
        """The multiple of q that bounds products, and that a lazy butterfly adds."""
        return self.reduction.multiple * self.k

    @property
    def twiddle_words(self) -> int:
        """The number of words of a table entry."""
        return self.words * len(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table for a twiddle, as the rules for its products state them."""
        return table_columns(self.reduction.table)

    @property
    def top(self) -> int:
        """The largest modulus."""
        return self.modulus or (1 << self.bits) - 1

    def q(self, builder: Builder, least: int = 0) -> Value:
        """Return the modulus: an input that is at least ``least``, or the baked-in number."""
        if not self.is_input:
            return const(self.modulus)
        return builder.input("q", 1 << self.bits - 1 if self.modulus else least, self.top)

    def residue(self, builder: Builder, name: str, multiple: int = 1) -> Value:
        """Return a new input below multiple·q, limited to the numbers that the words hold."""
        return builder.input(name, 0, min(multiple * self.top, 1 << self.held) - 1)

    def times_q(self, builder: Builder, q: Value, multiple: int) -> Value:
        """Return multiple·q as a sum of products of q by powers of two."""
        powers = (k for k in range(multiple.bit_length()) if multiple >> k & 1)
        parts = [builder.one("shl", self.width, q, k=k) if k else q for k in powers]
        return reduce(partial(builder.one, "plus", self.width), parts)
