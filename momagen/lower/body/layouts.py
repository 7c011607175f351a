"""The layouts of consecutive residues in registers: loads, moves to one word per register, and the inverse moves.

Element-wise kernels may process the elements in any order, so the order of the elements in the lanes is free.
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
"""The registers of one vector of numbers, either as they are loaded or one for each word."""


@dataclass(frozen=True)
class SideBySide:
    """A layout in which registers are loaded from consecutive memory.

    Attributes:
        words: The number of words of a residue.
        lanes: The number of lanes.
        moves: Whether the words of a residue are adjacent in memory, so that they must be moved to separate
            registers.
    """

    words: int
    lanes: int
    moves: bool = False

    @property
    def registers(self) -> int:
        """The number of registers that are loaded for one vector of residues."""
        return self.words

    def arrive(self, b: Builder, row: Row) -> Row:
        """Return the registers with one word of each residue, from the registers as they were loaded."""
        return move(b, row, near_places(self.words, self.lanes)) if self.moves else row

    def leave(self, b: Builder, row: Row) -> Row:
        """Return the registers to be stored, from registers with one word of each residue."""
        return move(b, row, inverse_places(near_places(self.words, self.lanes))) if self.moves else row

    def load(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """Return the loads of one vector.

        Args:
            pointer: The address of the first vector.
            row: The registers.
            turn: The index of the vector.
        """
        return [Load(named(pointer, turn), row, pointer, turn * self.words * self.lanes, self.lanes)]

    def store(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """Return the stores of one vector; see :meth:`load` for the arguments."""
        return [Store(row, pointer, turn * self.words * self.lanes, self.lanes)]


@dataclass(frozen=True)
class HalfRows(SideBySide):
    """A layout in which each half of a register has consecutive words of one residue.

    A square of half registers is transposed to words without moves between halves. If the words of a residue
    do not fill whole halves, the last half overlaps the previous one, and the words in the overlap are in two
    registers.
    """

    moves: bool = True

    @property
    def half(self) -> int:
        """The number of words in half a register."""
        return self.lanes // 2

    @property
    def starts(self) -> list[int]:
        """The index of the first word in each square."""
        return [min(w, self.words - self.half) for w in range(0, self.words, self.half)]

    @property
    def registers(self) -> int:
        """The number of registers that are loaded for one vector of residues."""
        return self.half * len(self.starts)

    def _turned(self, b: Builder, square: Row) -> Row:
        """Return a square with registers as loaded and registers of words exchanged; the move is its own inverse."""
        return move(b, square, near_places(self.half, self.lanes))

    def arrive(self, b: Builder, row: Row) -> Row:
        """Return the registers with one word of each residue, from the registers as they were loaded."""
        found: dict[int, Value] = {}
        for i, start in enumerate(self.starts):
            square = row[i * self.half : (i + 1) * self.half]
            found |= dict(enumerate(self._turned(b, square), start))
        return [found[w] for w in range(self.words)]

    def leave(self, b: Builder, row: Row) -> Row:
        """Return the registers to be stored, from registers with one word of each residue."""
        return [value for start in self.starts for value in self._turned(b, row[start : start + self.half])]

    def places(self, turn: int = 0) -> list[tuple[int, int]]:
        """Return the offsets, in words, of both halves of each register of vector number ``turn``."""
        elements = range(turn * self.lanes, turn * self.lanes + self.half)
        firsts = [e * self.words + start for start in self.starts for e in elements]
        return [(first, first + self.half * self.words) for first in firsts]

    def load(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """Return the loads of one vector; see :meth:`SideBySide.load` for the arguments."""
        name, pairs = named(pointer, turn), enumerate(zip(row, self.places(turn), strict=True))
        return [LoadHalves(f"{name}_{i}", value, pointer + low, pointer + high) for i, (value, (low, high)) in pairs]

    def store(self, pointer: Name, row: Row, turn: int = 0) -> Body:
        """Return the stores of one vector; see :meth:`SideBySide.load` for the arguments."""
        pairs = zip(row, self.places(turn), strict=True)
        return [StoreHalves(value, pointer + low, pointer + high) for value, (low, high) in pairs]


def named(vector: Name, turn: int) -> str:
    """Return the stem of the names of a vector's registers if ``turn`` numbers interleaved vectors."""
    return f"{vector.text}{turn or ''}"


def halves_pay(target: Target, words: int) -> bool:
    """Return whether loads of half registers save moves: the target has them, and a residue does not fit a half."""
    return target.loads_halves and words > target.lanes // 2


def layout_of(target: Target, words: int, lanes: int, moves: bool = False) -> SideBySide:
    """Return the cheapest layout for vectors of ``lanes`` residues.

    Args:
        target: The target.
        words: The number of words of a residue.
        lanes: The number of residues.
        moves: Whether the words of a residue are adjacent in memory; otherwise each word of all residues
            forms a vector.
    """
    wide = moves and lanes > 1 and words > 1
    return HalfRows(words, lanes) if wide and halves_pay(target, words) else SideBySide(words, lanes, wide)
