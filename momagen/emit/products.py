"""Loops over elements by products on digits: words of the user in, digits inside, words out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from momagen.ir import Block, Builder, Instr, Value, dead_code, words
from momagen.kernels.blas import residue_of
from momagen.kernels.frame import Elementwise
from momagen.kernels.lanes import move
from momagen.kernels.products import PRODUCTS, DigitProduct, largest, product
from momagen.kernels.spec import Spec
from momagen.kernels.stage import inverse_places, user_places
from momagen.lower import lower_digits
from momagen.rewrite import unmasked

from .body import with_args
from .c import BodyText, Place, templates
from .digits import to_digits, to_words
from .source import Writer

Swap = dict[int, Value]
ORDER = ("n", "mu", "a", "u")
"""How constants follow q in memory: those that q alone decides, then those that come with a call."""


@dataclass(frozen=True)
class DigitLoop:
    """A loop on digits and where its constants stand.

    Attributes:
        inner: t from the vectors. outer: z from the words of t. at: the first word of each constant, q first.
        count: words of them all.
    """

    inner: DigitProduct
    outer: Elementwise
    at: dict[str, int]
    count: int

    def numbers(self) -> dict[str, object]:
        """What the template asks for."""
        return {
            "at": self.at, "words": self.count, "sizes": self.inner.constants, "digit": self.inner.word,
            "cut": self.inner.cut, "fixed": self.at.get("a", self.count),
        }  # fmt: skip


def digit_loop(spec: Spec, writer: Writer) -> DigitLoop | None:
    """The loop of ``spec`` on the target's digits; None where words go instead."""
    target, arith, ranges = writer.target, writer.arith, spec.ranges
    least, most = target.tiles.get("products", (1, 0))
    if spec.kind not in PRODUCTS or not least <= arith.words <= most or refusal(spec):
        return None
    inner = product(spec.kind, arith, target.digit, ranges.input)
    outer = residue_of(arith, inner.m, ranges.output)
    sizes = {"q": arith.words, **{name: inner.constants[name] for name in ORDER if name in inner.constants}}
    ends = list(accumulate(sizes.values(), initial=0))
    return DigitLoop(inner, outer, dict(zip(sizes, ends, strict=False)), ends[-1])


def refusal(spec: Spec) -> str:
    """Why a product does not go on digits; nothing where it does."""
    if "reduction" in spec.options and spec.kind != "vmul":
        return "another reduction was asked for"
    if spec.kind == "vmul" and not spec.exact:
        return "Montgomery's product serves moduli of any length"
    taken = spec.ranges.input
    return "q fills its words" if largest(spec.kind, taken) > spec.arith.room else ""


def write_digit_loop(writer: Writer, name: str, loop: DigitLoop) -> None:
    """Write ``void name(z, x, y, d, n)``: n vectors of residues; d holds the constants of ``loop``."""
    target, inner, count = writer.target, loop.inner, writer.arith.words
    vectors = list(dict.fromkeys(vector for vector, _ in inner.operands.values()))
    lowered = lower_digits(inner.block, target, writer.trace)
    writer.operations += lowered.counts()
    b, places = Builder(), user_places(count, target.lanes)
    raw = {v: [b.input(f"{v}{w}", 0, (1 << target.word) - 1) for w in range(count)] for v in vectors}
    turned = {v: move(b, row, places) if count > 1 else row for v, row in raw.items()}
    swap: Swap = {}
    for key, (vector, shift) in inner.operands.items():
        old = words(lowered.inputs[key], inner.word, _length(lowered.inputs[key], inner.word))
        new = to_digits(b, turned[vector], target.word, inner.word, len(old), shift)
        swap |= {id(was): now for was, now in zip(old, new, strict=True)}
    instrs = b.block.instrs + [with_args(instr, swap) for instr in lowered.instrs]
    t = words(lowered.outputs["t"], inner.word, _length(lowered.outputs["t"], inner.word))
    instrs, stores = _finished(writer, loop, instrs, t)
    body = unmasked(Block({}, instrs, {str(i): v for i, v in enumerate(stores)}), inner.word)
    text = BodyText(target, writer.chains)
    constants = _constants(text, {**lowered.inputs, **writer.lower(loop.outer.block, target).inputs}, loop, target.word)
    lines = [line for v in vectors for line in text.load(v, raw[v], Place(v, 0, target.lanes))]
    lines += text.instructions(dead_code(body))
    lines += text.store(stores, Place("z", 0, target.lanes))
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", advance=target.lanes * count,
        vectors=vectors, constants=constants, lines=lines,
    )  # fmt: skip


def _finished(writer: Writer, loop: DigitLoop, instrs: list[Instr], t: list[Value]) -> tuple[list[Instr], list[Value]]:
    """From the digits of t to the words of z as they are stored."""
    target, inner, count = writer.target, loop.inner, writer.arith.words
    b = Builder()
    found = to_words(b, t, target.word, inner.word, count, inner.shift)
    outer = writer.lower(loop.outer.block, target)
    swap = {id(was): now for was, now in zip(words(outer.inputs["t"], target.word, count), found, strict=True)}
    middle = [with_args(instr, swap) for instr in outer.instrs]
    z = [swap.get(id(v), v) for v in words(outer.outputs["z"], target.word, count)]
    after = Builder()
    stores = move(after, z, inverse_places(user_places(count, target.lanes))) if count > 1 else z
    return [*instrs, *b.block.instrs, *middle, *after.block.instrs], stores


def _constants(text: BodyText, inputs: Mapping[str, Value], loop: DigitLoop, word: int) -> list[str]:
    """Declarations of the constants that the block reads."""
    lines: list[str] = []
    for key, at in loop.at.items():
        if key in inputs:
            weight = word if key == "q" else loop.inner.word
            values = words(inputs[key], weight, _length(inputs[key], weight))
            lines += text.load(key, values, Place("c", at, 1, broadcast=True))
    return lines


def _length(value: Value, word: int) -> int:
    return max(1, -(-value.hi.bit_length() // word))
