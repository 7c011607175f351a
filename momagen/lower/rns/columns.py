"""The columns that one thread of a device computes, and their factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from momagen.ir import Block, Value
from momagen.lower.names import TABLES, N
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type, choice
from momagen.program.device import BLOCK, ROW, ROWS, THREAD

from .sums import SumWriter

GOALS = Name("goals")
"""The number of rows of the result."""
FACTORS = Name("factors", Type.WORDS)
"""The factors of a thread's columns: those of one source, part by part, behind those of another."""
SHORT = 32
"""The bits of a residue up to which rows have words of 32 bits."""


class ColumnsOfThread:
    """The columns of a thread, which are as many apart as a block has threads.

    Attributes:
        number: of the columns of a thread. threads: of a block. residue: bits of a residue in memory.
        begin: residues from the first row to the first row that a block computes.
    """

    def __init__(self, number: int, threads: int, largest: int) -> None:
        """Let a thread compute ``number`` columns of residues up to ``largest``."""
        self.number, self.threads, self.turns = number, threads, range(number)
        short = largest.bit_length() <= SHORT
        self.residue = SHORT if short else 2 * SHORT
        self.x = Name("x", Type.SHORT_INPUT if short else Type.INPUT)
        self.z = Name("z", Type.SHORT_WORDS if short else Type.WORDS)

    @property
    def of_block(self) -> int:
        """The columns of a block."""
        return self.number * self.threads

    def operand(self, name: str) -> Name:
        """Return the operand ``name``, rows of residues."""
        return Name(name, self.x.type)

    @contextmanager
    def kernel(
        self, writer: ProgramWriter, name: str, operands: Sequence[Name] = (), numbers: Sequence[Name] = (GOALS,)
    ) -> Iterator[Function]:
        """Write the kernel ``name``(z, operands …, tables, numbers …, n).

        What is written within is done by threads that have a column.

        Args:
            operands: the rows that it reads, x by default. numbers: its numbers before n.
        """
        params = (self.z, *(operands or (self.x,)), TABLES, *numbers, N)
        f = Function(name, params, copies=f"kernel {self.threads}")
        self._first = f.let("first", BLOCK * self.of_block + THREAD)
        with f.if_(self._first < N):
            self.begin = f.let("begin", ROW, Type.LONG) * N
            yield f
        writer.put(f)

    def sources(
        self, f: Function, begin: Expr | int = 0, operand: Name | None = None, order: Name | None = None
    ) -> list[Name]:
        """Return pointers to residues of one row.

        A thread that lacks a column reads its first column in place of it.

        Args:
            begin: where the row begins. operand: the rows, x by default.
            order: the columns that are read in place of those of the thread, if it is not a null pointer.
        """
        x = operand or self.x
        places = [choice(self._has(i), self._column(i), self._first) if i else self._first for i in self.turns]
        if order is not None:
            places = [choice(order, order[place], place) for place in places]
        return [f.variable(f"{x.text}{i}", x + place + begin, x.type) for i, place in enumerate(places)]

    def results(self, f: Function) -> list[Name]:
        """Pointers to the results of the first row of a block."""
        return [f.variable(f"z{i}", self.z + self._column(i) + self.begin, self.z.type) for i in self.turns]

    def load(self, f: Function, block: Block, rows: Sequence[Expr]) -> None:
        """Load the inputs x0, x1, … of a block."""
        for i, row in enumerate(rows):
            f.load(f"x{i}", [block.inputs[f"x{i}"]], row)

    def copy(self, f: Function, rows: Sequence[Expr], array: Expr) -> None:
        """Copy the residue of each column to an array."""
        for i, row in enumerate(rows):
            f.set(array[i], row[0])

    def store(self, f: Function, results: Sequence[Name], values: Sequence[Value]) -> None:
        """Store the result of each column that there is."""
        first, *others = zip(results, values, strict=True)
        f.store([first[1]], first[0])
        for i, (pointer, value) in enumerate(others, 1):
            with f.if_(self._has(i)):
                f.store([value], pointer)

    def _column(self, i: int) -> Expr:
        """The number of column ``i``."""
        return self._first + i * self.threads

    def _has(self, i: int) -> Expr:
        """Whether there is a column ``i``."""
        return self._column(i) < N

    def step(self, f: Function, pointers: Sequence[Name]) -> None:
        """Step to the next row."""
        for pointer in pointers:
            f.step(pointer, N)

    @contextmanager
    def goals(self, f: Function, constants: Name, each: int, pointers: Sequence[Name]) -> Iterator[None]:
        """A loop over the rows of the result that a block computes, one in as many as the grid has blocks for columns.

        Args:
            constants: those of the first row of a block; every row has ``each``. pointers: into its rows.
        """
        apart = f.let("apart", ROWS, Type.LONG) * N
        with f.each("j", GOALS, ROW, ROWS, unroll=1):
            yield
            for pointer in pointers:
                f.step(pointer, apart)
            f.step(constants, ROWS * each)


class FactorArray(SumWriter):
    """The factors of a thread's columns, in an array that the compiler keeps in registers, and what makes them."""

    def declare(self, f: Function, terms: int) -> None:
        """Declare the array of the factors of ``terms`` sources."""
        f.array(FACTORS.text, terms * self.form.parts * len(self.turns))

    def load(self, f: Function, block: Block, source: Expr) -> None:
        """Load the factors of a source."""
        for turn, part in self._all():
            name = f"y{turn}_{part}"
            f.load(name, [block.inputs[name]], self._place(source, turn, part))

    def store(self, f: Function, block: Block, source: Expr | int) -> None:
        """Store the factors of a source."""
        for turn, part in self._all():
            f.store([block.outputs[f"y{turn}_{part}"]], self._place(source, turn, part))

    def _all(self) -> list[tuple[int, int]]:
        return [(turn, part) for turn in self.turns for part in range(self.form.parts)]

    def _place(self, source: Expr | int, turn: int, part: int) -> Expr:
        return FACTORS + (source * self.form.parts + part) * len(self.turns) + turn
