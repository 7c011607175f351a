"""Kernels for threads on the rows of an RNS basis: each thread computes some columns, with factors in registers.

A thread reads the residues of a column once. The compiler keeps their factors in registers, because the loops
over sources are unrolled; the number of sources is known when the kernel is generated. All threads read the
constants of a target modulus at the same addresses.
"""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Block, Value
from momagen.kernels.rns.format import SumFormat
from momagen.kernels.rns.quotients import QuotientFormat
from momagen.lower.names import TABLES, N
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type
from momagen.program.device import ROW

from .columns import GOALS, ColumnsOfThread, FactorArray
from .division import DivisionWriter
from .quotients import QuotientWriter
from .sums import LONGEST, SumWriter


class ConversionWriter(SumWriter):
    """A writer of the kernel of a conversion that sums products, or of a division by several moduli (ModDown).

    Attributes:
        sources: The number of moduli whose residues become factors.
        at: The columns of a thread.
        divides: Whether the kernel divides. The rows of x then begin with one row for each row of the result,
            whose residue is an additional factor. The rows of the other factors follow.
        factors: The factors of a thread.
    """

    def __init__(
        self, writer: ProgramWriter, form: SumFormat, sources: int, columns: ColumnsOfThread, divides: bool = False
    ) -> None:
        super().__init__(writer, form, columns.number)
        self.sources, self.at, self.divides = sources, columns, divides
        self.factors = FactorArray(writer, form, columns.number)

    def write(self, name: str, quotients: QuotientFormat | None) -> None:
        """Write the kernel ``name``(z, x, tables, goals, n), whose result has ``goals`` rows; a division allows z = x.

        Args:
            name: The name of the kernel.
            quotients: The computation of the multiple of Q that is subtracted, or None if none is.
        """
        form, terms = self.form, self.sources + (quotients is not None)
        with self.at.kernel(self.writer, name) as f:
            self.factors.declare(f, terms + self.divides)
            with f.scope():
                self._write_shares(f)
            own = TABLES + self.sources * len(form.of_source)
            if quotients is not None:
                with f.scope():
                    self._write_quotient(f, quotients, own)
                own = own + self.sources * quotients.words
            self._write_goals(f, own, terms)

    def _write_goals(self, f: Function, own: Expr, terms: int) -> None:
        """Append the sums of the products of ``terms`` factors modulo every target modulus.

        A division adds the product of the residue of its row.

        Args:
            f: The kernel.
            own: The address of the constants of the target moduli.
            terms: The number of factors, without the factor of a division.
        """
        each = len(self.of_goal) + (terms + self.divides) * self.of_term
        goal, results = f.variable("goal", own + ROW * each, Type.INPUT), self.at.results(f)
        dividends = self.at.sources(f, self.at.begin) if self.divides else []
        with self.at.goals(f, goal, each, [*results, *dividends]):
            if self.divides:
                with f.scope():
                    self.at.load(f, self._parts, dividends)
                    f.run(self._parts)
                    self.factors.store(f, self._parts, terms)
            self.at.store(f, results, self._write_sum(f, goal, terms + self.divides))

    @cached_property
    def _parts(self) -> Block:
        """The block that converts a residue of every column to a factor."""
        return self.factors.parts()

    def _sources(self, f: Function) -> list[Name]:
        """Return pointers to the first row whose residues become factors."""
        return self.at.sources(f, f.let("before", GOALS, Type.LONG) * N if self.divides else 0)

    def _write_shares(self, f: Function) -> None:
        """Append the computation of the factors of all sources."""
        rows, block, of_source = self._sources(f), self.factors.shares(), len(self.form.of_source)
        with f.each("i", self.sources, unroll=self.sources) as i:
            constants = f.let("constants", TABLES + i * of_source, Type.INPUT)
            self.load_constants(f, block.inputs, self.form.of_source, constants)
            self.at.load(f, block, rows)
            f.run(block)
            self.factors.store(f, block, i)
            self.at.step(f, rows)

    def _write_quotient(self, f: Function, quotients: QuotientFormat, own: Expr) -> None:
        """Append the computation of the factor u, which follows those of all sources."""
        writer = QuotientWriter(self.writer, quotients, len(self.turns))
        registers, add, finish = writer.blocks()
        self.begin_sums(f, registers, quotients.first)
        with f.each("i", self.sources, unroll=self.sources) as i:
            writer.load_inverse(f, add, f.let("constants", own + i * quotients.words, Type.INPUT))
            self.factors.load(f, add, i)
            self.run_sums(f, add, registers)
        f.run(finish)
        self.factors.store(f, finish, self.sources)

    @cached_property
    def _of_sums(self) -> tuple[Block, Block, Block]:
        """The blocks that add a product to a sum, fold the sum, and reduce it to a residue."""
        assert self.form.most > 0, "a sum that holds no product"
        self._registers.clear()
        self._all_sums()
        return self._product(), self._fold(), self._finish()

    def _write_sum(self, f: Function, goal: Name, terms: int) -> list[Value]:
        """Append sums of the products of ``terms`` factors by their constants, and return their residues."""
        form, (product, fold, finish) = self.form, self._of_sums
        self.begin_sums(f, self._all_sums(), form.first)
        self.load_constants(f, {**fold.inputs, **finish.inputs}, self.of_goal, goal)
        for first, runs, size in _runs(terms, min(form.most_at_first, LONGEST), min(form.most, LONGEST)):
            with f.each("run", runs, unroll=runs) as run:
                with f.each("k", size, unroll=size) as k:
                    self._write_product(f, product, goal, run * size + (k + first))
                self.run_sums(f, fold, self._all_sums())
        f.run(finish)
        return [finish.outputs[f"z{i}"] for i in self.turns]

    def _write_product(self, f: Function, block: Block, goal: Name, source: Expr) -> None:
        """Append the addition of the product of the factor ``source`` by its constant to a sum."""
        constant = f.let("constants", goal + (source * self.of_term + len(self.of_goal)), Type.INPUT)
        for at in range(self.of_term):
            f.load(f"c{at}", [block.inputs[f"c{at}"]], constant, at)
        self.factors.load(f, block, source)
        self.run_sums(f, block, self._all_sums())


def _runs(terms: int, first: int, others: int) -> list[tuple[int, int, int]]:
    """Return runs of ``terms`` products between which sums are folded, grouped by their length.

    Args:
        terms: The number of products.
        first: The largest number of products of the first run.
        others: The largest number of products of a later run.

    Returns:
        For each group the index of the first product, the number of runs, and the number of products of a
        run.
    """
    begin = min(first, terms)
    runs, rest = divmod(terms - begin, others)
    found = [(0, 1, begin), (begin, runs, others), (terms - rest, 1, rest)]
    return [each for each in found if each[1] and each[2]]


class ThreadDivisionWriter(DivisionWriter):
    """A writer of the kernel of a division by the last modulus.

    Attributes:
        at: The columns of a thread.
    """

    def __init__(self, writer: ProgramWriter, form: SumFormat, columns: ColumnsOfThread) -> None:
        super().__init__(writer, form, columns.number)
        self.at = columns

    def write_kernel(self, name: str) -> None:
        """Write the kernel ``name``(z, x, tables, goals, n), which divides by the modulus of row ``goals``.

        The result z may be x.
        """
        at, constants = self.at, TABLES + 2
        with at.kernel(self.writer, name) as f:
            rows, results = at.sources(f), at.results(f)
            complement, divide = self.complement(), self.divide()
            last_row = f.let("last_row", GOALS, Type.LONG) * N
            self.load_constants(f, complement.inputs, self.of_divisor, TABLES)
            at.load(f, complement, [pointer + last_row for pointer in rows])
            f.run(complement)
            own = f.variable("own", constants + ROW * len(self.of_row), Type.INPUT)
            last = f.array("last", at.number)
            f.store([complement.outputs[f"z{i}"] for i in at.turns], last)
            for pointer in rows:
                f.step(pointer, at.begin)
            with at.goals(f, own, len(self.of_row), [*rows, *results]):
                self.load_constants(f, divide.inputs, self.of_row, own)
                at.load(f, divide, rows)
                self.load_group(f, divide, [f"y{i}" for i in at.turns], last)
                f.run(divide)
                at.store(f, results, [divide.outputs[f"z{i}"] for i in at.turns])
