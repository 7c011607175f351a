"""The description of a plan: its passes in the order of execution, with the placement of every index bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LEG, LANE, LOOP, BLOCK, COLUMN, THREAD, AXIS = "L", "v", ".", "b", "c", "t", "a"
"""The places of an index bit: the butterfly inputs (in registers), the lanes of a vector, a loop over
vectors, a loop over blocks with separate twiddles, a loop over columns, the number of a thread, and an
axis of an array. The bits of columns follow the bits of the index."""


@dataclass(frozen=True)
class PlannedPass:
    """A pass of a plan.

    Attributes:
        bits: The place of each index bit, the highest bit first, or "" for a pass that only moves elements.
        reads: The memory from which the pass loads residues, and their layout if it is not the caller's.
        writes: The memory to which it stores them, in the same form.
        steps: The numbers of levels that its codelets compute, in the order of execution.
        entries: The number of twiddles in its table, with lanes counted one by one.
        table: The size of the table in words.
        tile: The number of words of the points that go through all levels before the next points do, or 0 if
            each level is computed on all points.
        depth: The number of passes within which it runs, block by block.
        note: Remarks on the pass.
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
        """The number of butterfly levels of the pass."""
        return sum(self.steps)


@dataclass(frozen=True)
class TransformPlan:
    """The passes of a transform of n points.

    Attributes:
        n: The number of points.
        formula: The formula that the passes compute.
        residues: The representation of residues between the passes, in words.
        word: The number of bits of a word.
        passes: The passes in the order of execution.
        why: The properties of the machine that determined the plan.
        moduli: The number of rows of a vector, one for each modulus.
        columns: The number of columns, each of which is transformed.
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
        """The size of all tables in words."""
        return sum(each.table for each in self.passes)

    def bytes(self, words: int) -> int:
        """Return the number of bytes of ``words`` words."""
        return words * self.word // 8

    def __str__(self) -> str:
        """Return the plan for a terminal, with one line for each pass."""
        rows = [
            (
                "  " * each.depth + str(number), each.bits or "reordering", "+".join(map(str, each.steps)),
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
        """Return a line about the axes of vectors, or [] if there are only the batch and the index."""
        moduli, columns = self.moduli > 1, self.columns > 1
        axes = ["batch", *[f"modulus ({self.moduli})"] * moduli, "index", *[f"column ({self.columns})"] * columns]
        tables = "; tables are those of one modulus" * moduli + "; all columns share tables" * columns
        return [f"axes      {', '.join(axes)}{tables}"] * (moduli or columns)


def _size(count: int) -> str:
    """Return a number of bytes with its unit, or "" for 0."""
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if count >> shift >= 10 or (count >> shift and not count & (1 << shift) - 1):
            return f"{count / (1 << shift):.4g} {unit}"
    return f"{count} B" if count else ""
