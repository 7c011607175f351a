"""How a loop finds the words of residues that stand one after another: loads, moves to one word per register, and back.

Elements share nothing but constants, so their order in the lanes is free.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir import Builder, Value
from momagen.kernels.flow.layouts import inverse_places, near_places
from momagen.kernels.flow.permutation_network import move
from momagen.program import Load, LoadHalves, Name, Store, StoreHalves
from momagen.program.statements import Body
from momagen.targets import Target

Row = list[Value]
"""Registers of one number: as memory has them, or word by word."""


@dataclass(frozen=True)
class SideBySide:
    """``words`` registers of ``lanes`` words that stand side by side; ``moves``: in the order of residues."""

    words: int
    lanes: int
    moves: bool = False

    @property
    def registers(self) -> int:
        """Registers as loaded of every vector of elements."""
        return self.words

    def arrive(self, b: Builder, row: Row) -> Row:
        """Registers as loaded to words."""
        return move(b, row, near_places(self.words, self.lanes)) if self.moves else row

    def leave(self, b: Builder, row: Row) -> Row:
        """Words to registers as stored."""
        return move(b, row, inverse_places(near_places(self.words, self.lanes))) if self.moves else row

    def load(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """The registers at ``pointer``, of the vector that is ``turn`` vectors on."""
        return [Load(named(pointer, turn), row, pointer, turn * self.words * self.lanes, self.lanes)]

    def store(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """The registers to ``pointer``, ``turn`` vectors on."""
        return [Store(row, pointer, turn * self.words * self.lanes, self.lanes)]


@dataclass(frozen=True)
class HalfRows(SideBySide):
    """Registers of two halves, each with words side by side of one of two residues.

    A square of such registers turns to as many words without a move from half to half. Where the words of a residue do
    not fill halves, its last ones come with some before them, which stand in two registers then.
    """

    moves: bool = True

    @property
    def half(self) -> int:
        return self.lanes // 2

    @property
    def starts(self) -> list[int]:
        """The first word of every square."""
        return [min(w, self.words - self.half) for w in range(0, self.words, self.half)]

    @property
    def registers(self) -> int:
        return self.half * len(self.starts)

    def _turned(self, b: Builder, square: Row) -> Row:
        return move(b, square, near_places(self.half, self.lanes))

    def arrive(self, b: Builder, row: Row) -> Row:
        found: dict[int, Value] = {}
        for i, start in enumerate(self.starts):
            square = row[i * self.half : (i + 1) * self.half]
            found |= dict(enumerate(self._turned(b, square), start))
        return [found[w] for w in range(self.words)]

    def leave(self, b: Builder, row: Row) -> Row:
        return [value for start in self.starts for value in self._turned(b, row[start : start + self.half])]

    def places(self, turn: int = 0) -> list[tuple[int, int]]:
        """Where the halves of every register stand."""
        elements = range(turn * self.lanes, turn * self.lanes + self.half)
        firsts = [e * self.words + start for start in self.starts for e in elements]
        return [(first, first + self.half * self.words) for first in firsts]

    def load(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        name, pairs = named(pointer, turn), enumerate(zip(row, self.places(turn), strict=True))
        return [LoadHalves(f"{name}_{i}", value, pointer + low, pointer + high) for i, (value, (low, high)) in pairs]

    def store(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        pairs = zip(row, self.places(turn), strict=True)
        return [StoreHalves(value, pointer + low, pointer + high) for value, (low, high) in pairs]


def named(vector: Name, turn: int) -> str:
    """What the registers of a vector are called where several are interleaved."""
    return f"{vector.text}{turn or ''}"


def halves_pay(target: Target, words: int) -> bool:
    """Whether loads by halves save moves: there are more words than halves hold, and the target can."""
    return target.loads_halves and words > target.lanes // 2


def layout_of(target: Target, words: int, lanes: int, moves: bool = False) -> SideBySide:
    """The cheapest for vectors of ``lanes`` residues; those need no ``moves`` that stand word after word."""
    wide = moves and lanes > 1 and words > 1
    return HalfRows(words, lanes) if wide and halves_pay(target, words) else SideBySide(words, lanes, wide)
