"""Prints a loop over elements on digits: words of the user in, digits inside, words out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from momagen.ir import Block, Builder, Instr, Value, words
from momagen.kernels.horner import HornerProduct, canonical
from momagen.kernels.lanes import move
from momagen.kernels.real_products import WORD, RealProduct
from momagen.kernels.stage import inverse_places, user_places
from momagen.lower import lower_digits, lower_real
from momagen.rewrite import unmasked
from momagen.rewrite.accumulate import LATENCY
from momagen.targets import Target

from .body import with_args
from .c import BodyText, Place, templates
from .canonical import digits_of, lifted
from .digits import to_digits, to_words
from .layout import Rows
from .products import DigitLoop
from .source import Writer
from .turns import fetched, in_turns, share, texts_of

Numbers = dict[str, list[Value]]
"""Words or digits by the name of the number, low first."""


@dataclass(frozen=True)
class _Body:
    """One vector of elements: the words that are loaded, those that are stored, the constants and the digits that
    products read."""

    block: Block
    loads: Numbers
    stores: list[Value]
    constants: Numbers
    digits: Numbers


def write_digit_loop(writer: Writer, name: str, loop: DigitLoop, turns: int = 1) -> None:
    """Write ``void name(z, x, y, c, n)``: ``turns`` times n vectors of residues, as many at once, statement by
    statement in turns; c holds the constants of ``loop``."""
    target, body = writer.target, _body(writer, loop)
    texts, memory = texts_of(target, writer.chains, turns), Rows(writer.arith.words, target.lanes, False)
    constants = list((_in_memory if loop.long else _in_registers)(texts[0], body, loop))
    share(texts)

    def statements(text: BodyText, turn: int) -> list[str]:
        lines = [line for key, row in body.loads.items() for line in memory.load(text, key, row, turn)]
        lines += text.instructions(body.block)
        return [*lines, *memory.store(text, "z", body.stores, turn)]

    lines = in_turns(texts, statements)
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "",
        advance=turns * target.lanes * writer.arith.words, vectors=list(body.loads), constants=constants, lines=lines,
        unroll=writer.unroll, fetched=fetched(target, writer.arith.words, len(body.loads), turns),
    )  # fmt: skip


def _body(writer: Writer, loop: DigitLoop) -> _Body:
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
    return _Body(unmasked(done, inner.word), loads, stores, constants, _bare(done, digits))


@dataclass(frozen=True)
class _End:
    """What makes words z of t: instructions, and constants of its own."""

    instrs: list[Instr]
    z: list[Value]
    constants: Numbers


def _words_end(writer: Writer, loop: DigitLoop, lowered: Block) -> _End:
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


def _horner_end(writer: Writer, loop: DigitLoop, lowered: Block) -> _End:
    """Integers below q, then their words."""
    target, inner = writer.target, loop.inner
    assert isinstance(inner, HornerProduct)
    last = lower_digits(canonical(writer.arith, inner), target, writer.trace, digit=inner.word)
    writer.operations += last.counts()
    instrs = lifted(digits_of(lowered.outputs["t"]), last, partial(inner.unit, "t"), inner.word)
    b, digits = Builder(target.ops.__contains__), words(last.outputs["X"], inner.word, inner.digits)
    z = to_words(b, digits, target.word, inner.word, writer.arith.words)
    return _End(instrs + b.block.instrs, z, {"i": digits_of(last.inputs["q"])})


def _lowered(writer: Writer, loop: DigitLoop) -> Block:
    """What is done on digits."""
    if isinstance(loop.inner, HornerProduct):
        return lower_real(loop.inner.block, writer.target, loop.inner.unit, loop.inner.word, writer.trace)
    if isinstance(loop.inner, RealProduct):
        return lower_real(loop.inner.block, writer.target, loop.inner.unit, WORD, writer.trace)
    return lower_digits(loop.inner.block, writer.target, writer.trace, rows=["x"] if loop.long else ())


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
        return [b.one("addlo", 64, b.one("unreal", 64, digit), q[0]) for digit in digits]
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


def _in_registers(text: BodyText, body: _Body, loop: DigitLoop) -> Iterator[str]:
    """Declarations of the constants."""
    for key, values in body.constants.items():
        yield from text.load(key, values, Place("c", loop.at[key], 1, broadcast=True))


def _in_memory(text: BodyText, body: _Body, loop: DigitLoop) -> Iterator[str]:
    """Leaves constants, and the digits of vectors, in memory: products read them there, row by row.

    Returns what stands in front of the loop: room for the digits.
    """
    target, printer = text.target, text.printer
    for key, values in body.constants.items():
        texts = (target.moves["broadcast"].format(p="c", i=loop.at[key] + i) for i in range(len(values)))
        printer.names.update(zip(map(id, values), texts, strict=True))
    made = {id(r) for i in body.block.instrs for r in i.results}
    found = dict.fromkeys(id(v) for row in body.digits.values() for v in row if id(v) in made)
    printer.kept = {value: ("m", target.lanes * i) for i, value in enumerate(found)}
    columns = {*printer.names, *(id(v) for key, row in body.digits.items() if key != "x" for v in row)}
    printer.rows = set(_rows(body.block.instrs, columns))
    yield from _room(target, len(found))


def _rows(instrs: list[Instr], columns: set[int]) -> Iterator[int]:
    """The first product of every row: those by one factor that is none of ``columns``."""
    row = 0
    for instr in instrs:
        if instr.op in LATENCY:
            factor = next(id(a) for a in (*instr.args[1:], instr.args[0]) if id(a) not in columns)
            if factor != row:
                yield id(instr.results[0])
            row = factor


def _room(target: Target, count: int) -> Iterator[str]:
    """Declares m, aligned, for ``count`` vectors."""
    line = target.lanes * target.word // 8
    yield f"uint64_t room[{target.lanes * (count + 1)}];"
    yield f"uint64_t *m = (uint64_t *)(((uintptr_t)room + {line - 1}) & ~(uintptr_t){line - 1});"
