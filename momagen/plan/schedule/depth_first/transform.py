"""Depth-first transforms: the columns of a block, then all levels below them, block by block."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from momagen.kernels.residues.arith import Arith
from momagen.plan.schedule.tiles import PassTiles, Tiles
from momagen.plan.schedule.transform import ScheduledTransform
from momagen.plan.schedule.types import Schedule, Step


@dataclass(frozen=True)
class DepthFirstTransform(ScheduledTransform):
    """A transform by ring splitting.

    Attributes:
        chosen: The schedule; None while a planner builds it.
    """

    chosen: Schedule | None = field(default=None, kw_only=True)

    @property
    def schedule(self) -> Schedule:
        """The steps of the transform."""
        assert self.chosen is not None, "the planner has built the schedule"
        return self.chosen

    @property
    def line(self) -> int:
        """The alignment of the tables of the rows, in words."""
        return 1

    @property
    @abstractmethod
    def tiles(self) -> Tiles:
        """The passes over memory."""

    @property
    @abstractmethod
    def inner(self) -> Arith:
        """The representation of residues in a tile."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """A description of the representation of residues."""

    @abstractmethod
    def block_words(self, at: int) -> int:
        """Return the number of words of the constants of one block.

        Args:
            at: The index of the pass, or -1 for the pass over rows.
        """

    @cached_property
    def offsets(self) -> list[int]:
        """The offsets in words of the tables of each pass over columns, followed by the offset of the rows' table."""
        sizes = (one.blocks * self.block_words(at) for at, one in enumerate(self.tiles.columns))
        *found, last = accumulate(sizes, initial=0)
        return [*found, -(-last // self.line) * self.line]

    @property
    def table_words(self) -> int:
        """The size of all tables in words."""
        return self.offsets[-1] + self.tiles.rows.blocks * self.block_words(-1) * (not self.tiles.row)

    def words_of_tables(self, at: int, steps: Sequence[Step]) -> int:
        """Return the number of words of the tables of the steps of nest ``at``."""
        passes = self.tiles.passes
        number = len(passes) - 1 - at if self.spec.inverse else at
        return passes[number].blocks * self.block_words(number)

    @property
    def inner_words(self) -> int:
        """The number of words of a value in a tile."""
        return self.inner.words

    @property
    def held(self) -> str:
        """A description of the representation of residues and of the number of passes."""
        passes = len(self.tiles.passes)
        return f"{self.kind}, in {passes} passes, depth first" if passes > 1 else f"{self.kind}, in one pass"

    @property
    def notes(self) -> list[str]:
        """Notes on the plan for reports."""
        which = ("inverse: " if self.spec.inverse else "forward: ") * self.product
        return [f"{which}limbs: {self.held}"]

    @property
    def why(self) -> str:
        """The properties of the machine that determine the passes."""
        held = f"{self.target.first.bytes / 1024:.4g} KiB {self.target.first.name}"
        limit = f"{self.target.registers} registers limit the levels per load and store"
        return f"tiles     use at most half of the {held}; {limit}"

    @property
    def columns(self) -> int:
        """The number of columns of the matrix of which each is transformed, or 0 without a matrix."""
        return self.spec.columns * (self.tiles.row > 0)

    @property
    def split(self) -> bool:
        """Whether threads share one transform, which they do not if the rows of the first pass end within a vector."""
        return super().split and not self.tiles.columns[0].left

    def span(self, one: PassTiles) -> int:
        """Return the number of residues from one row of a block of the pass to the next in the user's arrays."""
        row = self.tiles.row
        return one.stride // row * self.columns if row else one.stride
