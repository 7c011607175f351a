"""What a loop over elements on digits does with one vector: words of the user in, digits inside, words out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from momagen.ir import Block, Builder, Instr, Value, words
from momagen.kernels.elementwise.double_products import WORD, RealProduct
from momagen.kernels.elementwise.horner import HornerProduct, canonical
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.flow.permutation_network import move
from momagen.lower.body.movement import with_args
from momagen.lower.body.radix import to_digits, to_words
from momagen.lower.body.sign import digits_of, lifted
from momagen.lower.phases import lower_digits, lower_real
from momagen.lower.writer import ProgramWriter
from momagen.rewrite import unmasked

from .loops import Elements
from .products import DigitLoop

Numbers = dict[str, list[Value]]
"""Words or digits by the name of the number, low first."""


@dataclass(frozen=True)
class DigitBody:
    """One vector of elements, and the digits that products read."""

    elements: Elements
    digits: Numbers


def digit_body(writer: ProgramWriter, loop: DigitLoop) -> DigitBody:
    """The body of ``loop`` on the target's operations."""
    target, inner, count = writer.target, loop.inner, writer.arith.words
    lowered = _lowered(writer, loop)
    writer.operations += lowered.counts()
    b, full = Builder(target.ops.__contains__), (1 << target.word) - 1
    vectors = dict.fromkeys(vector for vector, _ in inner.operands.values())
    top = writer.spec.ranges.input * writer.arith.top - 1
    loads = {v: [b.input(f"{v}{w}", 0, full if count > 1 else top) for w in range(count)] for v in vectors}
    turned = {v: move(b, row, user_places(count, target.lanes)) if count > 1 else row for v, row in loads.items()}
    rows = {key: _words(lowered.inputs[key], inner.word) for key in lowered.inputs}
    digits = {
        key: _taken(b, turned[vector], loop, key, len(rows[key]), shift)
        for key, (vector, shift) in inner.operands.items()
    }
    swap = {id(old): new for key in digits for old, new in zip(rows[key], digits[key], strict=True)}
    instrs = b.block.instrs + [with_args(instr, swap) for instr in lowered.instrs]
    found = (_horner_end if isinstance(inner, HornerProduct) else _words_end)(writer, loop, lowered)
    instrs += found.instrs
    z = found.z
    stores = move(b := Builder(), z, inverse_places(user_places(count, target.lanes))) if count > 1 else z
    done = Block({}, instrs + b.block.instrs, {str(i): v for i, v in enumerate(stores)})
    constants = {key: rows[key] for key in loop.at if key in rows} | found.constants
    return DigitBody(Elements(unmasked(done, inner.word), loads, stores, constants), _bare(done, digits))


@dataclass(frozen=True)
class _End:
    """What makes words z of t: instructions, and constants of its own."""

    instrs: list[Instr]
    z: list[Value]
    constants: Numbers


def _words_end(writer: ProgramWriter, loop: DigitLoop, lowered: Block) -> _End:
    """Words of t, then a codelet on words."""
    target, inner, count = writer.target, loop.inner, writer.arith.words
    outer = writer.lower(loop.outer.block, target)
    b, full = Builder(target.ops.__contains__), (1 << target.word) - 1
    q = [b.input(f"q{w}", 0, full) for w in range(count)]
    t = _given(b, _words(lowered.outputs["t"], inner.word), loop, q)
    swap = {id(old): new for old, new in zip(words(outer.inputs["t"], target.word, count), t, strict=True)}
    if "q" in outer.inputs:
        swap |= {id(old): new for old, new in zip(_words(outer.inputs["q"], target.word), q, strict=False)}
    instrs = b.block.instrs + [with_args(instr, swap) for instr in outer.instrs]
    z = [swap.get(id(v), v) for v in words(outer.outputs["z"], target.word, count)]
    return _End(instrs, z, {"q": q} if inner.real or "q" in outer.inputs else {})


def _horner_end(writer: ProgramWriter, loop: DigitLoop, lowered: Block) -> _End:
    """Integers below q, then their words."""
    target, inner = writer.target, loop.inner
    assert isinstance(inner, HornerProduct)
    last = lower_digits(canonical(writer.arith, inner), target, writer.trace, digit=inner.word)
    writer.operations += last.counts()
    instrs = lifted(digits_of(lowered.outputs["t"]), last, partial(inner.unit, "t"), inner.word)
    b, digits = Builder(target.ops.__contains__), words(last.outputs["X"], inner.word, inner.digits)
    z = to_words(b, digits, target.word, inner.word, writer.arith.words)
    return _End(instrs + b.block.instrs, z, {"i": digits_of(last.inputs["q"])})


def _lowered(writer: ProgramWriter, loop: DigitLoop) -> Block:
    """What is done on digits."""
    if isinstance(loop.inner, HornerProduct):
        return lower_real(loop.inner.block, writer.target, writer.trace, unit=loop.inner.unit, digit=loop.inner.word)
    if isinstance(loop.inner, RealProduct):
        return lower_real(loop.inner.block, writer.target, writer.trace, unit=loop.inner.unit, digit=WORD)
    return lower_digits(loop.inner.block, writer.target, writer.trace, rows=("x",) if loop.long else ())


def _taken(b: Builder, row: list[Value], loop: DigitLoop, key: str, count: int, shift: int) -> list[Value]:
    """Words as the ``count`` digits of the input ``key``: of 2^shift times the number."""
    inner = loop.inner
    digits = row if isinstance(inner, RealProduct) else to_digits(b, row, 64, inner.word, count, shift)
    if isinstance(inner, (RealProduct, HornerProduct)):
        return [b.one("real", 64, digit, k=inner.unit(key, at)) for at, digit in enumerate(digits)]
    return digits


def _given(b: Builder, digits: list[Value], loop: DigitLoop, q: list[Value]) -> list[Value]:
    """Digits of t as words; from a double q away."""
    if loop.inner.real:
        return [b.one("plus", 64, b.one("unreal", 64, digit), q[0]) for digit in digits]
    return to_words(b, digits, 64, loop.inner.word, len(q), loop.inner.shift)


def _words(value: Value, word: int) -> list[Value]:
    return digits_of(value) if value.digits else words(value, word, max(1, -(-value.hi.bit_length() // word)))


def _bare(block: Block, digits: Numbers) -> Numbers:
    """``digits`` without their masks, as factors are."""
    makers = {id(r): i for i in block.instrs for r in i.results}

    def bare(value: Value) -> Value:
        maker = makers.get(id(value))
        return maker.args[0] if maker is not None and maker.op == "low" else value

    return {key: [bare(value) for value in row] for key, row in digits.items()}
