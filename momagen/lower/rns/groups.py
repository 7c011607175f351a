"""Functions on groups of columns: vectors that one iteration of a loop processes, with constants that they share.

Factors are rows of ``stride`` words. Each source has as many rows as a factor has parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from momagen.ir import Block, Builder, Value, words
from momagen.kernels.rns.format import SHIFT, SumFormat
from momagen.lower.body.movement import with_args
from momagen.lower.names import C, N, Z
from momagen.lower.phases import with_half_products
from momagen.lower.writer import ProgramWriter
from momagen.program import Become, Begin, Expr, Function, Name, Type

Y = Name("y", Type.INPUT)
"""Rows of factors, or of numbers."""
TERMS, STRIDE = Name("terms"), Name("stride")
"""The number of sources, and the number of words from one row of factors to the next."""
TURNS = 4
"""The number of vectors in a group, so that sums do not wait for one another and share the constants."""


class GroupWriter:
    """A writer of functions on groups of columns.

    Attributes:
        writer: The writer of the program.
        form: The format of sums.
        target: The target of the registers.
        turns: The indices of the vectors of a group.
        group: The number of columns of a group.
    """

    def __init__(self, writer: ProgramWriter, form: SumFormat, turns: int = TURNS) -> None:
        self.writer, self.form = writer, form
        self.target = writer.target_of(writer.target.lanes)
        self.turns = range(turns)
        self.group = len(self.turns) * self.target.lanes
        self._registers = dict[str, Value]()

    @property
    def of_goal(self) -> Sequence[str]:
        """The names of the constants of a target modulus."""
        return [*self.form.of_goal, SHIFT]

    @property
    def of_term(self) -> int:
        """The number of words in the constants of one product."""
        return self.form.parts * self.form.limbs

    @contextmanager
    def groups(
        self, name: str, vectors: Sequence[Name], numbers: Sequence[Name], constants: Sequence[str], block: Block
    ) -> Iterator[Function]:
        """Write the function ``name``(vectors …, c, numbers …, n), which processes one group after another.

        Args:
            name: The name of the function.
            vectors: The result and the operands, which are stepped from group to group.
            numbers: The arguments between c and n.
            constants: The names of the constants at c, in memory order.
            block: The block that reads these constants.

        Yields:
            The function, to which the statements for one group are appended in the context.
        """
        f = Function(name, (*vectors, C, *numbers, N), vector=self.target.vector, copies="apart")
        self.load_constants(f, block.inputs, constants, C)
        with f.each("i", N):
            yield f
            for pointer in (*vectors[1:], vectors[0]):
                f.step(pointer, self.group)
        self.writer.put(f)

    def load_group(self, f: Function, block: Block, names: Sequence[str], pointer: Expr) -> None:
        """Append the loads of the vectors of a group."""
        for i, name in enumerate(names):
            f.load(name, [block.inputs[name]], pointer, i * self.target.lanes)

    def store_group(self, f: Function, block: Block, names: Sequence[str], pointer: Expr) -> None:
        """Append the stores of the vectors of a group."""
        for i, name in enumerate(names):
            f.store([block.outputs[name]], pointer, i * self.target.lanes)

    def begin_sums(self, f: Function, sums: Sequence[Value], first: Sequence[Value]) -> None:
        """Append the declaration of the registers ``sums``, each of which begins with the columns ``first``."""
        f.add(Begin("s", sums), Become(sums, [*first] * (len(sums) // len(first))))

    def run_sums(self, f: Function, block: Block, sums: Sequence[Value]) -> None:
        """Append a block that changes the registers ``sums``."""
        f.run(block)
        f.add(Become(sums, [block.outputs[each.name] for each in sums]))

    def load_rows(self, f: Function, block: Block, row: Name) -> None:
        """Append the loads of the parts of a factor for every vector."""
        for part, pointer in enumerate(self.rows(row)):
            self.load_group(f, block, [f"y{i}_{part}" for i in self.turns], pointer)

    def store_rows(self, f: Function, block: Block) -> None:
        """Append the stores of the parts of a factor for every vector."""
        for part, pointer in enumerate(self.rows(Z)):
            self.store_group(f, block, [f"y{i}_{part}" for i in self.turns], pointer)

    def rows(self, first: Name) -> list[Expr]:
        """Return the addresses of the parts of a factor."""
        return [first, *(first + STRIDE * part for part in range(1, self.form.parts))]

    def load_constants(self, f: Function, inputs: Mapping[str, Value], names: Sequence[str], pointer: Name) -> None:
        """Append the loads of constants that a block reads.

        Args:
            f: The function.
            inputs: The inputs of the block, by name.
            names: The names of the constants in memory order.
            pointer: The address of the constants.
        """
        for at, name in enumerate(names):
            if name in inputs:
                f.load(name, [inputs[name]], pointer, at, 1, self.target.vector)

    def columns(self, b: Builder, turn: int, tops: Sequence[int]) -> list[Value]:
        """Return the words of the sum of vector ``turn``, as inputs with the upper bounds ``tops``."""
        return [b.input(f"s{turn}_{at}", 0, top) for at, top in enumerate(tops)]

    def known(self, b: Builder) -> dict[str, Value]:
        """Return the constants of a target modulus p.

        The top bit of p is set if the format shifts moduli, except for key switching in doubles.
        """
        least = 1 << self.form.bits - 1 if self.form.shifts and not self.form.real else 2
        ends = dict.fromkeys(self.form.of_goal, (0, self.held)) | {"p": (least, self.form.top)}
        return {name: b.input(name, *end) for name, end in ends.items()} | {SHIFT: b.input(SHIFT, 0, self.form.bits)}

    def known_of_source(self, b: Builder) -> dict[str, Value]:
        """Return the constants of products by a number a modulo a source modulus q."""
        tops = {"q": self.form.top, "a": self.form.top - 1} if not self.form.real else {}
        return {name: b.input(name, int(name == "q"), tops.get(name, self.held)) for name in self.form.of_source}

    @property
    def held(self) -> int:
        """The upper bound of a constant of a modulus."""
        return (1 << self.form.quotient) - 1

    # Registers.

    def register(self, name: str, value: Value | None = None) -> Value:
        """Return the register ``name``, which is the same in all blocks of a function."""
        any_word = Value(0, (1 << self.target.word) - 1, "word", name)
        return self._registers.setdefault(name, any_word if value is None else value)

    def lower(self, b: Builder) -> Block:
        """Lower a block to registers that have the names of the inputs that it reads.

        Word i of a wide input s is called ``s_i``.
        """
        found, word = with_half_products(self.writer.lower(b.block, self.target), self.target), self.target.word
        inputs, swap = dict[str, Value](), dict[int, Value]()
        for name, old in _by_words(found.inputs, word).items():
            if not old.is_const:
                inputs[name] = swap[id(old)] = self.register(name, old)
        outputs = {name: swap.get(id(value), value) for name, value in _by_words(found.outputs, word).items()}
        instrs = [with_args(instr, swap) for instr in found.instrs]
        read = {id(value) for instr in instrs for value in instr.args} | {id(value) for value in outputs.values()}
        inputs = {name: value for name, value in inputs.items() if id(value) in read}
        return replace(found, inputs=inputs, instrs=instrs, outputs=outputs)


def numbered(stem: str, values: Iterable[Value]) -> dict[str, Value]:
    """Return values by their names, which are ``stem`` with their numbers."""
    return {f"{stem}_{at}": value for at, value in enumerate(values)}


def _by_words(values: Mapping[str, Value], word: int) -> dict[str, Value]:
    """Return all values by name, with each value of several words replaced by its words."""
    found = dict[str, Value]()
    for name, value in values.items():
        wide = value.hi >> word > 0
        each = words(value, word, 2 if wide else 1)
        found |= numbered(name, each) if wide else {name: each[0]}
    return found
