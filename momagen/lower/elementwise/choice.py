"""The choice of loops for element-wise kernels: arithmetic on words, limbs or across lanes, lanes, and interleaving."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from momagen.errors import build_error
from momagen.kernels.elementwise.blas import lanes_for
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.double_products import horner_product, real_product, real_range
from momagen.kernels.elementwise.frame import least_of_digit
from momagen.kernels.elementwise.products import product, reduced_first, shoup_range
from momagen.kernels.residues.arith import SPECIAL, WIDE, Arith
from momagen.kinds.modular.derived.hints import longer_words
from momagen.kinds.modular.spec import Spec
from momagen.lower.body.layouts import halves_pay
from momagen.lower.writer import ProgramWriter
from momagen.rewrite import can_look_ahead, registers

TURNS = {
    "doubles": (((4, 4), (6, 2)), ((1, 8), (3, 4), (5, 3), (9, 2))),
    "digits": ((), ((1, 1), (2, 8), (3, 6), (5, 4))),
    "words": (((2, 4),), ((1, 8), (2, 4), (6, 2))),
    "split": ((), ((1, 2),)),
}
"""The numbers of interleaved vectors, for targets with few registers and for targets with many.

Each pair has a number of limbs or words, and the number of vectors that are interleaved up to this size.
Longer products are not interleaved. "split" means words with quotients from products of limbs: they take so
few operations that memory is soon the limit."""

SHIFTS = {"shlv", "shrv"}
"""The operations with which a target shifts operands in registers by a number that the plan contains."""


class LoopChoice(NamedTuple):
    """The loops of one kernel.

    Attributes:
        one: The codelet for one residue at a time.
        many: The codelet for vectors of words, or for groups.
        inner: The codelet of products on reduced-radix limbs, or None if products are on words.
        group: The number of residues of a group whose words are across lanes, or 0 if each lane has a word of
            another residue.
        lanes: The number of residues of a vector or of a group.
        turns: The number of interleaved vectors.
        shifts: Whether loops shift the operands of short moduli in registers.
        least: The least modulus for which vectors use the codelet ``longer``, or 0 if all moduli have the
            same codelet.
        longer: The codelet for moduli from ``least`` on.
    """

    one: Elementwise
    many: Elementwise
    inner: Elementwise | None
    group: int
    lanes: int
    turns: int
    shifts: bool = False
    least: int = 0
    longer: Elementwise | None = None


def choose(writer: ProgramWriter) -> LoopChoice:
    """Return the loops of the kernel of ``writer``.

    Raises:
        MomagenError: An option requires a loop that the kernel cannot have.
    """
    spec, target, arith = writer.spec, writer.target, writer.arith
    unbaked = arith.unbaked  # across lanes, a constant modulus saves nothing
    inner = None if not spec.expression.multiplies or refusal(spec) else _inner(spec, arith)
    if inner and arith.room == 1:  # words use the quotient that limbs need, instead of 1/q
        arith = replace(arith, scheme=WIDE)
    split = target.digit and arith.words == 1 and arith.room >= 4 and arith.scheme == ""
    in_lanes = replace(arith, digit=target.digit if split else 0)
    one, sums, words, full = spec.codelet(arith), spec.codelet(unbaked), arith.words, target.lanes
    able = 0 < target.across <= words and can_look_ahead(sums.block, arith.word, words, full)
    group = full * registers(words, full) // words if able else 0
    lanes = group or (full if inner else lanes_for(one, arith, full, halves_pay(target, words), target.widest))
    if lanes == 1:  # the host may have whole products, and all code is scalar
        one = spec.codelet(replace(arith, half_products=writer.host.half_products))
    many = sums if group else spec.codelet(in_lanes)
    turns = 1 if group else turns_of(spec, inner, lanes, split=in_lanes.digit > 0)
    on_digit = replace(arith, digit=target.digit)
    whole = spec.ranges.input == 0 and arith.room > 1 and arith.words == 1 and lanes > 1
    least = least_of_digit(on_digit) if whole and arith.scheme == "" and not spec.baked else 0
    longer = spec.codelet(on_digit, least) if least else None
    several = inner is not None and inner.real and inner.size > 1  # a shift would cut limbs in doubles elsewhere
    in_registers = all(each.ops.keys() >= SHIFTS for each in (target, writer.host))
    shifts = spec.shifts and words == 1 and in_registers and not several
    return LoopChoice(one, many, inner, group, lanes, turns, shifts, least, longer)


def turns_of(spec: Spec, inner: Elementwise | None, lanes: int, *, split: bool) -> int:
    """Return the number of interleaved vectors.

    Args:
        spec: The specification.
        inner: The codelet of products on reduced-radix limbs, or None.
        lanes: The number of residues of a vector.
        split: Whether products on words have quotients from products of limbs.

    Raises:
        MomagenError: Several vectors are requested, but there are no vectors, or their factors stay in
            memory.
    """
    target = spec.target
    if not spec.expression.multiplies or lanes == 1 or (inner and inner.long):
        if (spec.options.interleave or 1) > 1:
            problem = "`interleave` applies only to products of vectors whose limbs fit the registers"
            raise build_error(problem, "interleave", "omit `interleave`")
        return 1
    if spec.options.interleave:
        return spec.options.interleave
    words = "split" if split and not spec.expression.pairs else "words"
    known = TURNS[words if inner is None else "doubles" if inner.real else "digits"]
    size = inner.size if inner else spec.arith.words
    return next((turns for most, turns in known[target.many_registers] if size <= most), 1)


def _inner(spec: Spec, arith: Arith) -> Elementwise | None:
    """Return the product on reduced-radix limbs, or None if these have no headroom for it.

    The limbs are doubles if the target has no integer limbs.
    """
    target, taken = spec.target, spec.ranges.input
    arith = replace(arith, half_products=False)  # limbs are multiplied whole
    if target.digit:
        return product(spec.expression, arith, target.digit, taken)
    if most := real_range(spec.expression, arith, taken):
        return reduced_first(real_product(spec.expression, arith, most), taken, most)
    return horner_product(arith, taken, target.real) if spec.expression.pairs else None


def refusal(spec: Spec) -> str:
    """Return the reason why a product is not computed on reduced-radix limbs, or "" if it is.

    A product by a constant takes 20 operations on one word, but 27 on two limbs.

    Raises:
        MomagenError: Reduced-radix limbs are requested but not possible.
    """
    target, arith, taken, vmul = spec.target, spec.arith, spec.ranges.input, spec.expression.pairs
    asked, (least, most) = spec.options.limbs, target.tiles.get("products", (0, 0))
    held = f"integer limbs of radix 2^{target.digit}" if target.digit else "floating-point limbs"
    two_digits = target.digit > 0 and not shoup_range(arith, target.digit, taken)
    fast = least <= arith.words <= most or (not target.digit and real_range(spec.expression, arith, taken) > 0)
    impossible = {
        f"the target {target.name} has no reduced-radix limbs": "products" not in target.tiles,
        "Montgomery form needs Montgomery's product": spec.form > 0,
        "a product modulo a number close to a power of two is folded": vmul and arith.kind == SPECIAL,
        "Montgomery's product supports moduli of any length": vmul and not spec.barrett,
        "another reduction was requested": not vmul and spec.options.reduction not in (None, WIDE),
        f"{'doubles' if vmul else 'one double'} cannot hold a product of {arith.bits} bits":
            not _inner(spec, arith),
    }  # fmt: skip
    slower = {
        "`--limbs full` was given": asked == "full",
        "Shoup's product takes one word instead of two limbs":
            not (asked or vmul) and arith.words == 1 and two_digits,
        f"at {arith.bits} bits they are faster than {held}": not (asked or fast),
    }  # fmt: skip
    if asked == "reduced" and (why := next((why for why, holds in impossible.items() if holds), "")):
        problem = f'`limbs="reduced"` is not available for this product: {why}'
        raise build_error(problem, "limbs", "omit `limbs`")
    return next((why for why, holds in {**impossible, **slower}.items() if holds), "")


def notes(spec: Spec, choice: LoopChoice) -> list[str]:
    """Return the notes on a kernel for its report."""
    target, words, found = spec.target, spec.arith.words, list[str]()
    if choice.group:
        found.append(f"limbs: the {words} words of a residue share one register, with carries in masks")
    elif choice.lanes < target.lanes:
        why = "vector products of {} words" if choice.one.multiplies else "moving {} words into lanes"
        than = "scalar products" if choice.one.multiplies else "adding them"
        found.append(f"scalar code, because {why.format(words)} would take more time than {than}")
    if "products" in target.tiles and spec.expression.multiplies:
        found.append(_product_note(choice, refusal(spec)))
    return [*found, *longer_words(spec)]


def _product_note(choice: LoopChoice, why: str) -> str:
    """Return a description of the products on a target with reduced-radix limbs."""
    together = f", {choice.turns} vectors interleaved" if choice.turns > 1 else ""
    inner = choice.inner
    if inner is None:
        return f"limbs: full-radix limbs{together} ({why})"
    inside = f"{'floating-point' if inner.real else 'integer'} limbs of radix 2^{inner.word}"
    if inner.real:
        inside = f"{inner.size} {inside}" if inner.size > 1 else "one floating-point limb"
    return f"limbs: {inside}{together}; scalar code for the tail"
