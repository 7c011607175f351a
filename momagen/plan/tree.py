"""A plan as data: passes in the order in which they run, and for each what becomes of the bits of an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LEG, LANE, LOOP, BLOCK, COLUMN, THREAD, AXIS = "L", "v", ".", "b", "c", "t", "a"
"""Where an index bit lives: in the legs of butterflies (registers), in the lanes of a vector, in a thread's number, in
a loop over vectors, or in a loop over blocks, each with twiddles of its own; behind those of the index, in a loop over
columns; of arrays, in an axis."""


@dataclass(frozen=True)
class PlannedPass:
    """One pass.

    Attributes:
        bits: where each bit of the index lives, the highest first; "" for a pass that only moves elements.
        reads, writes: memory, and how residues lie there. steps: levels that go through registers at once.
        entries: twiddles in its table, those of every lane counted. table: its words.
        tile: words of the points that go through all its levels before the next ones; 0: all points, level by level.
        depth: how many passes it runs within, block by block.
        note: what is particular about it.
    """

    bits: str
    reads: str
    writes: str
    steps: Sequence[int] = ()
    entries: int = 0
    table: int = 0
    tile: int = 0
    depth: int = 0
    note: str = ""

    @property
    def levels(self) -> int:
        """Levels of butterflies: one for each bit that is a leg, first as it stands, then where lanes were legs."""
        return sum(self.steps)


@dataclass(frozen=True)
class TransformPlan:
    """The passes of a transform of n points.

    Attributes:
        formula: what the passes compute. residues: how they are held inside, for people. word: bits of a word.
        why: reasons for this plan. moduli: rows of a vector, one for each modulus. columns: transforms side by side.
    """

    n: int
    formula: str
    residues: str
    word: int
    passes: Sequence[PlannedPass]
    why: Sequence[str] = field(default=())
    moduli: int = 1
    columns: int = 1

    @property
    def table(self) -> int:
        """Words of all tables."""
        return sum(each.table for each in self.passes)

    def bytes(self, words: int) -> int:
        """Bytes of so many words."""
        return words * self.word // 8

    def __str__(self) -> str:
        """The plan for a terminal: one line for each pass."""
        rows = [
            (
                "  " * each.depth + str(number), each.bits or "moves", "+".join(map(str, each.steps)),
                each.reads, each.writes, f"{each.entries:,}" if each.entries else "",
                _size(self.bytes(each.table)), _size(self.bytes(each.tile)), each.note,
            )
            for number, each in enumerate(self.passes, 1)
        ]  # fmt: skip
        head = ("pass", "index bits", "levels", "reads", "writes", "twiddles", "table", "tile", "")
        widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
        cells = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in (head, *rows)]
        lines = ["  ".join(row).rstrip() for row in cells]
        legend = f"{LEG} butterfly input, {LANE} lane, {LOOP} loop over vectors, {BLOCK} loop over blocks"
        legend += f", {COLUMN} loop over columns" * (self.columns > 1)
        if any(THREAD in each.bits for each in self.passes):
            legend = f"{LEG} butterfly input, {THREAD} thread, {BLOCK} block"
        if any(AXIS in each.bits for each in self.passes):
            legend = f"{LEG} butterfly input, {AXIS} axis of an array, in the order of memory"
        head_lines = [f"formula   {self.formula}", f"residues  {self.residues}", *self.why, *self._axes()]
        return "\n".join([*head_lines, "", *lines, legend])

    def _axes(self) -> list[str]:
        """The axes beside batch and index, where there are some."""
        moduli, columns = self.moduli > 1, self.columns > 1
        axes = ["batch", *[f"modulus ({self.moduli})"] * moduli, "index", *[f"column ({self.columns})"] * columns]
        tables = "; tables are those of one modulus" * moduli + "; all columns share tables" * columns
        return [f"axes      {', '.join(axes)}{tables}"] * (moduli or columns)


def _size(count: int) -> str:
    """Bytes for people."""
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if count >> shift >= 10 or (count >> shift and not count & (1 << shift) - 1):
            return f"{count / (1 << shift):.4g} {unit}"
    return f"{count} B" if count else ""
