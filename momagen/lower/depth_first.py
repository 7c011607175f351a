"""Functions of depth-first transforms: passes over the columns of a block, and the whole transform.

A depth-first transform computes the first levels of a block on its columns, then all remaining levels of one
sub-block after another. Several threads that execute one transform divide the columns of the first pass among
themselves, and then the blocks below it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from momagen.plan.schedule.depth_first.transform import DepthFirstTransform
from momagen.plan.schedule.types import Schedule

from .programs import TransformPart
from .setup.blocks import block_words
from .writer import PartWriter, ProgramWriter

LINES = 4
"""The number of lines of the first-level cache that one row of a square should fill when residues are
reordered."""


class Split(NamedTuple):
    """How threads share a transform.

    Attributes:
        groups: The number of groups into which the columns of the first pass are divided. A thread processes
            whole groups.
        grain: The number of blocks below the first pass that form a group, which one thread processes.
        shared: The number of words of scratch memory that all threads share.
        each: The number of words of scratch memory of each thread.
        tile_words: The number of words at the end of a thread's scratch memory that hold tiles.
        rests: Whether residues are stored as words after the first pass. The scratch memory of a thread then
            begins with the limbs of one block.
    """

    groups: int
    grain: int
    shared: int
    each: int = 0
    tile_words: int = 0
    rests: int = 0


class DepthFirstWriter(PartWriter):
    """A writer of one transform.

    Attributes:
        plan: The plan of the transform.
    """

    plan: DepthFirstTransform

    def __init__(self, plan: DepthFirstTransform, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(plan.spec, beside, name)
        self.plan, self.target = plan, plan.target

    @classmethod
    def write_all(cls, writer: ProgramWriter, plans: Mapping[str, DepthFirstTransform]) -> list[TransformPart]:
        """Write the functions of each transform, of its constants and of its tables, and return the transforms.

        Args:
            writer: The writer of the program.
            plans: The plans of the transforms, by the prefix of the names of their functions.
        """
        for plan in [plan for plan in plans.values() if plan.breakdown.natural and not plan.split][:1]:
            writer.write("reorder", "reorder", **squares_of(writer, plan.schedule))
        return [cls(plan, writer, name).write_transform() for name, plan in plans.items()]

    @cached_property
    def given(self) -> dict[str, object]:
        """The values that the texts of functions use, by name."""
        plan, of, rows = self.plan, self.plan.breakdown, self.plan.tiles.rows
        return {
            **super().given, "plan": plan, "inverse": of.inverse, "natural": of.natural, "lanes": plan.lanes,
            "columns": len(plan.tiles.columns), "length": plan.schedule.elements * plan.arith.words,
            "levels": rows.levels + rows.across, "height": rows.rows, "matrix": plan.columns, "row": plan.tiles.row,
            "row_offset": plan.offsets[-1], "row_words": plan.block_words(-1),
        }  # fmt: skip

    @property
    @abstractmethod
    def scratch(self) -> Sequence[int]:
        """The number of words of each scratch array of a transform that one thread computes."""

    @property
    @abstractmethod
    def shares(self) -> Sequence[int]:
        """The numbers of words of :class:`Split`, from ``shared`` on, for a transform that threads compute together."""

    @abstractmethod
    def write_blocks(self) -> None:
        """Write the functions of the levels on a block of rows, and all other functions that passes call."""

    @abstractmethod
    def write_tables(self) -> int:
        """Write the function put_tables, and return the number of words of all plan constants in c."""

    @abstractmethod
    def of_pass(self, at: int) -> Mapping[str, object]:
        """Return the additional values that the text of pass ``at`` uses, by name."""

    def write_transform(self) -> TransformPart:
        """Write the functions of the transform, and return the transform.

        Pass k over columns becomes columns_k(y, …, c, tables, b); the pass with the smallest blocks is written
        first, because its callers follow. The whole transform becomes transform(y, …, x, c, tables). If threads
        share a transform, run(y, x, c, tables, t …, phase, part, parts) replaces this function and columns_0.
        """
        self.write_blocks()
        plan, scratch, phases = self.plan, self.scratch, 0
        for at in reversed(range(plan.split, len(plan.tiles.columns))):
            self.write("columns", f"columns_{at}", **self._columns(at))
        if plan.split:
            scratch, phases = self._write_split()
        else:
            self.write("transform")
        kept, tables = self.write_tables(), block_words(plan.breakdown, plan.table_words)
        return TransformPart(self.name, kept, tables, scratch, plan.breakdown.blocks, phases=phases)

    def _columns(self, at: int) -> dict[str, object]:
        """Return the values that the text of pass ``at`` over columns uses, by name."""
        plan, one = self.plan, self.plan.tiles.columns[at]
        bottom = at == len(plan.tiles.columns) - 1
        return {
            "one": one, "last": one.depth + one.levels - 1, "offset": plan.offsets[at],
            "block_words": plan.block_words(at), "bottom": bottom, "lowest": bottom and plan.columns > 0,
            "span": plan.span(one), "next_columns": partial(self.call, f"columns_{at + 1}"), **self.of_pass(at),
        }  # fmt: skip

    def _write_split(self) -> tuple[Sequence[int], int]:
        """Write run(y, x, c, tables, t …, phase, part, parts) and the functions that it calls.

        Return the numbers of words of scratch memory, and the number of phases; all threads work on one phase at a
        time.
        """
        plan, tiles, natural = self.plan, self.plan.tiles, self.plan.breakdown.natural
        phases = ["columns", *["below"] * (len(tiles.passes) > 1), *["order"] * natural]
        phases = phases[::-1] if plan.breakdown.inverse else phases
        squares, given = squares_of(self, plan.schedule) if natural else {}, self._columns(0)
        for name in ("columns_part", *["below_part"] * ("below" in phases)):
            self.write(name, name, **given)
        if squares:
            self.write("reorder_part", "reorder_part", **squares)
        first, grain = tiles.columns[0], tiles.rows.group if len(tiles.columns) == 1 else 1
        split = Split(first.stride // (first.width * plan.lanes), grain, *self.shares)
        numbers = {f"{name}_phase": at for at, name in enumerate(phases)}
        self.write("run_parts", "run", **{**given, **split._asdict(), **numbers, **squares})
        return (split.shared, split.each), len(phases)


def squares_of(writer: ProgramWriter, schedule: Schedule, blocks: int = 1) -> dict[str, int]:
    """Return the sizes of the squares in which the residues of a transform, or rows of a matrix, are bit-reversed.

    The result has the words of one element, the number of elements per side, its logarithm, and the logarithm
    of the number of squares.

    Args:
        writer: The writer of the functions that reorder.
        schedule: The schedule of the transform.
        blocks: The number of blocks of values that are reordered together.
    """
    n, run = schedule.breakdown.n * blocks, LINES * writer.target.first.line * 8 // writer.target.word
    log_n, size = n.bit_length() - 1, schedule.columns * writer.arith.words
    log_side = min(log_n // 2, max(1, run // size).bit_length() - 1)
    return {"size": size, "log_side": log_side, "side": 1 << log_side, "log_squares": log_n - 2 * log_side}
