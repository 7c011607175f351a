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
"""The factors of a thread's columns: for each source its parts, and for each part all columns."""
SHORT = 32
"""The largest number of bits of a residue for which rows have words of 32 bits."""


class ColumnsOfThread:
    """The columns of one thread, whose distance is the number of threads of a block.

    Attributes:
        number: The number of columns of a thread.
        threads: The number of threads of a block.
        turns: The indices of the columns of a thread.
        residue: The number of bits of a residue in memory.
        x: The operand.
        z: The result.
        begin: The number of residues from the first row to the first row that a block computes.
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
        """The number of columns of a block."""
        return self.number * self.threads

    def operand(self, name: str) -> Name:
        """Return the operand ``name``, which consists of rows of residues."""
        return Name(name, self.x.type)

    @contextmanager
    def kernel(
        self, writer: ProgramWriter, name: str, operands: Sequence[Name] = (), numbers: Sequence[Name] = (GOALS,)
    ) -> Iterator[Function]:
        """Write the kernel ``name``(z, operands …, tables, numbers …, n).

        The statements that are appended in the context are executed by the threads that have a column.

        Args:
            writer: The writer of the program.
            name: The name of the kernel.
            operands: The rows that it reads, or none for x.
            numbers: The numbers that are its arguments before n.

        Yields:
            The kernel.
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
        """Return pointers to the residues of a thread's columns in one row.

        If a thread lacks a column, it reads its first column instead.

        Args:
            f: The kernel.
            begin: The offset of the row.
            operand: The rows, or None for x.
            order: The columns that are read instead of those of the thread, unless it is a null pointer; or
                None.
        """
        x = operand or self.x
        places = [choice(self._has(i), self._column(i), self._first) if i else self._first for i in self.turns]
        if order is not None:
            places = [choice(order, order[place], place) for place in places]
        return [f.variable(f"{x.text}{i}", x + place + begin, x.type) for i, place in enumerate(places)]

    def results(self, f: Function) -> list[Name]:
        """Return pointers to the results of a thread's columns in the first row of a block."""
        return [f.variable(f"z{i}", self.z + self._column(i) + self.begin, self.z.type) for i in self.turns]

    def load(self, f: Function, block: Block, rows: Sequence[Expr]) -> None:
        """Append the loads of the inputs x0, x1, … of a block."""
        for i, row in enumerate(rows):
            f.load(f"x{i}", [block.inputs[f"x{i}"]], row)

    def copy(self, f: Function, rows: Sequence[Expr], array: Expr) -> None:
        """Append copies of the residue of each column to an array."""
        for i, row in enumerate(rows):
            f.set(array[i], row[0])

    def store(self, f: Function, results: Sequence[Name], values: Sequence[Value]) -> None:
        """Append stores of the results of those columns that the thread has."""
        first, *others = zip(results, values, strict=True)
        f.store([first[1]], first[0])
        for i, (pointer, value) in enumerate(others, 1):
            with f.if_(self._has(i)):
                f.store([value], pointer)

    def _column(self, i: int) -> Expr:
        """Return the index of column ``i`` of the thread."""
        return self._first + i * self.threads

    def _has(self, i: int) -> Expr:
        """Return the condition that the thread has column ``i``."""
        return self._column(i) < N

    def step(self, f: Function, pointers: Sequence[Name]) -> None:
        """Append the steps of pointers to the next row."""
        for pointer in pointers:
            f.step(pointer, N)

    @contextmanager
    def goals(self, f: Function, constants: Name, each: int, pointers: Sequence[Name]) -> Iterator[None]:
        """Append a loop over the rows of the result that a block computes.

        A block computes every r-th row, where r is the number of blocks of the grid for the same columns.

        Args:
            f: The kernel.
            constants: The address of the constants of the block's first row.
            each: The number of words of the constants of a row.
            pointers: Pointers to the residues of the thread in this row, which are stepped to the following
                ones.
        """
        apart = f.let("apart", ROWS, Type.LONG) * N
        with f.each("j", GOALS, ROW, ROWS, unroll=1):
            yield
            for pointer in pointers:
                f.step(pointer, apart)
            f.step(constants, ROWS * each)


class FactorArray(SumWriter):
    """The factors of a thread's columns in an array, which the compiler keeps in registers, and their computation."""

    def declare(self, f: Function, terms: int) -> None:
        """Append the declaration of the array for the factors of ``terms`` sources."""
        f.array(FACTORS.text, terms * self.form.parts * len(self.turns))

    def load(self, f: Function, block: Block, source: Expr) -> None:
        """Append the loads of the factors of a source."""
        for turn, part in self._all():
            name = f"y{turn}_{part}"
            f.load(name, [block.inputs[name]], self._place(source, turn, part))

    def store(self, f: Function, block: Block, source: Expr | int) -> None:
        """Append the stores of the factors of a source."""
        for turn, part in self._all():
            f.store([block.outputs[f"y{turn}_{part}"]], self._place(source, turn, part))

    def _all(self) -> list[tuple[int, int]]:
        return [(turn, part) for turn in self.turns for part in range(self.form.parts)]

    def _place(self, source: Expr | int, turn: int, part: int) -> Expr:
        return FACTORS + (source * self.form.parts + part) * len(self.turns) + turn
