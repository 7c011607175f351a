"""How residues of one width are held and multiplied: words, lazy multiples of q, and the reduction that fits.

A value inside a kernel is below m·q; ``room`` is the largest m that the words can hold. The width decides which
multiplication by a constant pays: Shoup's with a truncated quotient, Shoup's, Shoup's with both summands reduced, or
Montgomery's where the modulus fills its words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Final

from momagen.errors import MomagenError, among, build_error
from momagen.ir import Builder, Value, const
from momagen.rewrite import folding, table_columns

WIDE: Final = "wide"
"""Shoup's for a q that fills its words: the difference of the products has one more bit. For element-wise kernels."""
SPECIAL = "special"
"""That of a baked q next to a power of two, 2^a: what lies above a bits of a product is folded in. For element-wise
kernels."""
NEED = {"approximate": 8, "lazy": 4, "tight": 2, "montgomery": 1, WIDE: 1, SPECIAL: 1}
"""The multiples of q that words must hold for a scheme."""
SCHEMES = tuple(name for name in NEED if name not in (WIDE, SPECIAL))
PRODUCTS = {"montgomery": "mulmod_full", "solinas": "mulmod_solinas", "signed": "mulmod_signed"}
"""The products by constants whose table does not hold Shoup's quotients."""
WITHIN = "within"
"""Shoup's with a quotient of the leading columns of products, on machines with carry chains: products below k·q."""
SOLINAS = "solinas"
"""That of a baked q = 2^w - 2^(w/2) + 1 of w bits, on machines with carries: any number of w bits is a residue."""

SIGNED = "signed"
"""That of the same q in one word, on lanes that multiply and compare signed numbers: any word is a residue, as a signed
number 2^(w/2-1) above it."""


def scheme(quotients: str | None, reduction: str | None) -> str:
    """The scheme that options ask for, "" for the width's own: where no table has quotients it is Montgomery's."""
    return "montgomery" if quotients == "computed" else reduction or ""


@dataclass(frozen=True)
class Arith:
    """Residues modulo any q below 2^bits, an odd one where Montgomery's is the scheme, in words of ``word`` bits.

    Attributes:
        bits: the width of the modulus. word: bits per word.
        scheme: one of ``SCHEMES``, ``WIDE``, or "" to let the width choose.
        modulus: the only q, where it is baked in; 0 for any of the width.
        half_products: high products of words are made of half words, so that cutting goes on below a word.
        digit: bits of the machine's multiply-adds, where quotients of one word are made with them; 0: of words.
        chains: products are carry chains of multiply-adds, so that a quotient is cut by whole columns.
        special: the scheme that the machine has for 2^w - 2^(w/2) + 1 in one word, where that is baked in; "": none.
        loads: whether a number as long as a word costs an instruction, so that a modulus is better loaded once.
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
        """Words per residue."""
        return -(-self.bits // self.word)

    @property
    def held(self) -> int:
        """Bits of those words; R = 2^held is Montgomery's radix and the precision of Shoup's quotients."""
        return self.words * self.word

    @property
    def width(self) -> int:
        """The width of the operations: word·2^j, so that halving ends at words. Words that are zero cost nothing."""
        return self.word << (self.words - 1).bit_length()

    @property
    def room(self) -> int:
        """The largest m, a power of two, for which every value below m·q fits the words."""
        return 1 << min(self.held - self.bits, 30)

    @property
    def reach(self) -> int:
        """The largest m of a value between Cooley–Tukey butterflies: with 8k, two levels of them need one conditional
        subtraction; with more they need one too, and the results at the end one more for each doubling."""
        return min(self.room, (4 if self.kind == WITHIN else 8) * self.k)

    @cached_property
    def kind(self) -> str:
        """The scheme in use: the one that was asked for, or the first that fits and, of cut quotients, cuts at all."""
        if not self.scheme and self.chains and self.words == 2 and self.modulus == self._solinas:
            return SOLINAS
        if not self.scheme and self.special and self.words == 1 and self.modulus == self._solinas:
            return self.special
        if not self.scheme and self.within:
            return WITHIN
        if not self.scheme:
            fit = [name for name in SCHEMES if self.room >= NEED[name]]
            return fit[fit[0] == "approximate" and self.truncation == 1]
        if self.scheme == SPECIAL and not self.folds:
            problem = f'`reduction="{SPECIAL}"` requires a baked-in modulus close to a power of two'
            raise build_error(problem, "reduction", 'use `bake="yes"` with such a modulus, or another `reduction`')
        if self.scheme not in NEED:
            raise among("one of", SCHEMES, self.scheme, "reduction")
        if self.room < (need := NEED[self.scheme]):
            most = f"a modulus of at most {self.held - (need - 1).bit_length()} bits for the reduction {self.scheme}"
            raise MomagenError(most, f"{self.bits} bits", "reduction")
        return self.scheme

    @property
    def plain(self) -> bool:
        """Whether the scheme is that of any modulus."""
        return self.kind not in (SOLINAS, SIGNED, SPECIAL)

    @property
    def unbaked(self) -> Arith:
        """The same for any modulus."""
        return replace(self, modulus=0, scheme="" if self.scheme == SPECIAL else self.scheme)

    @property
    def folds(self) -> bool:
        """Whether the modulus is known, and rules reduce a product by its form."""
        return self.modulus > 1 and folding("product_full", self.width, self.held, self.modulus) is not None

    @property
    def is_input(self) -> bool:
        """Whether codelets read the modulus from the plan, as they do where it is not known.

        A modulus that is a constant saves operations if the scheme is for its form, or if of its parts that the machine
        multiplies by, words or half words, one is 0 or a power of two, or two are equal. Otherwise the operations are
        the same, and on a machine that ``loads`` each use of the constant is one instruction more than a use of a
        register.
        """
        if not self.modulus or self.kind == SOLINAS:
            return True
        size = self.word // 2 if self.half_products else self.word
        parts = [self.modulus >> at & (1 << size) - 1 for at in range(0, self.bits, size)]
        saves = len({*parts}) < len(parts) or not all(part & part - 1 for part in parts)
        return self.loads and self.plain and not saves

    @property
    def within(self) -> int:
        """Where a quotient is cut by columns, the k for which products are below k·q: one that lets one conditional
        subtraction by leading words serve a level of butterflies; 0: there is none.

        Of n words the columns from n - 1 on leave a product below (n + 1)·q, those from n - 2 on one below 3q. Behind
        the subtraction of s·q values are below (s + 1)·q, and must be below 2s·q before the next.
        """
        if not self.chains or self.words == 1:
            return 0
        steps = [1 << at for at in range(self.room.bit_length())]
        ways = (k for k in (self.words + 1, 3) if any(s + 1 + k <= min(self.room, 2 * s) for s in steps))
        return next(ways, 0)

    @property
    def _solinas(self) -> int:
        """2^w - 2^(w/2) + 1 for numbers of w bits: the Goldilocks prime where w is 64."""
        return (1 << self.held) - (1 << self.held // 2) + 1

    @property
    def cut(self) -> int:
        """The low bits that a conditional subtraction by leading words does not compare: q has more than these."""
        return (self.words - 1) * self.word

    @property
    def k(self) -> int:
        """Shoup's attribute: products are below 2k·q, or below k·q where quotients are cut by columns."""
        if self.kind == WITHIN:
            return self.within
        return self.truncation if self.kind == "approximate" else 1

    @property
    def truncation(self) -> int:
        """The largest k, a power of two, for which a quotient may be cut that deep: 4k·q must fit the words.

        Each halving of k drops the low quarter of the products once more; beyond one word (or half a word) nothing is
        left to drop. Half words are worth it where 8k·q fits: with less room, more conditional subtractions cost more,
        unless they are of one word.
        """
        words = self.width // self.word
        deeper = self.half_products and self.room >= (8 if words > 1 else 4) * 2 * words
        return 2 * words if deeper else max(1, min(words, self.room // 4))

    @property
    def grown(self) -> int:
        """The multiple of q below which products are, and which a lazy butterfly adds."""
        return self.k if self.kind == WITHIN else 2 * self.k

    @property
    def twiddle_words(self) -> int:
        """Words per table entry."""
        return self.words * len(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """What a table holds of a twiddle, as the rules for its products say."""
        return table_columns(PRODUCTS.get(self.kind, "mulmod"))

    @property
    def top(self) -> int:
        """The largest q."""
        return self.modulus or (1 << self.bits) - 1

    def q(self, builder: Builder, least: int = 0) -> Value:
        """The modulus: an input of at least ``least``, or the number that is baked in."""
        if not self.is_input:
            return const(self.modulus)
        return builder.input("q", 1 << self.bits - 1 if self.modulus else least, self.top)

    def residue(self, builder: Builder, name: str, multiple: int = 1) -> Value:
        """A new input below multiple·q, as far as the words hold it."""
        return builder.input(name, 0, min(multiple * self.top, 1 << self.held) - 1)

    def times_q(self, builder: Builder, q: Value, multiple: int) -> Value:
        """multiple·q, a sum of q times powers of two."""
        powers = (k for k in range(multiple.bit_length()) if multiple >> k & 1)
        parts = [builder.one("shl", self.width, q, k=k) if k else q for k in powers]
        return reduce(partial(builder.one, "plus", self.width), parts)
