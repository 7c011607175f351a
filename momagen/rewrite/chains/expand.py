"""The pass that converts columns to words, after the readers of all values are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, Value, const, dead_code, leaves, refine
from momagen.ir.simplify import NO, ZERO

from .accumulator import Accumulator, Row, chains_of, entries_of, fill, rows_of
from .terms import COLUMNS, TermReader, Terms

NORMALISE = "words of columns"
"""The instruction that converts columns, the low one first, to words. Its first result is a flag that is
set if the number does not fit the words."""


class Expansion:
    """The conversion of one block.

    Attributes:
        block: The block.
        word: The number of bits of a word.
        builder: The builder of the new block.
        makers: The instruction that defines each value, by its id.
        terms: The reader of the terms of columns.
        known: The new value of each value, by its id.
        unknown: The flags that are not computed. If columns consist of several sums, the flag would be the
            sum of all their carries.
    """

    def __init__(self, block: Block, word: int, has: Callable[[str, int], bool]) -> None:
        self.block, self.word = block, word
        self.builder = Builder(lambda op: has(op, word))
        self.makers = {id(r): i for i in block.instrs for r in i.results}
        self.terms = TermReader(self.makers, self.resolve)
        self.known: dict[int, Value] = {}
        self.unknown = list[Value]()

    def run(self) -> Block:
        """Return the new block.

        Raises:
            MomagenError: A flag that is not computed is read.
        """
        made = self.builder.block
        made.inputs = self.block.inputs
        for instr in self.block.instrs:
            if instr.op == NORMALISE:
                self._learn(instr.results, self._normalised(instr.args, len(instr.results) - 1))
            elif instr.op not in COLUMNS:
                args = [self.resolve(a) for a in instr.args]
                self._learn(instr.results, self.builder.emit(instr.op, instr.w, *args, k=instr.k))
        made.outputs = {name: self.resolve(value) for name, value in self.block.outputs.items()}
        if self._readers(made) and (readers := self._readers(dead_code(made))):
            raise MomagenError(
                "a carry of one sum", f"{readers[0]}, which reads a carry of several sums", "carry chains"
            )
        return made

    def _readers(self, made: Block) -> list[str]:
        """Return the operations and outputs that read a flag which is not computed."""
        unknown = set(map(id, self.unknown))
        found = [instr.op for instr in made.instrs if not unknown.isdisjoint(map(id, instr.args))]
        outputs = [name for name, value in made.outputs.items() if not unknown.isdisjoint(map(id, leaves(value)))]
        return [*found, *(f"output {name}" for name in outputs)]

    def resolve(self, value: Value) -> Value:
        """Return the new value of a value, or of its words.

        A sum that is one word is computed when it is first needed.
        """
        if value.digits:
            return replace(value, digits=tuple(map(self.resolve, value.digits)))
        maker = self.makers.get(id(value))
        if id(value) not in self.known and maker is not None and maker.op in COLUMNS:
            self._learn((value,), self._normalised((value,), 1)[1:])
        return self.known.get(id(value), value)

    def _learn(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        """Record the new values of old ones."""
        self.known.update((id(o), refine(n, o.lo, o.hi)) for o, n in zip(old, new, strict=True))

    # The conversion of columns to chains.

    def _normalised(self, columns: Sequence[Value], count: int) -> tuple[Value, ...]:
        """Return the flag and the ``count`` words of a number by columns."""
        terms, less = self.terms.read(columns)
        total, taken = (self._products(side, count) for side in (terms, less))
        number = sum(t.number - n.number << self.word * at for at, (t, n) in enumerate(zip(terms, less, strict=True)))
        plus, minus = (rows_of([each.plus for each in side]) for side in (terms, less))
        if taken.words:
            for row in minus:
                taken.add(row)
            minus = [taken.words]
        if number:
            fill(plus if number > 0 else minus, self._words(abs(number)))
        out = [*map(total.add, plus), *map(total.subtract, minus)]
        flag = out[-1] if out else NO
        if any(each is not NO for each in out[:-1]) or taken.most >> self.word * count:
            flag = Value(0, 1, "flag")  # an earlier carry would have to be added to the carry of the last sum
            self.unknown.append(flag)
        return flag, *(total.words.get(at, ZERO) for at in range(count))

    def _words(self, number: int) -> Row:
        """Return the words of a constant by column."""
        count, mask = -(-number.bit_length() // self.word), (1 << self.word) - 1
        return {at: const(number >> self.word * at & mask) for at in range(count)}

    def _products(self, terms: Sequence[Terms], count: int) -> Accumulator:
        """Return the sum of all products modulo 2^(word·count), added to the first words of the terms.

        If there are no products, the accumulator is empty and no words are taken from the terms.
        """
        if not any(each.multiplies for each in terms):
            return Accumulator(self.builder, self.word, count)
        sides = [Accumulator(self.builder, self.word, count) for _ in range(2)]
        first = {at: t.plus.pop() for at, t in enumerate(terms) if t.plus and at < count}
        sides[0].start(first)
        for parity, chain in chains_of([entries_of(terms, parity, count) for parity in (0, 1)]):
            sides[parity].multiply(chain)
        return sides[0].joined(sides[1])


def expanded(block: Block, word: int, has: Callable[[str, int], bool]) -> Block:
    """Return a block in which columns are converted to words by chains of operations.

    Args:
        block: The block.
        word: The number of bits of a word.
        has: The function ``has(op, width)`` that returns whether the machine has an operation.

    Raises:
        MomagenError: A flag that is not computed is read.
    """
    return Expansion(block, word, has).run()
