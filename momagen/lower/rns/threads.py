"""Kernels for threads on the rows of an RNS basis: every thread computes some columns, whose factors stay in registers.

A thread reads the residues of a column once. The compiler keeps their factors in registers, as the loops over sources
are unrolled; their number is that of the command. All threads read the constants of a target modulus at the same
addresses.
"""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Block, Value
from momagen.kernels.rns.format import SumFormat
from momagen.kernels.rns.quotients import QuotientFormat
from momagen.lower.names import TABLES, N
from momagen.lower.writer import ProgramWriter
from momagen.program import Become, Begin, Expr, Function, Name, Type
from momagen.program.device import ROW

from .columns import GOALS, ColumnsOfThread, FactorArray
from .division import DivisionWriter
from .quotients import QuotientWriter
from .sums import LONGEST, SumWriter


class ConversionWriter(SumWriter):
    """Writes the kernel of a conversion that sums products of factors, or of a division by several moduli (ModDown).

    Attributes:
        sources: the number of moduli of which factors are made.
        divides: whether the kernel divides. The rows of x then begin with one row for each row of the result, whose
            residue is one more factor; the rows of which the other factors are made follow.
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
            quotients: how the multiple of Q is computed that is subtracted; None if none is.
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
        """Sum the products of ``terms`` factors modulo every target modulus, with the constants at ``own``.

        A division adds the product of the residue of its row.
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
        """The block that makes a residue of every column a factor."""
        return self.factors.parts()

    def _sources(self, f: Function) -> list[Name]:
        """Return pointers to the first row of which factors are made."""
        return self.at.sources(f, f.let("before", GOALS, Type.LONG) * N if self.divides else 0)

    def _write_shares(self, f: Function) -> None:
        """Make the factors of all sources."""
        rows, block, of_source = self._sources(f), self.factors.shares(), len(self.form.of_source)
        with f.each("i", self.sources, unroll=self.sources) as i:
            constants = f.let("constants", TABLES + i * of_source, Type.INPUT)
            self.load_constants(f, block.inputs, self.form.of_source, constants)
            self.at.load(f, block, rows)
            f.run(block)
            self.factors.store(f, block, i)
            self.at.step(f, rows)

    def _write_quotient(self, f: Function, quotients: QuotientFormat, own: Expr) -> None:
        """Make the factor u, which stands behind those of all sources."""
        writer = QuotientWriter(self.writer, quotients, len(self.turns))
        registers, add, finish = writer.blocks()
        f.add(Begin("s", registers), Become(registers, [*quotients.first] * len(self.turns)))
        with f.each("i", self.sources, unroll=self.sources) as i:
            writer.load_inverse(f, add, f.let("constants", own + i * quotients.words, Type.INPUT))
            self.factors.load(f, add, i)
            f.run(add)
            f.add(Become(registers, [add.outputs[each.name] for each in registers]))
        f.run(finish)
        self.factors.store(f, finish, self.sources)

    @cached_property
    def _of_sums(self) -> tuple[Block, Block, Block]:
        """The blocks that add a product to a sum, fold the sum, and make a residue of it."""
        assert self.form.most > 0, "a sum that holds no product"
        self._registers.clear()
        self._all_sums()
        return self._product(), self._fold(), self._finish()

    def _write_sum(self, f: Function, goal: Name, terms: int) -> list[Value]:
        """Sum the products of ``terms`` factors by their constants; the residues of the sums."""
        form, (product, fold, finish) = self.form, self._of_sums
        f.add(Begin("s", self._all_sums()), Become(self._all_sums(), [*form.first] * len(self.turns)))
        self.load_constants(f, {**fold.inputs, **finish.inputs}, self.of_goal, goal)
        for first, runs, size in _runs(terms, min(form.most_at_first, LONGEST), min(form.most, LONGEST)):
            with f.each("run", runs, unroll=runs) as run:
                with f.each("k", size, unroll=size) as k:
                    self._write_product(f, product, goal, run * size + (k + first))
                self._run(f, fold)
        f.run(finish)
        return [finish.outputs[f"z{i}"] for i in self.turns]

    def _write_product(self, f: Function, block: Block, goal: Name, source: Expr) -> None:
        """Add the product of the factor ``source`` by its constant to a sum."""
        constant = f.let("constants", goal + (source * self.of_term + len(self.of_goal)), Type.INPUT)
        for at in range(self.of_term):
            f.load(f"c{at}", [block.inputs[f"c{at}"]], constant, at)
        self.factors.load(f, block, source)
        self._run(f, block)


def _runs(terms: int, first: int, others: int) -> list[tuple[int, int, int]]:
    """Return runs of ``terms`` products between which sums are folded, equal ones together.

    Args:
        first: the most products of the first run. others: the most of a later run.

    Returns:
        The number of the first product, the number of runs, and the number of products of a run.
    """
    begin = min(first, terms)
    runs, rest = divmod(terms - begin, others)
    found = [(0, 1, begin), (begin, runs, others), (terms - rest, 1, rest)]
    return [each for each in found if each[1] and each[2]]


class ThreadDivisionWriter(DivisionWriter):
    """Writes the kernel of a division by the last modulus."""

    def __init__(self, writer: ProgramWriter, form: SumFormat, columns: ColumnsOfThread) -> None:
        super().__init__(writer, form, columns.number)
        self.at = columns

    def write_kernel(self, name: str) -> None:
        """The kernel ``name``(z, x, tables, goals, n), which divides by the modulus of row ``goals``; z may be x."""
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
                for i in at.turns:
                    f.load(f"y{i}", [divide.inputs[f"y{i}"]], last, i)
                f.run(divide)
                at.store(f, results, [divide.outputs[f"z{i}"] for i in at.turns])
