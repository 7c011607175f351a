"""Transforms whose residues are words in all passes: functions of their passes, of their tables, and of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from momagen.kernels.bits import moved
from momagen.kernels.flow import Move
from momagen.kernels.ntt_flow import Flow
from momagen.kernels.passes import Pass
from momagen.program import Copy, Expr, Field, Function, Name, Number, Program, Type

from .names import CONSTANTS, ONE, ROOT, SQUARE, TABLES, C, Q, X, Y, Z
from .passes import write_pass
from .powers import POWERS, reversed_bits, write_powers
from .scalars import write_scalars
from .twiddles import Exponents, write_twiddles
from .writer import ProgramWriter

T, FLIPS = Name("t", Type.WORDS), Name("flips", Type.COUNTS)
FILLED = Name("tables", Type.WORDS)


@dataclass(frozen=True)
class Part:
    """One transform of a program, and the function that does it; ``after_product``: its inputs are Montgomery products,
    which lack a factor R."""

    name: str
    flow: Flow
    after_product: bool = False

    @property
    def order(self) -> int:
        """The order of the root."""
        return self.flow.n << self.flow.negacyclic


@dataclass
class Written:
    """Transforms as functions.

    Attributes:
        parts: what they do. table_words: of all tables together, one after another.
    """

    parts: Sequence[Part]
    table_words: int = 0
    offsets: dict[str, list[int]] = field(default_factory=dict)


def write_transforms(writer: ProgramWriter, parts: Sequence[Part]) -> Written:
    """For each part the function ``name``(y, x, c, tables), with a buffer t before x where its flow has one, and
    ``name``_tables, which fills its tables and returns 0 where the order of the root is another."""
    written = Written(parts)
    exponents = {part.name: Exponents(part.flow, part.order) for part in parts}
    indirect = not all(one.direct for one in exponents.values())
    pairs, back = writer.arith.kind != "montgomery", any(part.flow.inverse for part in parts)
    needs = {"mont", "add", "newton", *["quot"] * pairs, *["half"] * back, *["sub"] * indirect}
    write_scalars(writer, needs)
    if indirect:
        writer.put(reversed_bits())
    write_powers(writer, scaled=back, inverted=back and not indirect)
    write_twiddles(writer, next(iter(exponents.values())))
    for part in parts:
        _write_tables(writer, part, exponents[part.name], written)
        _write_transform(writer, part, written)
    return written


def write_setup(writer: ProgramWriter, written: Written) -> str:
    """The function setup(c, tables, powers, q, root): constants, and the tables of all parts."""
    count = writer.arith.words
    doc = "Makes a plan. Returns 0 where the root has another order."
    f = Function("setup", (CONSTANTS, FILLED, POWERS, Q, ROOT), doc, Type.COUNT)
    one, square = f.array("one", count), f.array("square", count)
    f.do(writer.call("core_init", CONSTANTS, one, square, Q))
    for part in written.parts:
        filled = writer.call(f"{part.name}_tables", FILLED, POWERS, ROOT, one, square, CONSTANTS)
        with f.if_(filled.is_(0)):
            f.give(0)
    f.give(1)
    return writer.put(f)


def words_transform(writer: ProgramWriter, flow: Flow) -> Program:
    """The program of one transform."""
    part = Part("inverse" if flow.inverse else "forward", flow)
    written, stride = write_transforms(writer, [part]), flow.n * writer.arith.words
    room = [Field("t", stride, in_place=not flow.scratch)] * (flow.scratch or flow.copied)
    f = Function("run", (Y, X, C, TABLES, *[T] * len(room)))
    given = writer.functions[part.name]
    goals = [Y, *[T] * flow.scratch]
    if flow.copied:
        with f.if_(X.is_(Y)) as same:
            f.copy(T, X, stride)
            f.do(given(*goals, T, C, TABLES))
        with f.otherwise(same):
            f.do(given(*goals, X, C, TABLES))
    else:
        f.do(given(*goals, X, C, TABLES))
    writer.put(f)
    return _program(writer, written, room, stride)


def words_product(writer: ProgramWriter, forward: Flow, inverse: Flow, lanes: int) -> Program:
    """The program of a polynomial product; the function product(z, x, y, c, n) on vectors of ``lanes`` is there."""
    parts = [Part("forward", forward), Part("inverse", inverse, after_product=True)]
    written, stride, second = write_transforms(writer, parts), forward.n * writer.arith.words, Name("y", Type.INPUT)
    f = Function("run", (Z, X, second, C, TABLES, T))
    f.do(writer.call("forward", T, X, C, TABLES))
    f.do(writer.call("forward", Z, second, C, TABLES))
    f.do(writer.call("product", Z, T, Z, C, forward.n // lanes))
    f.do(writer.call("inverse", Z, Z, C, TABLES))
    writer.put(f)
    return _program(writer, written, [Field("t", stride)], stride)


def _program(writer: ProgramWriter, written: Written, room: Sequence[Field], stride: int) -> Program:
    count, order = writer.arith.words, max(part.order for part in written.parts)
    return writer.program(
        setup=write_setup(writer, written), run="run", room=room, stride=stride,
        kept=[Field("c", 2 * count), Field("tables", written.table_words, long=True)],
        beside=[Field("powers", order // 2 * count, long=True)],
    )  # fmt: skip


def _write_tables(writer: ProgramWriter, part: Part, exponents: Exponents, written: Written) -> None:
    flow, count, order = part.flow, writer.arith.words, part.order
    doc = f"The tables of the {part.name} transform. Returns 0 where the order of root is not {order}."
    f = Function(f"{part.name}_tables", (FILLED, POWERS, ROOT, ONE, SQUARE, C), doc, Type.COUNT)
    g = f.array("g", count)
    f.do(writer.call("mont", g, ROOT, SQUARE, C))
    scale: Expr = ONE
    if flow.inverse and exponents.direct:
        f.do(writer.call("invert_root", g, ONE, C, order.bit_length() - 1))
    if flow.inverse:
        scale = f.array("scale", count)
        f.do(writer.call("inverse_of_n", scale, ONE, SQUARE, C, flow.n.bit_length() - 1))
        if part.after_product:
            f.do(writer.call("mont", scale, scale, SQUARE, C))
    with f.if_(writer.call("put_powers", POWERS, g, ONE, C, order.bit_length() - 2).is_(0)):
        f.give(0)
    offsets = written.offsets[part.name] = []
    for at, done in enumerate(exponents.passes):
        offsets.append(written.table_words)
        table = f.table(f"p{at}", exponents.numbers(done))
        scaled = int(done.shape.flow.scaled)
        f.do(writer.call("put_twiddles", FILLED + written.table_words, POWERS, C, table, scale, scaled))
        written.table_words += done.entries() * writer.arith.twiddle_words
    f.give(1)
    writer.put(f)


def _write_transform(writer: ProgramWriter, part: Part, written: Written) -> None:
    flow, offsets = part.flow, iter(written.offsets[part.name])
    f = Function(part.name, (Y, *[T] * flow.scratch, X, C, TABLES))
    passes, source = list[tuple[str, list[int]]](), X
    for step in flow.steps:
        passes.append(write_pass(writer, step) if isinstance(step, Pass) else (_reorder(writer, flow.n), _flips(step)))
    for at, (step, (name, strides), goal) in enumerate(zip(flow.steps, passes, flow.targets(), strict=True)):
        to, numbers = {"y": Y, "t": T}[goal], f.table(f"s{at}", strides)
        if isinstance(step, Pass):
            f.do(writer.call(name, to, source, C, TABLES + next(offsets), numbers))
        else:
            f.do(writer.call(name, to, source, numbers))
        source = to
    writer.put(f)


def _flips(step: Move) -> list[int]:
    """What changes in the position that is read when 0, 1, 2, … bits of the position carry."""
    return [moved(step.order, (2 << k) - 1) for k in range(len(step.order))] + [0]


def _reorder(writer: ProgramWriter, n: int) -> str:
    """The function of passes that only move."""
    doc = (
        "y[p] = x[q], the bits of q those of p in another order: from p to p + 1, k bits carried, flips[k] changes in q"
    )
    count = writer.arith.words
    f = Function("reorder", (Y, X, FLIPS), doc)
    q = f.variable("q", 0)
    with f.each("p", n) as p:
        f.add(Copy(Y + p * count, X + q * count, Number(count)))
        k = f.variable("k", 0)
        with f.while_(p >> k & 1):
            f.step(k, 1)
        f.set(q, q ^ FLIPS[k])
    return writer.put(f)
