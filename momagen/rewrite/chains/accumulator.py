"""Accumulators: multi-word numbers to which chains of multiply-adds and of additions are added.

A product of two words has a low half in column c and a high half in column c + 1, and is added by one pair of
multiply-adds. Products whose columns have the same parity form pairs that do not overlap, so that a chain of
them passes its carry from pair to pair. Even and odd columns have separate accumulators, which one chain of
additions joins at the end.

Chains that end early are first, so that the word that receives the carry out of a chain is still empty. Among
chains that end together, those of the last product are first: its factor may be a quotient, whose registers
become free before the other chains begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from momagen.ir import Builder, Value, refine
from momagen.ir.simplify import NO, ZERO

from .terms import Factors, Terms

Row = dict[int, Value]
"""Words by their columns."""
Entry = tuple[str, Factors]
"""The part of a product that is added, which is "whole", "low" or "high", and its factors."""


def rows_of(columns: Sequence[Sequence[Value]]) -> list[Row]:
    """Return the words of columns as rows with at most one word for each column."""
    count = max((len(column) for column in columns), default=0)
    return [{at: column[row] for at, column in enumerate(columns) if row < len(column)} for row in range(count)]


def fill(rows: list[Row], words: Row) -> None:
    """Add words to rows, each in the first row that has no word in its column.

    If all words fit one row, no further chain of additions is needed.
    """
    for at, word in words.items():
        if word.lo:
            row = next((row for row in rows if at not in row), None)
            if row is None:
                rows.append(row := {})
            row[at] = word


def entries_of(terms: Sequence[Terms], parity: int, count: int) -> dict[int, list[Entry]]:
    """Return the products of the columns of one parity, by the column of their low halves.

    Args:
        terms: The terms of each column.
        parity: 0 for even columns, or 1 for odd ones.
        count: The number of columns of the result. Products above them are dropped.
    """
    found = {}
    for at in range(parity - 2, min(len(terms), count), 2):
        here = terms[at] if at >= 0 else Terms()
        above = terms[at + 1] if 0 <= at + 1 < len(terms) else Terms()
        kinds = (("whole", here.whole), ("low", here.low), ("high", above.high))
        if entries := [(kind, factors) for kind, some in kinds for factors in some]:
            found[at] = entries
    return found


def chains_of(sides: Sequence[Mapping[int, Sequence[Entry]]]) -> list[tuple[int, dict[int, Entry]]]:
    """Return the chains of the pairs of both parities, each with its parity, in the order of their execution.

    For each product, a chain takes one entry of every pair that has entries left, in runs of adjacent pairs.
    """
    found = list[tuple[tuple[int, ...], int, dict[int, Entry]]]()
    for parity, pairs in enumerate(sides):
        for product in {entry[1][2] for entries in pairs.values() for entry in entries}:
            own = {at: [entry for entry in entries if entry[1][2] == product] for at, entries in pairs.items()}
            for row in range(max(map(len, own.values()))):
                found += [((max(run) // 2, -product, parity, len(run)), parity, run) for run in _runs(own, row)]
    return [(parity, run) for _, parity, run in sorted(found, key=lambda each: each[0])]


def _runs(pairs: Mapping[int, Sequence[Entry]], row: int) -> Iterator[dict[int, Entry]]:
    """Yield entry ``row`` of each list that is long enough, grouped into runs without gaps."""
    chain: dict[int, Entry] = {}
    for at in sorted(pairs):
        if row < len(pairs[at]):
            if chain and at - 2 not in chain:
                yield chain
                chain = {}
            chain[at] = pairs[at][row]
    yield chain


class Accumulator:
    """A number modulo 2^(word·count), stored by words.

    Attributes:
        builder: The builder of the block.
        word: The number of bits of a word.
        count: The number of words.
        words: The words by column.
        most: An upper bound of the number.
    """

    def __init__(self, builder: Builder, word: int, count: int) -> None:
        self.builder, self.word, self.count = builder, word, count
        self.words: Row = {}
        self.most = 0

    def start(self, row: Row) -> None:
        """Set the words of an empty accumulator."""
        self.words = dict(row)
        self.most = sum(value.hi << self.word * at for at, value in row.items())

    def multiply(self, chain: dict[int, Entry]) -> None:
        """Add a chain of products."""
        parts: dict[int, tuple[str, Value, Value]] = {}
        for at, (kind, (a, b, _)) in chain.items():
            if kind != "high":
                parts[at] = ("mad_low", a, b)
                self.most += min(a.hi * b.hi, (1 << self.word) - 1 if kind == "low" else a.hi * b.hi) << self.word * at
            if kind != "low" and at + 1 < self.count:
                parts[at + 1] = ("mad_high", a, b)
                self.most += (a.hi * b.hi >> self.word << self.word * (at + 1)) * (kind == "high")
        self._run(parts)

    def add(self, row: Row) -> Value:
        """Add one word to each column, and return the carry."""
        row = {at: value for at, value in row.items() if at < self.count}
        self.most += sum(value.hi << self.word * at for at, value in row.items())
        return self._run({at: ("addc", value, value) for at, value in row.items()}) if row else NO

    def _run(self, parts: Mapping[int, tuple[str, Value, Value]]) -> Value:
        """Append a chain of additions, and return the carry out of the highest word.

        The chain begins at its lowest column and extends as far as a carry can propagate.
        """
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

    def subtract(self, row: Row) -> Value:
        """Subtract one word from each column, and return the borrow."""
        borrow = NO
        for at in range(min(row), self.count):
            borrow, self.words[at] = self.builder.emit(
                "subb", self.word, self.words.get(at, ZERO), row.get(at, ZERO), borrow
            )
        return borrow

    def joined(self, other: Accumulator) -> Accumulator:
        """Return the sum of two accumulators."""
        if not other.words or not self.words:
            return self if self.words else other
        low, high = sorted((self, other), key=lambda each: min(each.words))
        low.most += high.most
        low._run({at: ("addc", value, value) for at, value in high.words.items()})
        return low
