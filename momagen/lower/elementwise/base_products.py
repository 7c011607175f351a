"""Base multiplications: products modulo x^d - v, one for each row, with a table of all v and one lane for each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from momagen.ir import Block
from momagen.kernels.elementwise.base_product import BaseProductBuilder
from momagen.lower.body.layouts import HalfRows, Row, SideBySide, layout_of
from momagen.lower.body.movement import Body, Grid, bare_body, moved_body
from momagen.lower.body.sink_permutes import sunk
from momagen.lower.names import C, N, Z
from momagen.lower.setup.derived import held_words
from momagen.lower.setup.entries import Entry, TransformConstants, write_entries
from momagen.lower.writer import ProgramWriter
from momagen.program import Field, Function, Name, Program, Type
from momagen.targets import Target

from .body import row_by_row
from .loops import vector

FACTORS = Name("factors", Type.INPUT)
OWN = "factors_"
"""The prefix of the names of functions that compute the table."""


@dataclass(frozen=True)
class BaseProducts:
    """A writer of the function product(z, x, y, c, factors, n) on n vectors of rows, and of its table.

    Attributes:
        writer: The writer of the program.
        m_in: The bound on coefficients of the operands, which are below m_in·q.
        m_out: The bound on coefficients of the results, which are below m_out·q.
        over: Whether the results are x·y/R.
    """

    writer: ProgramWriter
    m_in: int
    m_out: int
    over: bool = False

    @cached_property
    def lanes(self) -> int:
        """The number of rows in a vector."""
        target, spec = self.writer.target, self.writer.spec
        wide = 0 < target.widest < self.writer.arith.words
        return 1 if wide or spec.n < target.lanes else target.lanes

    @property
    def target(self) -> Target:
        """The target of the product: the target of vectors, or of scalar code if vectors have one row."""
        return self.writer.target_of(self.lanes)

    @property
    def degree(self) -> int:
        """The degree d of the factors x^d - v."""
        return self.writer.spec.degree

    @property
    def vectors(self) -> int:
        """The number of vectors in an operand."""
        return self.writer.spec.n // self.lanes

    @cached_property
    def memory(self) -> SideBySide:
        """The layout of vectors of rows in memory."""
        return layout_of(self.writer.target, self.degree * self.writer.arith.words, self.lanes, moves=True)

    @property
    def spread(self) -> int:
        """The distance in lanes of consecutive rows.

        Row r of a vector has lane (r mod g)·spread + ⌊r/g⌋ for g = lanes/spread.
        """
        words = self.memory.words
        mixed = self.memory.moves and not isinstance(self.memory, HalfRows)
        return words if mixed and words & words - 1 == 0 and words <= self.lanes else 1

    @property
    def entry(self) -> int:
        """The number of words in an entry of the table."""
        return self.writer.arith.twiddle_words

    @property
    def first(self) -> int:
        """The offset of the entries of the rows, which follow the common factor."""
        return -(-self.entry // self.lanes) * self.lanes

    @property
    def field(self) -> Field:
        """The table as an array of the plan."""
        return Field(FACTORS.text, self.first + self.entry * self.writer.spec.n * (self.degree > 1), long=True)

    def write(self) -> None:
        """Write both functions."""
        arith = replace(self.writer.arith, half_products=self.target.half_products)
        maker = BaseProductBuilder(arith, self.degree, self.m_in, self.m_out, over=self.over)
        self._write_product(self._body(self.writer.lower(maker.block(), self.target)))
        self._write_table(maker.whole)

    def _body(self, lowered: Block) -> Body:
        """Return the loop body, from the registers of both operands to the registers of the result."""
        x, y, z = ([f"{name}{i}" for i in range(self.degree)] for name in "xyz")
        bare = bare_body(lowered, [*x, *y], z, self.writer.arith.words, self.target.word)
        rows = [_joined(bare.loads[: self.degree]), _joined(bare.loads[self.degree :])]
        bare = Body(bare.block, rows, [_joined(bare.stores)], bare.others)
        if not self.memory.moves:
            return bare
        arrive, leave = row_by_row(self.memory.arrive), row_by_row(self.memory.leave)
        body = moved_body(bare, self.target.word, arrive, leave, self.memory.registers)
        return sunk(body, self.target.ops.__contains__)

    def _write_product(self, body: Body) -> None:
        target, memory, table = self.target, self.memory, Name("table", Type.INPUT)
        pointers, size = [vector("x"), vector("y")], self.memory.words * self.lanes
        f = Function("product", (Z, *pointers, C, FACTORS, N), vector=target.vector, copies="apart")
        for at, key in enumerate(("q", "qi")):
            f.load(key, body.others.get(key, ()), C, at * self.writer.arith.words, 1, target.vector)
        self._load(f, body, "0", FACTORS, 1)
        reads_table = not body.others.keys().isdisjoint({"v1", "u1"})
        if reads_table:
            f.variable(table.text, FACTORS + self.first)
        with f.each("i", N, unroll=self.writer.unroll):
            self._load(f, body, "1", table, self.lanes)
            for pointer, row in zip(pointers, body.loads, strict=True):
                f.add(*memory.load(pointer, row))
            f.run(body.block)
            f.add(*memory.store(Z, body.stores[0]))
            for pointer in (*pointers, Z):
                f.step(pointer, size)
            if reads_table:
                f.step(table, self.entry * self.lanes)
        self.writer.put(f)

    def _load(self, f: Function, body: Body, number: str, table: Name, lanes: int) -> None:
        """Append the loads of a twiddle and its quotient from an entry for ``lanes`` lanes."""
        for at, key in enumerate((f"v{number}", f"u{number}")):
            words = at * self.writer.arith.words * lanes
            f.load(key, body.others.get(key, ()), table, words, lanes, lanes < self.lanes)

    def _write_table(self, whole: bool) -> None:
        """Write the function put_factors(factors, powers, c), which fills the table."""
        writer, spec, arith = self.writer, self.writer.spec, self.writer.arith
        entry = Entry(tuple(held_words(arith)))
        write_entries(writer, TransformConstants(arith, entry, entry), OWN)
        below, up = divmod(arith.held * (2 - whole) - spec.montgomery, arith.held)
        writer.write(
            "put_factors", scaled=int(not self.over), below=max(0, -below), up=up + max(0, below) * arith.held,
            degree=self.degree, points=spec.n, bits=spec.n.bit_length() - 1, natural=int(spec.order == "natural"),
            step=1 + spec.negacyclic, start=int(spec.negacyclic), lanes=self.lanes, group=self.lanes // self.spread,
            spread=self.spread, first=self.first, entry=self.entry, put=writer.functions[f"{OWN}put_entry"],
        )  # fmt: skip


def _joined(rows: Grid) -> Row:
    return [value for row in rows for value in row]


def base_products_program(writer: ProgramWriter) -> Program:
    """Return the program of a kernel that only multiplies in this way."""
    spec, count, ranges = writer.spec, writer.arith.words, writer.spec.ranges
    made = BaseProducts(writer, ranges.input, ranges.output)
    for name in ("modulus_fits", "below"):
        writer.write(name)
    made.write()
    setup, run = writer.write("setup_products", "setup"), writer.write("run_products", "run", vectors=made.vectors)
    kept = [Field(C.text, 2 * count), made.field]
    powers = Field("powers", spec.order_of_root // 2 * count, long=True)
    return writer.program(setup=setup, run=run, kept=kept, beside=[powers], stride=spec.elements * count)
