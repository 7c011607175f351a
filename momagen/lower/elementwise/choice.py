"""How a BLAS kernel goes: on words, on digits or across lanes, on how many lanes, and how many vectors in turns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from momagen.kernels.elementwise.blas import across, elementwise, lanes_for
from momagen.kernels.elementwise.frame import Elementwise
from momagen.kernels.elementwise.horner import HornerProduct
from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.residues.arith import Arith
from momagen.kernels.spec.spec import Spec
from momagen.lower.body.interleaved import turns_of
from momagen.lower.body.layouts import halves_pay
from momagen.lower.writer import ProgramWriter
from momagen.targets import load_target

from .loops import offsets
from .products import DigitLoop, digit_loop, refusal


@dataclass(frozen=True)
class LoopChoice:
    """What the loops of one kernel do.

    Attributes:
        one: the codelet of one residue at a time. many: that of vectors of words, or of groups.
        digits: the loop on digits; None where words go instead.
        group: residues of a group whose words stand across lanes; 0 where each word has a lane.
        lanes: residues of a vector, or of a group. turns: vectors that go together.
    """

    spec: Spec
    one: Elementwise
    many: Elementwise
    digits: DigitLoop | None
    group: int
    lanes: int
    turns: int

    @property
    def at(self) -> dict[str, int]:
        """Where each constant of words stands."""
        return dict(zip(self.one.constants, offsets(self.one), strict=True))

    @property
    def fixed(self) -> int:
        """Words of those constants that q alone decides, which stand in front."""
        return sum(words for name, words in self.one.constants.items() if name not in self.one.given)

    @property
    def shifts(self) -> bool:
        """Whether quotients are for moduli of one length, so that shorter ones are shifted."""
        return self.spec.barrett and not self.spec.baked


def choose(writer: ProgramWriter) -> LoopChoice:
    """How the kernel of ``writer`` goes.

    Raises:
        MomagenError: an option asks for what the kernel cannot do.
    """
    spec, target, arith = writer.spec, writer.target, writer.arith
    inner, group, digits = _in_lanes(writer), _group(writer), digit_loop(spec, writer)
    one = elementwise(spec.kind, arith, spec.choices)
    halves, full = halves_pay(target, arith.words), target.lanes
    lanes = group or (full if digits else lanes_for(one, arith, full, halves, target.widest))
    if lanes == 1:
        one = elementwise(spec.kind, _on_host(writer), spec.choices)
    many = elementwise(spec.kind, _unbaked(writer) if group else inner, spec.choices)
    turns = 1 if group else turns_of(spec, digits, lanes, split=inner.digit > 0)
    return LoopChoice(spec, one, many, digits, group, lanes, turns)


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


def _group(writer: ProgramWriter) -> int:
    """The residues of a group that stand across lanes; 0 where words go to lanes of their own."""
    spec, target, arith = writer.spec, writer.target, _unbaked(writer)
    if not 0 < target.across <= arith.words:
        return 0
    return across(elementwise(spec.kind, arith, spec.choices), arith, target.lanes)


def notes(choice: LoopChoice) -> list[str]:
    """What there is to tell of a kernel, for people."""
    target, found = load_target(choice.spec.target), _layout_notes(choice)
    if "products" in target.tiles and choice.spec.kind in MULTIPLYING:
        found.append(_product_note(choice))
    return found


def _layout_notes(choice: LoopChoice) -> list[str]:
    """What a target with vectors does with residues of several words."""
    words, codelet, full = choice.spec.arith.words, choice.one, load_target(choice.spec.target).lanes
    if choice.group:
        return [f"limbs: the {words} words of a residue in lanes of one register, carries by masks"]
    why = "multiplying {} words in lanes" if codelet.multiplies else "moving {} words into lanes"
    than = "one residue at a time" if codelet.multiplies else "adding them"
    return [f"scalar code: {why.format(words)} costs more than {than}"] * (choice.lanes < full)


def _product_note(choice: LoopChoice) -> str:
    """How products are made on a target with digits."""
    together = f", {choice.turns} vectors interleaved" if choice.turns > 1 else ""
    if choice.digits is None:
        return f"limbs: whole words{together} ({refusal(choice.spec)})"
    return f"limbs: {_inside(choice.digits)}{together}; scalar code for the tail"


def _inside(digits: DigitLoop) -> str:
    inner = digits.inner
    if isinstance(inner, HornerProduct):
        return f"{inner.digits} floating-point digits of radix 2^{inner.word}"
    return "one double" if inner.real else f"digits of radix 2^{inner.word}"
