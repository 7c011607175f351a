"""The element-wise kernels: one row of ``KERNELS`` for each, with a formula that defines its meaning and its code.

The set is HEXL's (Intel HEXL, WAHC 2021, Section 4): sums and differences of vectors, of a vector and a
scalar, negation, products, a·x + y, reduction, and the conditional sum and difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from momagen.ir import Builder, Value, const
from momagen.kernels.butterflies.codelets import Lazy
from momagen.kernels.residues.arith import SPECIAL, WIDE, Arith
from momagen.kernels.residues.reductions import SCHEMES
from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Expr
from momagen.tables import shallow

from . import inverses, sums
from .codelet import Elementwise
from .forms import CONVERSIONS, factors, for_people, in_form
from .frame import CENTRING, FOLDED, PRODUCTS, Frame

VECTORS = ("x", "y", "w")
"""The operands that are vectors. Every other operand is one number."""


class Compare(NamedTuple):
    """A comparison of x with a bound.

    Attributes:
        text: The comparison in C.
        holds: The comparison of integers.
        flag: The function of a builder, a width, x and the bound that returns the comparison as a flag.
    """

    text: str
    holds: Callable[[int, int], bool]
    flag: Callable[[Builder, int, Value, Value], Value]


COMPARES = {
    "eq": Compare("x == bound", lambda x, b: x == b, lambda m, w, x, b: m.one("eq", w, x, b)),
    "lt": Compare("x < bound", lambda x, b: x < b, lambda m, w, x, b: m.one("lt", w, x, b)),
    "le": Compare("x <= bound", lambda x, b: x <= b, lambda m, w, x, b: m.one("le", w, x, b)),
    "ne": Compare("x != bound", lambda x, b: x != b, lambda m, w, x, b: m.one("not", 1, m.one("eq", w, x, b))),
    "nlt": Compare("x >= bound", lambda x, b: x >= b, lambda m, w, x, b: m.one("le", w, b, x)),
    "nle": Compare("x > bound", lambda x, b: x > b, lambda m, w, x, b: m.one("lt", w, b, x)),
    "true": Compare("1", lambda x, b: True, lambda m, w, x, b: const(1, "flag")),
    "false": Compare("0", lambda x, b: False, lambda m, w, x, b: const(0, "flag")),
}
"""The comparisons by HEXL's names (its CMPINT)."""


@dataclass(frozen=True)
class ElementwiseKernel:
    """One kernel, called as k(*operands) and, in C, as execute(plan, z, operands…, n).

    Attributes:
        text: The formula, in the notation of rules.
        compared: Whether the formula applies only where x compares with the bound as requested; elsewhere x stays.
        modular: Whether the result is a residue modulo q; otherwise all numbers are modulo 2^(bits of the words).
        usual_factors: The factors of the ranges of vectors and results by default; 0 for all that the words hold.
        any_input: Whether vectors may hold any number that fits the words.
        multiplies: The product in the formula: of two "vectors", of a vector and a "scalar", or none.
        adds: Whether the formula adds a vector to the product.
        reductions: The reductions among which a user chooses.
        folds: Of a formula that is folded by the form of a known modulus: from how many words on, and the key of a
            target's [tiles] for the range in which reduced-radix limbs are faster; otherwise None.
        for_even: The reduction of products for an even modulus, if it is not the usual one.
        converts: Whether the kernel converts to or from Montgomery form.
        sums: Whether the results of all elements are summed.
        inverts: Whether the formula is an inverse, which requires a prime modulus.
        recurs: Whether chained results recur: "never", "composite" (only if the modulus is not a prime) or "soon".
    """

    text: str
    compared: bool = False
    modular: bool = True
    usual_factors: tuple[int, int] = (1, 1)
    any_input: bool = False
    multiplies: str = ""
    adds: bool = False
    reductions: tuple[str, ...] = ()
    folds: tuple[int, str] | None = None
    for_even: Literal["", "barrett", "wide"] = ""
    converts: bool = False
    sums: bool = False
    inverts: bool = False
    recurs: str = "soon"

    @property
    def pairs(self) -> bool:
        """Whether the formula has a product of two vectors, which is reduced without constants."""
        return self.multiplies == "vectors"

    @property
    def plain(self) -> bool:
        """Whether the kernel consists of sums and products of residues, element by element."""
        return not (self.any_input or self.compared or self.converts or self.inverts or self.sums)

    @property
    def has_form(self) -> bool:
        """Whether operands and results may be in Montgomery form."""
        return bool(self.multiplies) or self.inverts or self.sums

    @property
    def has_factors(self) -> bool:
        """Whether vectors and results may have wider ranges than residues."""
        return self.modular and not (self.inverts or self.sums)

    @cached_property
    def expr(self) -> Expr:
        """The formula as a tree."""
        with shallow(self.text, "formula"):
            return RuleParser(self.text, "formula").value()

    def on(self, form: int) -> ElementwiseKernel:
        """Return the kernel on plain numbers if ``form`` is 0, and on numbers in Montgomery form otherwise."""
        return replace(self, text=in_form(self.text)) if form else self

    @cached_property
    def operands(self) -> list[str]:
        """The names of the operands: scalars first, then vectors."""
        found = {*re.findall(r"[a-z]+", self.text), *["bound", "x"] * self.compared}
        return [*sorted(found - {*VECTORS}), *(name for name in VECTORS if name in found)]

    def factors(self, taken: int) -> dict[str, int]:
        """Return the ranges of the operands, as multiples of q that bound them; 0 for all numbers that the words hold.

        Args:
            taken: The range of vectors.
        """
        known = {**dict.fromkeys(VECTORS, taken), "bound": 0}
        return {name: known.get(name, 1) * self.modular for name in self.operands}

    def formula(self, cmp: str) -> str:
        """Return the formula for readers.

        Args:
            cmp: The name of the comparison.
        """
        return f"({COMPARES[cmp].text} ? {self.text} : x)" if self.compared else for_people(self.text)

    def meaning(self, modulus: int, cmp: str, *operands: int, form: int = 0) -> int:
        """Return one element of the result, from 0 to ``modulus`` - 1, computed on integers.

        Args:
            modulus: The modulus.
            cmp: The name of the comparison.
            operands: The operands.
            form: The exponent k of R = 2^k for numbers in Montgomery form, or 0.
        """
        given = dict(zip(self.operands, operands, strict=True)) | factors(form, modulus)
        chosen = not self.compared or COMPARES[cmp].holds(given["x"], given["bound"])
        return (number(self.expr, given) if chosen else given["x"]) % modulus


class SumKernel(ElementwiseKernel):
    """A sum over all elements; :meth:`meaning` defines one of its terms."""

    def formula(self, cmp: str) -> str:
        """Return the formula for readers."""
        return f"Σ {super().formula(cmp)}"


class InverseKernel(ElementwiseKernel):
    """The inverse of x modulo a prime, and 0 for 0."""

    def meaning(self, modulus: int, cmp: str, *operands: int, form: int = 0) -> int:
        """Return the inverse of an element, or 0 for 0."""
        (x,) = operands
        return pow(x, -1, modulus) * (1 << 2 * form) % modulus if x else 0


KERNELS = {
    "vadd": ElementwiseKernel("x + y", recurs="never"),
    "vsub": ElementwiseKernel("x - y", recurs="never"),
    "vmul": ElementwiseKernel(
        "x·y", multiplies="vectors", reductions=tuple(PRODUCTS), folds=(1, "unfolded"), for_even="barrett",
        recurs="composite",
    ),
    "vmuladd": ElementwiseKernel(
        "x·y + w", multiplies="vectors", adds=True, reductions=tuple(name for name in PRODUCTS if name != FOLDED),
        folds=(1, "unfolded"), for_even="barrett",
    ),
    "axpy": ElementwiseKernel(
        "a·x + y", multiplies="scalar", adds=True, reductions=(*SCHEMES, WIDE, SPECIAL), folds=(2, "scaled"),
        for_even=WIDE, recurs="never",
    ),
    "scal": ElementwiseKernel(
        "a·x", multiplies="scalar", reductions=(*SCHEMES, WIDE, SPECIAL), folds=(2, "scaled"), for_even=WIDE,
        recurs="composite",
    ),
    "vadds": ElementwiseKernel("x + a", recurs="never"),
    "vsubs": ElementwiseKernel("x - a", recurs="never"),
    "vneg": ElementwiseKernel("-x"),
    "reduce": ElementwiseKernel(
        "x", usual_factors=(0, 1), any_input=True, reductions=(*SCHEMES, SPECIAL), folds=(1, "")
    ),
    "cmpadd": ElementwiseKernel("x + diff", compared=True, modular=False, usual_factors=(0, 0)),
    "cmpsub": ElementwiseKernel("x - diff", compared=True, any_input=True),
    **{kind: ElementwiseKernel(text, converts=True) for kind, text in CONVERSIONS.items()},
    inverses.KIND: InverseKernel(inverses.TEXT, inverts=True),
    sums.KIND: SumKernel("x·y", sums=True),
}  # fmt: skip
"""All kernels. The conditional ones compare x before any reduction, as HEXL's do."""


def elementwise(
    row: ElementwiseKernel, arith: Arith, product: str = "barrett", compare: str = CENTRING, m_in: int = 1,
    m_out: int = 1, form: int = 0, least: int = 0,
) -> Elementwise:  # fmt: skip
    """Return the codelet of a kernel.

    Args:
        row: The formula of the kernel.
        arith: The representation of residues.
        product: The reduction of products of two vectors. ``arith`` determines the reduction of other products.
        compare: A name in ``COMPARES``.
        m_in: Vectors are below m_in·q for a power of two m_in; 0 for all numbers that the words hold.
        m_out: The results are below m_out·q.
        form: The exponent k of Montgomery form x·2^k mod q, or 0 for plain numbers (for conversions, the
            number of bits of the words).
        least: The least modulus.
    """
    if row.inverts:
        return Elementwise(inverses.forward(arith).block, {"x": 0}, 1)
    form = form or arith.held * row.converts
    kernel = row.on(form)
    f = Frame(arith, kernel.factors(m_in), m_out * kernel.modular, PRODUCTS.get(product, product), form, least)
    return f.finish(_compared(f, kernel, compare) if kernel.compared else f.value(kernel.expr))


def _compared(f: Frame, kernel: ElementwiseKernel, compare: str) -> Lazy:
    """Return the result of ``kernel`` if the comparison holds, and x otherwise.

    Sums of one word add ``diff`` under the flag, which is one instruction on machines with masks.
    """

    def flag() -> Value:
        return COMPARES[compare].flag(f.b, f.width, f.raw("x"), f.raw("bound"))

    if not kernel.modular and f.arith.words == 1:
        return Lazy(f.b.one("addif", f.width, flag(), f.raw("x"), f.raw("diff")), 0)
    z, x = f.value(kernel.expr), f.operand("x")
    return Lazy(f.b.one("select", f.width, flag(), z.value, x.value), max(x.m, z.m))


def residue_of(arith: Arith, m: int, m_out: int = 1) -> Elementwise:
    """Return the codelet z ≡ t below m_out·q for any t below m·q."""
    frame = Frame(arith, {"t": m}, m_out)
    return frame.finish(frame.operand("t"))


def montgomery_product(arith: Arith, m_in: int = 1, m_out: int = 1) -> Elementwise:
    """Return the codelet z = x·y/R, a product whose factor 1/R a later constant cancels."""
    f = Frame(arith, dict.fromkeys("xy", m_in), m_out, form=arith.held)
    return f.finish(f.montgomery(f.operand("x"), f.operand("y")))


def sum_of(arith: Arith, m: int, m_in: int, m_out: int = 1) -> Elementwise:
    """Return the codelet z ≡ t + w below m_out·q, for t below m·q and w below m_in·q."""
    f = Frame(arith, {"t": m, "w": m_in}, m_out)
    return f.finish(f.sum(f.operand("t"), f.operand("w")))


def default_product(arith: Arith) -> str:
    """Return Barrett's product, or Montgomery's for one word that q nearly fills.

    In that case Barrett's quotient would need another word; otherwise Montgomery's two reductions cost 1.2 to
    2 times as much. They support every odd q without a shift. Barrett's constant is correct for one bit
    length, to which shorter moduli are shifted, and supports even moduli too.
    """
    return "montgomery" if arith.words == 1 and arith.bits > arith.held - 4 else "barrett"


def lanes_for(codelet: Elementwise, arith: Arith, lanes: int, halves: bool, widest: int = 0) -> int:
    """Return the number of lanes that a kernel should use: all of them, or one if lanes cost more than they save.

    Moving residues to lanes and back is cheap if they have up to four words, if their number of words is a
    power of two and only one vector is loaded, and if registers are loaded by halves. In other sums the moves
    cost more than the sum itself. A product is worth any move.

    Args:
        codelet: The codelet.
        arith: The representation of residues.
        lanes: The number of lanes of the target.
        halves: Whether registers are loaded by halves.
        widest: The largest number of words for which products use lanes, or 0 for any number.
    """
    if codelet.multiplies:
        return lanes if not widest or arith.words <= widest else 1
    square = arith.words & (arith.words - 1) == 0
    return lanes if halves or arith.words <= 4 or (square and len(codelet.vectors) == 1) else 1
