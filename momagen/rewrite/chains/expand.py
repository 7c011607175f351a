"""Carry chains: the columns of a number become its words.

A product of two words has a low and a high half, in columns c and c + 1: one multiply-add of a pair of words. Products
whose columns have the same parity make pairs that do not overlap, so a chain of them passes its carry on from pair to
pair. Even and odd columns have accumulators of their own, which one chain of additions joins at the end. Short chains
go first, so that a carry out of a chain finds its word still empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from momagen.ir import Block, Builder, Instr, Value, const, refine
from momagen.ir.simplify import NO, ZERO

NORMALISE = "words of columns"
"""Columns, the low one first, to a flag that says whether their number is negative, and its words."""
PRODUCT = "product columns"
"""The words of two factors, those of the first as many as the attribute's high half says, to columns of their product,
from the one that its low half says."""


@dataclass
class Terms:
    """What a column sums up: products of which it has both halves begin there; else the low or the high half alone.

    Attributes:
        whole, low, high: factors. plus: words. number: what is known.
    """

    whole: list[tuple[Value, Value]] = field(default_factory=list)
    alone: list[tuple[Value, Value]] = field(default_factory=list)
    low: list[tuple[Value, Value]] = field(default_factory=list)
    high: list[tuple[Value, Value]] = field(default_factory=list)
    plus: list[Value] = field(default_factory=list)
    number: int = 0

    @property
    def multiplies(self) -> bool:
        return bool(self.whole or self.low or self.high)


class Expansion:
    """One block with its columns written out."""

    def __init__(self, block: Block, word: int, has: Callable[[str, int], bool]) -> None:
        self.block, self.word = block, word
        self.builder = Builder(lambda op: has(op, word))
        self.makers = {id(r): i for i in block.instrs for r in i.results}
        self.known: dict[int, Value] = {}
        self.unknown = Value(0, 1, "flag", "of several sums")

    def run(self) -> Block:
        made = self.builder.block
        made.inputs = self.block.inputs
        for instr in self.block.instrs:
            if instr.op == NORMALISE:
                self._learn(instr.results, self._normalised(instr.args, len(instr.results) - 1))
            elif instr.op not in ("plus", "minus", PRODUCT):
                args = [self.resolve(a) for a in instr.args]
                self._learn(instr.results, self.builder.emit(instr.op, instr.w, *args, k=instr.k))
        made.outputs = {name: self.resolve(value) for name, value in self.block.outputs.items()}
        return made

    def resolve(self, value: Value) -> Value:
        """What became of ``value``, or of its words; a sum that is a word is made where it is asked for."""
        if value.digits:
            return replace(value, digits=tuple(map(self.resolve, value.digits)))
        maker = self.makers.get(id(value))
        if id(value) not in self.known and maker is not None and maker.op in ("plus", "minus", PRODUCT):
            self._learn((value,), self._normalised((value,), 1)[1:])
        return self.known.get(id(value), value)

    def _learn(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        self.known.update((id(o), refine(n, o.lo, o.hi)) for o, n in zip(old, new, strict=True))

    # Terms of columns

    def _terms(self, columns: Sequence[Value]) -> tuple[list[Terms], list[Terms]]:
        """What is added and what is subtracted, by column."""
        sides = [Terms() for _ in range(len(columns) + 1)], [Terms() for _ in range(len(columns) + 1)]
        for at, column in enumerate(columns):
            self._add((sides[0][at], sides[1][at]), column)
        for found in sides:
            for here, above in pairwise(found):
                left = Counter(above.high)
                for pair in here.low:
                    (here.whole if left[pair] else here.alone).append(pair)
                    left[pair] -= left[pair] > 0
                here.low, above.high = here.alone, [*left.elements()]
        return sides

    def _add(self, terms: tuple[Terms, Terms], value: Value) -> None:
        """Add ``value`` to the first of ``terms``, or what it subtracts to the second."""
        maker, (here, less) = self.makers.get(id(value)), terms
        op = maker.op if maker else ""
        if value.is_const:
            here.number += value.lo
        elif maker and op in ("plus", "minus"):
            self._add(terms, maker.args[0])
            self._add((less, here) if op == "minus" else terms, maker.args[1])
        elif maker and op == PRODUCT:
            self._halves(here, maker, next(at for at, each in enumerate(maker.results) if each is value))
        elif maker and op in ("mul", "mullo", "mulhi"):
            factors = self.resolve(maker.args[0]), self.resolve(maker.args[1])
            (here.low if value is maker.results[-1] and op != "mulhi" else here.high).append(factors)
        else:
            here.plus.append(self.resolve(value))

    def _halves(self, terms: Terms, maker: Instr, at: int) -> None:
        """Those of one column of a product."""
        count, first = maker.k >> 32, maker.k & 0xFFFFFFFF
        a, b = maker.args[:count], maker.args[count:]
        for halves, column in ((terms.low, at + first), (terms.high, at + first - 1)):
            for i in range(max(0, column - len(b) + 1), min(count, column + 1)):
                if column >= first and a[i].hi and b[column - i].hi:
                    halves.append((self.resolve(a[i]), self.resolve(b[column - i])))

    # Chains

    def _normalised(self, columns: Sequence[Value], count: int) -> tuple[Value, ...]:
        terms, less = self._terms(columns)
        total, taken = (self._products(side, count) for side in (terms, less))
        number = sum(t.number - n.number << self.word * at for at, (t, n) in enumerate(zip(terms, less, strict=True)))
        plus, minus = (_rows([each.plus for each in side]) for side in (terms, less))
        if taken.words:
            for row in minus:
                taken.add(row)
            minus = [taken.words]
        if number:
            _fill(plus if number > 0 else minus, self._words(abs(number)))
        out = [*map(total.add, plus), *map(total.subtract, minus)]
        flag = out[-1] if out else NO
        if any(each is not NO for each in out[:-1]) or taken.most >> self.word * count:
            flag = self.unknown  # a carry before the last sum would have to be added to it
        return flag, *(total.words.get(at, ZERO) for at in range(count))

    def _words(self, number: int) -> dict[int, Value]:
        count, mask = -(-number.bit_length() // self.word), (1 << self.word) - 1
        return {at: const(number >> self.word * at & mask) for at in range(count)}

    def _products(self, terms: Sequence[Terms], count: int) -> Accumulator:
        """The sum of all products modulo 2^(word·count), and the first words to be added; nothing without products."""
        if not any(each.multiplies for each in terms):
            return Accumulator(self.builder, self.word, count)
        sides = [Accumulator(self.builder, self.word, count) for _ in range(2)]
        first = {at: t.plus.pop() for at, t in enumerate(terms) if t.plus and at < count}
        sides[0].start(first)
        for parity, side in enumerate(sides):
            pairs = {}
            for at in range(parity - 2, len(terms), 2):
                here = terms[at] if at >= 0 else Terms()
                above = terms[at + 1] if 0 <= at + 1 < len(terms) else Terms()
                entries = [("whole", p) for p in here.whole] + [("low", p) for p in here.low]
                entries += [("high", p) for p in above.high]
                if entries and at < count:
                    pairs[at] = entries
            for chain in _chains(pairs):
                side.multiply(chain)
        return sides[0].joined(sides[1])


Entry = tuple[str, tuple[Value, Value]]


def _rows(columns: Sequence[Sequence[Value]]) -> list[dict[int, Value]]:
    """Words to be added, one a column in each row."""
    count = max((len(column) for column in columns), default=0)
    return [{at: column[row] for at, column in enumerate(columns) if row < len(column)} for row in range(count)]


def _fill(rows: list[dict[int, Value]], words: dict[int, Value]) -> None:
    """Put words where the rows have none: one sum less, or all of the carry in one."""
    for at, word in words.items():
        if word.lo:
            row = next((row for row in rows if at not in row), None)
            if row is None:
                rows.append(row := {})
            row[at] = word


def _chains(pairs: dict[int, list[Entry]]) -> list[dict[int, Entry]]:
    """One entry of every pair that has some left, as often as that goes; runs without a gap, the shortest first."""
    found = []
    for row in range(max(map(len, pairs.values()), default=0)):
        chain: dict[int, Entry] = {}
        for at in sorted(pairs):
            if row >= len(pairs[at]):
                continue
            if chain and at - 2 not in chain:
                found.append(chain)
                chain = {}
            chain[at] = pairs[at][row]
        found.append(chain)
    return sorted(found, key=lambda chain: (max(chain), len(chain)))


class Accumulator:
    """A number modulo 2^(word·count) by words, as chains leave them.

    Attributes:
        words: by column. most: the largest value, of what is known.
    """

    def __init__(self, builder: Builder, word: int, count: int) -> None:
        self.builder, self.word, self.count = builder, word, count
        self.words: dict[int, Value] = {}
        self.most = 0

    def start(self, row: dict[int, Value]) -> None:
        self.words = dict(row)
        self.most = sum(value.hi << self.word * at for at, value in row.items())

    def multiply(self, chain: dict[int, Entry]) -> None:
        """Add a chain of products."""
        parts: dict[int, tuple[str, Value, Value]] = {}
        for at, (kind, (a, b)) in chain.items():
            if kind != "high":
                parts[at] = ("mad_low", a, b)
                self.most += min(a.hi * b.hi, (1 << self.word) - 1 if kind == "low" else a.hi * b.hi) << self.word * at
            if kind != "low" and at + 1 < self.count:
                parts[at + 1] = ("mad_high", a, b)
                self.most += (a.hi * b.hi >> self.word << self.word * (at + 1)) * (kind == "high")
        self._run(parts)

    def add(self, row: dict[int, Value]) -> Value:
        """Add one word a column; the carry."""
        row = {at: value for at, value in row.items() if at < self.count}
        self.most += sum(value.hi << self.word * at for at, value in row.items())
        return self._run({at: ("addc", value, value) for at, value in row.items()}) if row else NO

    def _run(self, parts: dict[int, tuple[str, Value, Value]]) -> Value:
        carry, last = NO, max(parts)
        at = min(parts)
        while at < self.count and (at <= last or (carry is not NO and self.most >> self.word * at)):
            op, a, b = parts.get(at, ("addc", ZERO, ZERO))
            old = self.words.get(at, ZERO)
            args = (a, old, carry) if op == "addc" else (a, b, old, carry)
            carry, self.words[at] = self.builder.emit(op, self.word, *args)
            at += 1
        top = max(self.words)
        if self.most >> self.word * self.count == 0:
            self.words[top] = refine(self.words[top], 0, self.most >> self.word * top)
        return carry if at == self.count else NO

    def subtract(self, row: dict[int, Value]) -> Value:
        """Subtract one word a column; the borrow."""
        borrow = NO
        for at in range(min(row), self.count):
            borrow, self.words[at] = self.builder.emit(
                "subb", self.word, self.words.get(at, ZERO), row.get(at, ZERO), borrow
            )
        return borrow

    def joined(self, other: Accumulator) -> Accumulator:
        """The sum of both."""
        if not other.words or not self.words:
            return self if self.words else other
        low, high = sorted((self, other), key=lambda each: min(each.words))
        rest = {at: value for at, value in high.words.items()}
        most = high.most
        low.most += most
        low._run({at: ("addc", value, value) for at, value in rest.items()})
        return low


def expanded(block: Block, word: int, has: Callable[[str, int], bool]) -> Block:
    """``block`` with the carries of its columns as chains of operations on words."""
    return Expansion(block, word, has).run()
