"""What a loop does with one vector of elements: words of the user in and out; on words, on digits, or across lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from momagen.ir import Block, Builder, Instr, Value, renewed, words
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.double_products import canonical
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.flow.permutation_network import move
from momagen.lower.body.layouts import Row, SideBySide, layout_of
from momagen.lower.body.movement import Grid, bare_body, moved_body, with_args
from momagen.lower.body.radix import to_digits, to_words
from momagen.lower.body.sign import digits_of, lifted
from momagen.lower.body.sink_permutes import sunk
from momagen.lower.phases import lower_digits, lower_real
from momagen.lower.writer import ProgramWriter
from momagen.rewrite import look_ahead, unmasked

from .constants import Constant

Rows = Mapping[str, Row]
"""Registers, or digits, by the name of the number."""


@dataclass(frozen=True)
class Elements:
    """What a loop does with one vector of elements.

    Attributes:
        memory: how its vectors stand in memory. loads: registers as loaded, by vector. stores: those that are stored.
        constants: what all vectors share. repeated: every lane of them holds its word of a constant.
        factors: the digits of operands, of a product too long for the registers: it reads them in memory.
    """

    block: Block
    memory: SideBySide
    loads: Rows
    stores: Row
    constants: Mapping[Constant, Row]
    repeated: bool = False
    factors: Rows = field(default_factory=dict)

    def again(self) -> Elements:
        """The same with registers of its own; constants are shared."""
        inputs = {f"{key}{i}": value for key, row in self.loads.items() for i, value in enumerate(row)}
        whole = Block(inputs, self.block.instrs, {str(i): value for i, value in enumerate(self.stores)})
        new = renewed(whole, [value for row in self.constants.values() for value in row])
        loads = {key: [new.inputs[f"{key}{i}"] for i in range(len(row))] for key, row in self.loads.items()}
        return Elements(new, self.memory, loads, list(new.outputs.values()), self.constants)


def constants(writer: ProgramWriter, codelet: Elementwise, rows: Rows) -> dict[Constant, Row]:
    """Those that ``rows`` hold in a loop: "n" is q, where the rules derive nothing else of it."""
    bits, derived, found = codelet.word or writer.arith.word, writer.trace.derived, dict[Constant, Row]()
    for name, row in rows.items():
        op, k, source = derived.get(name, ("", 0, "q" if name == "n" else name))
        one = codelet.real and len(row) == 1  # a double, which holds more than a digit
        unit = codelet.unit(name, 0) if codelet.real else None
        found[Constant(name, op, k, source, len(row), writer.arith.word if one else bits, unit)] = row
    return found


def on_words(writer: ProgramWriter, codelet: Elementwise, memory: SideBySide) -> Elements:
    """The body of ``codelet`` on the words of vectors as ``memory`` has them."""
    target = writer.target if memory.lanes > 1 else writer.host
    lowered = writer.lower(codelet.block, target)
    body = bare_body(lowered, list(codelet.vectors), "z", writer.arith.words, target.word)
    if memory.moves:
        arrive, leave = _row_by_row(memory.arrive), _row_by_row(memory.leave)
        body = sunk(moved_body(body, target.word, arrive, leave, memory.registers), target.ops.__contains__)
    loads = dict(zip(codelet.vectors, body.loads, strict=True))
    return Elements(body.block, memory, loads, body.stores[0], constants(writer, codelet, body.others))


def _row_by_row(moved: Callable[[Builder, Row], Row]) -> Callable[[Builder, Grid], Grid]:
    return lambda b, grid: [moved(b, row) for row in grid]


def across_lanes(writer: ProgramWriter, codelet: Elementwise) -> Elements:
    """The body on groups of numbers whose words stand across lanes: registers hold what memory does, nothing moves."""
    target = writer.target
    group = look_ahead(codelet.block, target.word, writer.arith.words, target.lanes, writer.trace)
    writer.operations += group.block.counts()
    used = {id(a) for instr in group.block.instrs for a in instr.args}
    loads = {key: group.inputs[key] for key in codelet.vectors}
    rest = {key: row for key, row in group.inputs.items() if key not in loads and any(id(v) in used for v in row)}
    memory = SideBySide(len(group.result), target.lanes)
    held = {c._replace(digits=writer.arith.words): row for c, row in constants(writer, codelet, rest).items()}
    return Elements(group.block, memory, loads, group.result, held, repeated=True)


def on_digits(writer: ProgramWriter, inner: Elementwise, outer: Elementwise) -> Elements:
    """The body of ``inner`` on digits: words in and out, which ``outer`` takes below the range asked for."""
    return _DigitBody(writer, inner, outer).made()


class _DigitBody:
    """Makes one body."""

    def __init__(self, writer: ProgramWriter, inner: Elementwise, outer: Elementwise) -> None:
        self.writer, self.target, self.inner, self.outer = writer, writer.target, inner, outer
        self.count, self.has = writer.arith.words, writer.target.ops.__contains__
        if inner.real:
            self.lowered = lower_real(inner.block, self.target, writer.trace, unit=inner.unit, digit=inner.word)
        else:
            rows = ("x",) if inner.long else ()
            self.lowered = lower_digits(inner.block, self.target, writer.trace, rows=rows)
        writer.operations += self.lowered.counts()
        self.rows = {key: digits(value, inner.word) for key, value in self.lowered.inputs.items()}
        shared = {key: row for key, row in self.rows.items() if key not in inner.vectors}
        self.constants = constants(writer, inner, shared)

    def made(self) -> Elements:
        """Words to digits, the product, and back to words."""
        top = self.writer.spec.ranges.input * self.writer.arith.top - 1
        b, full = Builder(self.has), (1 << self.target.word) - 1
        memory = layout_of(self.target, self.count, self.target.lanes)
        places = user_places(self.count, self.target.lanes)
        vectors, most = self.inner.vectors, full if self.count > 1 else top
        loads = {v: [b.input(f"{v}{w}", 0, most) for w in range(self.count)] for v in vectors}
        given = {v: move(b, row, places) for v, row in loads.items()}
        factors = {v: self._taken(b, given[v], v) for v in vectors}
        swap = {id(old): new for v in vectors for old, new in zip(self.rows[v], factors[v], strict=True)}
        instrs = b.block.instrs + [with_args(instr, swap) for instr in self.lowered.instrs]
        more, z = self._words()
        stores = move(b := Builder(), z, inverse_places(places))
        done = Block({}, [*instrs, *more, *b.block.instrs], {str(i): v for i, v in enumerate(stores)})
        kept = _bare(done, factors) if self.inner.long else {}
        return Elements(unmasked(done, self.inner.word), memory, loads, stores, self.constants, factors=kept)

    def _taken(self, b: Builder, row: Row, key: str) -> Row:
        """Words as the digits of the input ``key``: of 2^shift times the number."""
        inner = self.inner
        if not inner.real or inner.size > 1:
            row = to_digits(b, row, self.target.word, inner.word, len(self.rows[key]), inner.vectors[key])
        if not inner.real:
            return row
        return [b.one("real", self.target.word, digit, k=inner.unit(key, at)) for at, digit in enumerate(row)]

    def _words(self) -> tuple[list[Instr], Row]:
        """Words of t, from a double q away, or from several of either sign; then a codelet on words."""
        word, inner, bits = self.target.word, self.inner, self.inner.word
        outer = bare_body(self.writer.lower(self.outer.block, self.target), ["t"], ["z"], self.count, word)
        b, one = Builder(self.has), inner.real and inner.size == 1
        q = [b.input(f"q{w}", 0, (1 << word) - 1) for w in range(self.count)]
        t = digits(self.lowered.outputs["t"], bits)
        if one:
            t = [b.one("plus", word, b.one("unreal", word, t[0]), q[0])]
        else:
            if inner.real:
                last = lower_digits(canonical(self.writer.arith, inner), self.target, self.writer.trace, digit=bits)
                self.writer.operations += last.counts()
                b.block.instrs += lifted(t, last, partial(inner.unit, "t"), bits)
                self.constants[Constant("i", "", 0, "q", inner.size, bits)] = digits_of(last.inputs["q"])
                t = words(last.outputs["X"], bits, inner.size)
            t = to_words(b, t, word, bits, self.count, inner.shift)
        if one or outer.others:
            self.constants |= constants(self.writer, self.outer, {"q": q})
        pairs = [*zip(outer.loads[0], t, strict=True), *zip(outer.others.get("q", ()), q, strict=False)]
        swap = {id(old): new for old, new in pairs}
        z = [swap.get(id(v), v) for v in outer.stores[0]]
        return b.block.instrs + [with_args(instr, swap) for instr in outer.block.instrs], z


def digits(value: Value, word: int) -> Row:
    """The digits of a rewritten value, low first."""
    return digits_of(value) if value.digits else words(value, word, max(1, -(-value.hi.bit_length() // word)))


def _bare(block: Block, rows: Rows) -> Rows:
    """``rows`` without their masks, as factors are."""
    makers = {id(r): i for i in block.instrs for r in i.results}

    def bare(value: Value) -> Value:
        maker = makers.get(id(value))
        return maker.args[0] if maker is not None and maker.op == "low" else value

    return {key: [bare(value) for value in row] for key, row in rows.items()}
