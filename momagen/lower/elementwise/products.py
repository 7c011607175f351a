"""Products element by element on the target's digits: whether they go that way, and where their constants stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from momagen.errors import MomagenError
from momagen.kernels.elementwise.blas import residue_of
from momagen.kernels.elementwise.double_products import fits, real_product
from momagen.kernels.elementwise.frame import Elementwise
from momagen.kernels.elementwise.horner import horner_product
from momagen.kernels.elementwise.products import MULTIPLYING, product
from momagen.kernels.residues.arith import WIDE, Arith
from momagen.kernels.residues.quotients import DigitProduct
from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import ProgramWriter
from momagen.targets import load_target

ORDER = ("n", "i", "s", "mu", "a", "u")
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
        return not self.inner.real and self.inner.constants["n"] > SHORT

    @property
    def fixed(self) -> int:
        """Words of the constants that q alone decides, which stand in front."""
        return self.at.get("a", self.count)


def digit_loop(spec: Spec, writer: ProgramWriter) -> DigitLoop | None:
    """The loop of ``spec`` on the target's digits; None where words go instead."""
    arith = writer.arith
    if spec.kind not in MULTIPLYING or refusal(spec):
        return None
    inner = _inner(spec, arith)
    assert inner
    sizes = {"q": arith.words, **{name: inner.constants[name] for name in ORDER if name in inner.constants}}
    ends = list(accumulate(sizes.values(), initial=0))
    # Of one word and a constant compilers make a comparison where a minimum is meant.
    outer = residue_of(replace(arith, modulus=0) if arith.words == 1 else arith, inner.m, spec.ranges.output)
    return DigitLoop(inner, outer, dict(zip(sizes, ends, strict=False)), ends[-1])


def _inner(spec: Spec, arith: Arith) -> DigitProduct | None:
    """In doubles where the target has no digits of integers; None where they have no room."""
    target, taken = load_target(spec.target), spec.ranges.input
    if target.digit:
        return product(spec.kind, arith, target.digit, taken)
    if fits(spec.kind, arith, taken):
        return real_product(spec.kind, arith, taken)
    return horner_product(arith, taken, target.real) if spec.kind == "vmul" else None


def refusal(spec: Spec) -> str:
    """Why a product does not go on digits; nothing where it does.

    Raises:
        MomagenError: digits are asked for, and there are none.
    """
    asked, reason = spec.options.get("digits"), _obstacle(spec)
    if reason and asked == "slack":
        raise MomagenError("a product on digits", reason, "digits")
    return reason or ("whole words were asked for" if asked == "full" else "" if asked else _loss(spec))


def _obstacle(spec: Spec) -> str:
    """Why it cannot."""
    target = load_target(spec.target)
    if "products" not in target.tiles:
        return f"the target {target.name}, which has none"
    if spec.kind == "vmul" and not spec.barrett:
        return "Montgomery's product serves moduli of any length"
    if spec.kind != "vmul" and spec.options.get("reduction", WIDE) != WIDE:
        return "another reduction was asked for"
    if _inner(spec, spec.arith):
        return ""
    room = "doubles have no room" if spec.kind == "vmul" else "one double has no room"
    return f"a product of {spec.arith.bits} bits, for which {room}"


def _loss(spec: Spec) -> str:
    """Why it should not."""
    target, arith = load_target(spec.target), spec.arith
    least, most = target.tiles["products"]
    if target.digit and spec.ranges.input * arith.top >> target.digit and _one_word(spec):
        return "Shoup's product takes one word where it would take two digits"
    one = not target.digit and fits(spec.kind, arith, spec.ranges.input)
    held = f"digits of radix 2^{target.digit}" if target.digit else "floating-point digits"
    return "" if one or least <= arith.words <= most else f"at {arith.bits} bits they are faster than {held}"


def _one_word(spec: Spec) -> bool:
    """Whether a product by a constant is one of words: 20 operations, on digits 27."""
    return spec.kind != "vmul" and spec.arith.words == 1
