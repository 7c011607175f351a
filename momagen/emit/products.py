"""Products element by element on the target's digits: whether they go that way, and where their constants stand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from momagen.kernels.arith import Arith
from momagen.kernels.blas import residue_of
from momagen.kernels.frame import Elementwise
from momagen.kernels.products import MULTIPLYING, product
from momagen.kernels.quotients import DigitProduct
from momagen.kernels.real_products import fits, real_product
from momagen.kernels.spec import Spec
from momagen.targets import load_target

from .source import Writer

ORDER = ("n", "s", "mu", "a", "u")
"""How constants follow q in memory: those that q alone decides, then those that come with a call."""
SHORT = 5
"""Digits up to which those of both factors and all sums nearly fit the registers."""


@dataclass(frozen=True)
class DigitLoop:
    """A loop on digits.

    Attributes:
        inner: t from the vectors. outer: z from the words of t. at: the first word of each constant, q's words first.
        count: words of them all.
    """

    inner: DigitProduct
    outer: Elementwise
    at: dict[str, int]
    count: int

    @property
    def long(self) -> bool:
        """Whether products go by rows, with one factor in memory."""
        return self.inner.constants["n"] > SHORT

    def numbers(self) -> dict[str, object]:
        """What the template asks for."""
        return {
            "at": self.at, "words": self.count, "sizes": self.inner.constants, "cut": self.inner.cut,
            "fixed": self.at.get("a", self.count), "shift": self.inner.shift,
            "real": self.inner.real,
        }  # fmt: skip


def digit_loop(spec: Spec, writer: Writer) -> DigitLoop | None:
    """The loop of ``spec`` on the target's digits; None where words go instead."""
    target, arith = writer.target, writer.arith
    least, most = target.tiles.get("products", (1, 0))
    if spec.kind not in MULTIPLYING or not least <= arith.words <= most or refusal(spec):
        return None
    inner = _inner(spec, arith, target.digit)
    sizes = {"q": arith.words, **{name: inner.constants[name] for name in ORDER if name in inner.constants}}
    ends = list(accumulate(sizes.values(), initial=0))
    outer = residue_of(arith, inner.m, spec.ranges.output)
    return DigitLoop(inner, outer, dict(zip(sizes, ends, strict=False)), ends[-1])


def _inner(spec: Spec, arith: Arith, digit: int) -> DigitProduct:
    """In doubles where the target has no digits of integers."""
    if not digit:
        return real_product(spec.kind, arith, spec.ranges.input)
    return product(spec.kind, arith, digit, spec.ranges.input)


def refusal(spec: Spec) -> str:
    """Why a product does not go on digits; nothing where it does."""
    if spec.kind == "vmul" and not spec.exact:
        return "Montgomery's product serves moduli of any length"
    if spec.kind != "vmul" and "reduction" in spec.options:
        return "another reduction was asked for"
    if not load_target(spec.target).digit:
        return "" if fits(spec.kind, spec.arith, spec.ranges.input) else "products of more than 50 bits fill no double"
    longer = spec.ranges.input * spec.arith.top >> load_target(spec.target).digit
    return "Shoup's product takes one word where it would take two digits" if longer and _one_word(spec) else ""


def _one_word(spec: Spec) -> bool:
    """Whether a product by a constant is one of words: 20 operations, on digits 27."""
    return spec.kind != "vmul" and spec.arith.words == 1
