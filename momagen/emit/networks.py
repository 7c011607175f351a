"""Networks of moves between registers: a tile turned, or laid out as memory has it; by halves where that pays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.ir import Builder, Value, dead_code
from momagen.kernels.lanes import Wanted, halves_swapped, move
from momagen.targets import Target

from .c import BodyText, Place

SHORT = 4
"""Lanes up to which loads by halves cost what the moves do that they save, and more: 2 to 3 % of a transform."""
WOVEN = 4
"""Words up to which one network turns a tile and lays its residues out; beyond, word by word."""


def woven_places(words: int, lanes: int) -> Wanted:
    """Where lane l of word w of vector j stands among lanes² residues in memory order: residue lanes·l + j."""
    return [
        [divmod((lanes * lane + j) * words + w, lanes) for lane in range(lanes)]
        for j in range(lanes) for w in range(words)
    ]  # fmt: skip


@dataclass(frozen=True)
class Network:
    """Register i at ``pointer`` of i becomes the elements of ``places[i]``, in place or at ``to`` of i."""

    target: Target
    chains: set[tuple[str, int]]
    places: Wanted
    pointer: str
    to: str = ""

    def lines(self) -> dict[str, list[str]]:
        """Its statements, as ``lines`` of a body: loads are by halves where the target can and that saves permutes."""
        count = len(self.places)
        halves = "halves" in self.target.moves and self.target.lanes > SHORT and count & (count - 1) == 0
        bits = range(count.bit_length() - 1) if halves else ()
        return {"lines": min((self._lines(bit) for bit in (None, *bits)), key=len)}

    def _lines(self, bit: int | None) -> list[str]:
        b, text, full = Builder(), BodyText(self.target, self.chains), (1 << self.target.word) - 1
        raw = [b.input(f"r{i}", 0, full) for i in range(len(self.places))]
        moved = move(b, raw, self.places if bit is None else halves_swapped(self.places, bit))
        b.block.outputs = {str(i): v for i, v in enumerate(moved)}
        lines = [line for i, v in enumerate(raw) for line in self._row(text, i, v, bit)]
        lines += text.instructions(dead_code(b.block))
        to = self.to or self.pointer
        return lines + [line for i, v in enumerate(moved) for line in text.store([v], Place(to.format(i), 0))]

    def _row(self, text: BodyText, i: int, value: Value, bit: int | None) -> Iterator[str]:
        """Loads register i; by halves, those of one side of the two registers that differ in bit ``bit``."""
        if bit is None:
            return text.load(f"r{i}", [value], Place(self.pointer.format(i), 0))
        offset = (i >> bit & 1) * self.target.lanes // 2
        low, high = (Place(self.pointer.format(row), offset) for row in (i & ~(1 << bit), i | 1 << bit))
        return text.load_halves(f"r{i}", value, low, high)
