"""Loop bodies for one vector of elements, with the user's words as inputs and outputs.

The arithmetic is on words, on reduced-radix limbs, or on words across lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from momagen.ir import Block, Builder, Instr, Value, refine, renewed, words
from momagen.kernels.elementwise.blas import residue_of, sum_of
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.double_products import canonical
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.flow.permutation_network import move
from momagen.kernels.residues.arith import Arith
from momagen.lower.body.layouts import Row, SideBySide, layout_of
from momagen.lower.body.movement import Body, Grid, bare_body, moved_body, with_args
from momagen.lower.body.radix import to_digits, to_words
from momagen.lower.body.sign import digits_of, lifted
from momagen.lower.body.sink_permutes import sunk
from momagen.lower.phases import lower_digits, lower_real
from momagen.lower.writer import ProgramWriter
from momagen.rewrite import look_ahead, unmasked

from .constants import MISSING, NORMALISED, Constant, Q

Rows = Mapping[str, Row]
"""Registers, or limbs, by the name of the number."""


@dataclass(frozen=True)
class Elements:
    """A loop body for one vector of elements.

    Attributes:
        block: The code.
        memory: The layout of vectors in memory.
        loads: The registers that are loaded, by vector.
        stores: The registers that are stored.
        constants: The registers of the constants.
        repeated: Whether the words of a constant are repeated over the lanes.
        factors: The limbs of operands that stay in memory, because the product is too long for the registers.
    """

    block: Block
    memory: SideBySide
    loads: Rows
    stores: Row
    constants: Mapping[Constant, Row]
    repeated: bool = False
    factors: Rows = field(default_factory=dict)

    @property
    def floats(self) -> bool:
        """Whether the loop serves moduli of any length without shifts.

        The exponent of a constant then depends on the length.
        """
        return any(c.floats for c in self.constants)

    def again(self) -> Elements:
        """Return the body with other registers, except that constants are shared."""
        inputs = {f"{key}{i}": value for key, row in self.loads.items() for i, value in enumerate(row)}
        whole = Block(inputs, self.block.instrs, {str(i): value for i, value in enumerate(self.stores)})
        new = renewed(whole, [value for row in self.constants.values() for value in row])
        loads = {key: [new.inputs[f"{key}{i}"] for i in range(len(row))] for key, row in self.loads.items()}
        return Elements(new, self.memory, loads, list(new.outputs.values()), self.constants)

    def shifting(self, word: int) -> Elements:
        """Return the body for a modulus q that lacks s bits, on residues of one word.

        The body computes 2^s·(x·y + w) modulo 2^s·q, so x and w are shifted up as they are loaded, and the result is
        shifted down.
        """
        s, stored, full = Value(0, word - 1, name=MISSING), Value(0, (1 << word) - 1), (1 << word) - 1
        loads, up = dict(self.loads), list[Instr]()
        for key, (shifted,) in self.loads.items():
            if key == "y":
                continue
            loads[key] = [Value(0, full, name=key)]
            up.append(Instr("shlv", word, (loads[key][0], s), (shifted,)))
        down = Instr("shrv", word, (self.stores[0], s), (stored,))
        block = Block({}, [*up, *self.block.instrs, down], {"0": stored})
        known = {**self.constants, Constant(MISSING, "", 0, MISSING, 1, word): [s]}
        return replace(self, block=block, loads=loads, stores=[stored], constants=known)


def constants(writer: ProgramWriter, codelet: Elementwise, rows: Rows, modulus: str = Q) -> dict[Constant, Row]:
    """Return the registers of constants in a loop, by constant.

    Args:
        writer: The writer of the program.
        codelet: The codelet of the loop.
        rows: The registers by the names of inputs. The input "n" is q, unless the rules derive something else
            of it.
        modulus: ``NORMALISED`` if the modulus of the codelet is the normalised one.
    """
    bits, derived, found = codelet.word or writer.arith.word, writer.trace.derived, dict[Constant, Row]()
    for name, row in rows.items():
        op, k, source = derived.get(name, ("", 0, Q if name == "n" else name))
        source = modulus if source == Q else source
        one = codelet.real and len(row) == 1  # the limb is a double, which holds more bits
        unit = codelet.unit(name, 0) if codelet.real else None
        found[Constant(name, op, k, source, len(row), writer.arith.word if one else bits, unit)] = row
    return found


def on_words(writer: ProgramWriter, codelet: Elementwise, memory: SideBySide, modulus: str = Q) -> Elements:
    """Return the body of ``codelet`` on words.

    Args:
        writer: The writer of the program.
        codelet: The codelet.
        memory: The layout of vectors in memory.
        modulus: ``NORMALISED`` if the modulus of the codelet is the normalised one.
    """
    target = writer.target_of(memory.lanes)
    lowered = writer.lower(codelet.block, target)
    body = bare_body(lowered, list(codelet.vectors), "z", writer.arith.words, target.word)
    if memory.moves:
        arrive, leave = row_by_row(memory.arrive), row_by_row(memory.leave)
        body = sunk(moved_body(body, target.word, arrive, leave, memory.registers), target.ops.__contains__)
    loads = dict(zip(codelet.vectors, body.loads, strict=True))
    return Elements(body.block, memory, loads, body.stores[0], constants(writer, codelet, body.others, modulus))


def row_by_row(moved: Callable[[Builder, Row], Row]) -> Callable[[Builder, Grid], Grid]:
    """Return a function that applies ``moved`` to every row."""
    return lambda b, grid: [moved(b, row) for row in grid]


def across_lanes(writer: ProgramWriter, codelet: Elementwise) -> Elements:
    """Return the body of ``codelet`` on numbers whose words are across lanes.

    Registers have the same layout as memory, so nothing is moved.
    """
    target = writer.target
    group = look_ahead(codelet.block, target.word, writer.arith.words, target.lanes, writer.trace)
    writer.operations += group.block.counts()
    used = {id(a) for instr in group.block.instrs for a in instr.args}
    loads = {key: group.inputs[key] for key in codelet.vectors}
    rest = {key: row for key, row in group.inputs.items() if key not in loads and any(id(v) in used for v in row)}
    memory = SideBySide(len(group.result), target.lanes)
    held = {c._replace(digits=writer.arith.words): row for c, row in constants(writer, codelet, rest).items()}
    return Elements(group.block, memory, loads, group.result, held, repeated=True)


class ProductOnDigits:
    """A builder of the body of a product on reduced-radix limbs, whose operands and result are words.

    Args:
        writer: The writer of the program.
        inner: The codelet of the product.
        modulus: ``NORMALISED`` if the modulus of the codelet is the normalised one.
    """

    def __init__(self, writer: ProgramWriter, inner: Elementwise, modulus: str = Q) -> None:
        self.writer, self.target, self.inner, self.arith = writer, writer.target, inner, writer.arith
        self.ranges = writer.spec.ranges
        self.top = self.ranges.input * self.arith.top - 1
        if inner.real:
            self.lowered = lower_real(inner.block, self.target, writer.trace, unit=inner.unit, digit=inner.word)
        else:
            rows = ("x",) if inner.long else ()
            self.lowered = lower_digits(inner.block, self.target, writer.trace, rows=rows)
        writer.operations += self.lowered.counts()
        self.rows = {key: digits(value, inner.word) for key, value in self.lowered.inputs.items()}
        shared = {key: row for key, row in self.rows.items() if key not in inner.vectors}
        floats = inner.real and inner.size == 1 and modulus == NORMALISED
        self.modulus = Q if floats else modulus
        held, self.factors = constants(writer, inner, shared, self.modulus), dict[str, Row]()
        self.constants = {_floating(c) if floats else c: row for c, row in held.items()}
        self.addends = {key: self._words(key) for key in self.ranges.vectors if key not in inner.vectors}
        self.places = user_places(self.arith.words, self.target.lanes)
        self.q = [Builder().input(f"q{w}", 0, (1 << self.target.word) - 1) for w in range(self.arith.words)]

    def made(self) -> Elements:
        """Return the body: conversions from words to limbs, the product, and the conversion back to words."""
        target, inner, count = self.target, self.inner, self.arith.words
        t = digits(self.lowered.outputs["t"], inner.word)
        bare = Body(self.lowered, [*(self.rows[key] for key in inner.vectors), *self.addends.values()], [t], {})
        body = moved_body(bare, target.word, self._arrive, self._leave, count, target.ops.__contains__)
        kept = _bare(body.block, self.factors) if inner.long else {}
        loads = dict(zip([*inner.vectors, *self.addends], body.loads, strict=True))
        block, memory = unmasked(body.block, inner.word), layout_of(target, count, target.lanes)
        return Elements(block, memory, loads, body.stores[0], self.constants, factors=kept)

    def _words(self, key: str) -> Row:
        """Return the words of a vector that is added to the product."""
        return words(Builder().input(key, 0, self.top), self.target.word, self.arith.words)

    def _arrive(self, b: Builder, grid: Grid) -> Grid:
        """Return the limbs of 2^shift times each factor and the words of addends, from registers as loaded."""
        inner, word = self.inner, self.target.word
        for row in grid if self.arith.words == 1 else ():
            refine(row[0], 0, self.top)
        moved = [move(b, row, self.places) for row in grid]
        for at, key in enumerate(inner.vectors):
            moved[at] = self._below(b, moved[at], inner.wanted.get(key, 0))
        for (key, shift), found in zip(inner.vectors.items(), moved, strict=False):
            if not inner.real or inner.size > 1:
                found = to_digits(b, found, word, inner.word, len(self.rows[key]), shift)
            if inner.real:
                found = [b.one("real", word, digit, k=inner.unit(key, at)) for at, digit in enumerate(found)]
            self.factors[key] = found
        self.addends = dict(zip(self.addends, moved[len(inner.vectors) :], strict=True))
        return [*self.factors.values(), *self.addends.values()]

    def _below(self, b: Builder, row: Row, most: int) -> Row:
        """Return the words ``row`` of an operand reduced below most·q, which are ``row`` if it is already below."""
        taken = self.ranges.input
        if not 0 < most < taken:
            return row
        return self._on_words(b, residue_of(self._words_arith, taken, most), [row])

    @property
    def _words_arith(self) -> Arith:
        """The arithmetic on words outside the product.

        If residues have one word, it has no constant modulus, since compilers would replace a minimum with a
        constant by a comparison.
        """
        return replace(self.arith, modulus=self.arith.modulus if self.arith.words > 1 else 0, half_products=False)

    def _on_words(self, b: Builder, codelet: Elementwise, rows: Sequence[Row], *, known: bool = False) -> Row:
        """Append ``codelet`` on words, and return the words of its result.

        Args:
            b: The builder.
            codelet: The codelet.
            rows: The words of its operands.
            known: Whether q is a constant of the loop even if the codelet does not read it.
        """
        count, word, names = self.arith.words, self.target.word, [n for n in codelet.block.inputs if n != "q"]
        outer = bare_body(self.writer.lower(codelet.block, self.target), names, ["z"], count, word)
        if known or outer.others:
            self.constants |= constants(self.writer, codelet, {"q": self.q}, self.modulus)
        added = zip(outer.loads, rows, strict=True)
        pairs = [pair for olds, news in added for pair in zip(olds, news, strict=True)]
        pairs += zip(outer.others.get("q", ()), self.q, strict=False)
        swap = {id(old): new for old, new in pairs}
        b.block.instrs += [with_args(instr, swap) for instr in outer.block.instrs]
        return [swap.get(id(v), v) for v in outer.stores[0]]

    def _leave(self, b: Builder, grid: Grid) -> Grid:
        """Return the words of the result, as they are stored, from the limbs t of the product.

        A double lacks q; several doubles may be negative. A codelet on words then adds the addends and
        reduces the result.
        """
        (t,), word, inner, bits, count = grid, self.target.word, self.inner, self.inner.word, self.arith.words
        one, arith, ranges = inner.real and inner.size == 1, self._words_arith, self.ranges
        codelet = residue_of(arith, inner.m, ranges.output)
        if self.addends:
            codelet = sum_of(arith, inner.m, ranges.input, ranges.output)
        if one:
            t = [b.one("plus", word, b.one("unreal", word, t[0]), self.q[0])]
        else:
            if inner.real:
                last = lower_digits(canonical(self.arith, inner), self.target, self.writer.trace, digit=bits)
                self.writer.operations += last.counts()
                b.block.instrs += lifted(t, last, partial(inner.unit, "t"), bits)
                self.constants[Constant("i", "", 0, self.modulus, inner.size, bits)] = digits_of(last.inputs["q"])
                t = words(last.outputs["X"], bits, inner.size)
            t = to_words(b, t, word, bits, count, inner.shift)
        z = self._on_words(b, codelet, [t, *self.addends.values()], known=one)
        return [move(b, z, inverse_places(self.places))]


def _floating(c: Constant) -> Constant:
    """Return a constant of a product in one double for moduli of any length: a quotient by q·2^s, times 2^s."""
    return c._replace(source=NORMALISED, floats=True) if c.op == "leading_fraction" else c


def digits(value: Value, word: int) -> Row:
    """Return the limbs of a rewritten value, low limb first."""
    return digits_of(value) if value.digits else words(value, word, max(1, -(-value.hi.bit_length() // word)))


def _bare(block: Block, rows: Rows) -> Rows:
    """Return ``rows`` without masks, as the factors of products read them."""
    makers = {id(r): i for i in block.instrs for r in i.results}

    def bare(value: Value) -> Value:
        maker = makers.get(id(value))
        return maker.args[0] if maker is not None and maker.op == "low" else value

    return {key: [bare(value) for value in row] for key, row in rows.items()}
