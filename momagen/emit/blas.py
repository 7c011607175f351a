"""The files of a BLAS kernel: one codelet in a loop, and a plan with the constants that it shares."""

from __future__ import annotations

from dataclasses import replace

from momagen.kernels.arith import Arith
from momagen.kernels.blas import across, elementwise, lanes_for
from momagen.kernels.frame import Elementwise
from momagen.kernels.horner import HornerProduct
from momagen.kernels.products import MULTIPLYING
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER
from momagen.lower.across_loops import write_across_loop
from momagen.lower.digit_loops import write_digit_loop
from momagen.lower.element_loops import offsets, write_loop
from momagen.lower.layouts import halves_pay
from momagen.lower.products import DigitLoop, digit_loop, refusal
from momagen.lower.scalars import write_scalars
from momagen.lower.turns import turns_of
from momagen.lower.writer import ProgramWriter

from .c.file import numbers as numbers_of
from .c.text import templates
from .source import Source, banner

NEEDS = {
    "qi": ("newton", "add"), "square": ("newton", "add"), "mu": ("divide",), "u1": ("divide",),
    "u0": ("over", "divide"),
}  # fmt: skip
"""What a codelet's constants are computed with: scalar functions, and a division that only a plan's making needs."""
DIGIT_NEEDS = {"mu": ("divide",), "u": ("over", "rest", "divide")}
"""The same for the constants of a loop on digits."""


def blas_source(spec: Spec) -> Source:
    """The C file and header of the BLAS kernel that ``spec`` asks for."""
    writer = ProgramWriter(spec)
    inner = _in_lanes(writer)
    codelet, wide = (elementwise(spec.kind, arith, spec.choices) for arith in (writer.arith, inner))
    if spec.arith.words == 1 and not codelet.multiplies:
        writer.prefer(writer.target.sums)
    full, digits = writer.target.lanes, digit_loop(spec, writer)
    group = _group(spec, writer)
    halves, widest = halves_pay(writer.target, spec.arith.words), writer.target.widest
    lanes = group or (full if digits else lanes_for(codelet, spec.arith, full, halves, widest))
    if lanes == 1:
        codelet = elementwise(spec.kind, _on_host(writer), spec.choices)
    turns = 1 if group else turns_of(spec, digits, lanes, split=inner.digit > 0)
    for width, together in sorted({(lanes, turns), (lanes, 1), (1, 1)}, reverse=True):
        name = f"by_{width * together}"
        if group and width == lanes:
            write_across_loop(writer, name, elementwise(spec.kind, _unbaked(writer), spec.choices))
        elif digits and width > 1:
            write_digit_loop(writer, name, digits, together)
        else:
            write_loop(writer, name, wide if width > 1 else codelet, width, USER, together)
    needs = {name for constant in codelet.constants for name in NEEDS.get(constant, ())}
    needs |= {name for constant in digits.at for name in DIGIT_NEEDS.get(constant, ())} if digits else set()
    needs |= {"newton", "add", "mont"} if "v0" in codelet.constants and "u0" not in codelet.constants else set()
    divides = spec.arith.words == 1 and "carry" in writer.host.prelude
    needs |= {"add"} if "divide" in needs and not divides else set()
    write_scalars(writer, needs)
    numbers = {**numbers_of(writer), **_layout(codelet), **_signature(spec), "lanes": lanes}
    numbers |= {"turns": turns, "field": "newton" in needs, "shifts": spec.barrett and not spec.baked}
    numbers |= {"over": "over" in needs, "divides": divides}
    numbers |= _digits(digits, writer)
    head = banner(spec, writer, f"z = {spec.formula}, element by element, on vectors of any length.")
    source = templates().get_template("c/blas.c.j2").render(head=head, **numbers)
    header = templates().get_template("c/blas.h.j2").render(head=head, **numbers)
    notes = _layout_notes(codelet, spec.arith.words, lanes < full, group)
    if "products" in writer.target.tiles and spec.kind in MULTIPLYING:
        notes.append(_note(spec, digits, turns))
    return Source(spec, spec.name, source, header, writer.trace.rules_applied, writer.operations, notes)


def _in_lanes(writer: ProgramWriter) -> Arith:
    """One word with the quotients of constants by multiply-adds of digits, where these are there and q leaves room."""
    arith, target = writer.arith, writer.target
    split = target.digit and arith.words == 1 and arith.room >= 4 and arith.scheme == ""
    return replace(arith, digit=target.digit if split else 0)


def _on_host(writer: ProgramWriter) -> Arith:
    """Whole products where the host has them, for code that is scalar throughout."""
    return replace(writer.arith, half_products=writer.host.half_products)


def _unbaked(writer: ProgramWriter) -> Arith:
    """For any modulus: where numbers stand across lanes, one that is known saves nothing."""
    return replace(writer.arith, modulus=0)


def _group(spec: Spec, writer: ProgramWriter) -> int:
    """The residues of a group that stand across lanes; 0 where words go to lanes of their own."""
    target, arith = writer.target, _unbaked(writer)
    if not 0 < target.across <= arith.words:
        return 0
    return across(elementwise(spec.kind, arith, spec.choices), arith, target.lanes)


def _layout_notes(codelet: Elementwise, words: int, scalar: bool, group: int) -> list[str]:
    """What a target with vectors does with residues of several words."""
    if group:
        return [f"limbs: the {words} words of a residue in lanes of one register, carries by masks"]
    why = "multiplying {} words in lanes" if codelet.multiplies else "moving {} words into lanes"
    than = "one residue at a time" if codelet.multiplies else "adding them"
    return [f"scalar code: {why.format(words)} costs more than {than}"] * scalar


def _note(spec: Spec, digits: DigitLoop | None, turns: int) -> str:
    """How products are made on a target with digits."""
    together = f", {turns} vectors interleaved" if turns > 1 else ""
    if digits is None:
        return f"limbs: whole words{together} ({refusal(spec)})"
    return f"limbs: {_inside(digits)}{together}; scalar code for the tail"


def _inside(digits: DigitLoop) -> str:
    inner = digits.inner
    if isinstance(inner, HornerProduct):
        return f"{inner.digits} floating-point digits of radix 2^{inner.word}"
    return "one double" if inner.real else f"digits of radix 2^{inner.word}"


def _digits(digits: DigitLoop | None, writer: ProgramWriter) -> dict[str, object]:
    """What the template must know of the constants of a loop on digits."""
    if digits is None:
        return {"digits": None}
    held = writer.arith.held
    expansions = -(-digits.inner.cut // held)
    return {
        "digits": digits.numbers(), "rows": digits.long, "digit": digits.inner.word, "expansions": expansions,
        "fraction": expansions * held - digits.inner.cut, "mu_digit_words": -(-digits.inner.cut // 64) + 1,
    }  # fmt: skip


def _layout(codelet: Elementwise) -> dict[str, object]:
    """Where the codelet's constants stand, and how many words they are."""
    return {
        "at": dict(zip(codelet.constants, offsets(codelet), strict=True)), "given": codelet.given,
        "constant_words": sum(codelet.constants.values()), "mu_words": codelet.constants.get("mu", 0),
        "plan_words": sum(words for name, words in codelet.constants.items() if name not in codelet.given),
    }  # fmt: skip


def _signature(spec: Spec) -> dict[str, object]:
    """What execute takes, and what it does with it."""
    return {
        "formula": spec.formula, "ranges": spec.ranges,
        "scalars": spec.ranges.scalars, "vectors": spec.ranges.vectors,
    }  # fmt: skip
