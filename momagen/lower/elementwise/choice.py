"""Plans of BLAS kernels: on words, on digits or across lanes, on how many lanes, and how many vectors interleaved."""

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
from momagen.kinds.modular.spec import Spec
from momagen.lower.body.layouts import halves_pay
from momagen.lower.writer import ProgramWriter
from momagen.plan.digit_plan import MANY
from momagen.plan.ways import longer_words
from momagen.rewrite import can_look_ahead, registers

TURNS = {
    "doubles": (((4, 4), (6, 2)), ((1, 8), (3, 4), (5, 3), (9, 2))),
    "digits": ((), ((1, 1), (2, 8), (3, 6), (5, 4))),
    "words": (((2, 4),), ((1, 8), (2, 4), (6, 2))),
    "split": ((), ((1, 2),)),
}
"""With few registers and with many: digits or words up to which so many vectors are interleaved; beyond, one.
"split" are words with quotients by digits: they take so few operations that memory is soon the limit."""

SHIFTS = {"shlv", "shrv"}
"""The operations that a target needs to shift operands in registers by a count that the plan holds."""


class LoopChoice(NamedTuple):
    """What the loops of one kernel do.

    Attributes:
        one: the codelet of one residue at a time. many: that of vectors of words, or of groups.
        inner: products on digits; None where words go instead.
        shifts: whether loops shift the operands of short moduli in registers.
        least, longer: a modulus from which on vectors have the codelet ``longer``; 0: they have the one for all.
        group: residues of a group whose words stand across lanes; 0 where each word has a lane.
        lanes: residues of a vector, or of a group. turns: vectors that are interleaved.
    """

    spec: Spec
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
    """The plan of the kernel of ``writer``.

    Raises:
        MomagenError: an option asks for what the kernel cannot do.
    """
    spec, target, arith = writer.spec, writer.target, writer.arith
    unbaked = arith.unbaked  # across lanes a modulus that is known saves nothing
    inner = None if not spec.expression.multiplies or refusal(spec) else _inner(spec, arith)
    if inner and arith.room == 1:  # words go by the quotient that digits need, and not by 1/q
        arith = replace(arith, scheme=WIDE)
    split = target.digit and arith.words == 1 and arith.room >= 4 and arith.scheme == ""
    in_lanes = replace(arith, digit=target.digit if split else 0)
    one, sums, words, full = spec.codelet(arith), spec.codelet(unbaked), arith.words, target.lanes
    able = 0 < target.across <= words and can_look_ahead(sums.block, arith.word, words, full)
    group = full * registers(words, full) // words if able else 0
    lanes = group or (full if inner else lanes_for(one, arith, full, halves_pay(target, words), target.widest))
    if lanes == 1:  # whole products where the host has them, as code is scalar throughout
        one = spec.codelet(replace(arith, half_products=writer.host.half_products))
    many = sums if group else spec.codelet(in_lanes)
    turns = 1 if group else turns_of(spec, inner, lanes, split=in_lanes.digit > 0)
    on_digit = replace(arith, digit=target.digit)
    whole = spec.ranges.input == 0 and arith.room > 1 and arith.words == 1 and lanes > 1
    least = least_of_digit(on_digit) if whole and arith.scheme == "" and not spec.baked else 0
    longer = spec.codelet(on_digit, least) if least else None
    several = inner is not None and inner.real and inner.size > 1  # doubles, whose digits a shift would cut elsewhere
    in_registers = all(each.ops.keys() >= SHIFTS for each in (target, writer.host))
    shifts = spec.shifts and words == 1 and in_registers and not several
    return LoopChoice(spec, one, many, inner, group, lanes, turns, shifts, least, longer)


def turns_of(spec: Spec, inner: Elementwise | None, lanes: int, *, split: bool) -> int:
    """How many vectors of ``lanes`` residues go together; ``split``: constants on words have quotients by digits.

    Raises:
        MomagenError: several are asked for where there are no vectors, or their factors go by memory.
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
    return next((turns for most, turns in known[target.registers >= MANY] if size <= most), 1)


def _inner(spec: Spec, arith: Arith) -> Elementwise | None:
    """The product on digits: in doubles if the target has no integer digits; None where these have no room."""
    target, taken = spec.target, spec.ranges.input
    arith = replace(arith, half_products=False)  # digits are multiplied whole
    if target.digit:
        return product(spec.expression, arith, target.digit, taken)
    if most := real_range(spec.expression, arith, taken):
        return reduced_first(real_product(spec.expression, arith, most), taken, most)
    return horner_product(arith, taken, target.real) if spec.expression.pairs else None


def refusal(spec: Spec) -> str:
    """Why a product is not made on digits; "" if it is. By a constant one word takes 20 operations, two digits take 27.

    Raises:
        MomagenError: digits are asked for, and there are none.
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


def notes(choice: LoopChoice) -> list[str]:
    """Notes on a kernel, for people."""
    target, words, found = choice.spec.target, choice.spec.arith.words, list[str]()
    if choice.group:
        found.append(f"limbs: the {words} words of a residue share one register, with carries in masks")
    elif choice.lanes < target.lanes:
        why = "vector products of {} words" if choice.one.multiplies else "moving {} words into lanes"
        than = "scalar products" if choice.one.multiplies else "adding them"
        found.append(f"scalar code, because {why.format(words)} would take more time than {than}")
    if "products" in target.tiles and choice.spec.expression.multiplies:
        found.append(_product_note(choice))
    return [*found, *longer_words(choice.spec)]


def _product_note(choice: LoopChoice) -> str:
    """How products are made on a target with digits."""
    together = f", {choice.turns} vectors interleaved" if choice.turns > 1 else ""
    inner = choice.inner
    if inner is None:
        return f"limbs: full-radix limbs{together} ({refusal(choice.spec)})"
    inside = f"{'floating-point' if inner.real else 'integer'} limbs of radix 2^{inner.word}"
    if inner.real:
        inside = f"{inner.size} {inside}" if inner.size > 1 else "one floating-point limb"
    return f"limbs: {inside}{together}; scalar code for the tail"
