"""Plans of depth-first transforms: the columns of a block, then all levels below them, block by block."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.derived.sharing import is_split
from momagen.plan.schedule.tiles import PassTiles, Tiles

from .schedule.transform import ScheduledTransform
from .tree import BLOCK, COLUMN, LANE, LEG, LOOP, PlannedPass


@dataclass(frozen=True)
class DepthFirstPlan(ScheduledTransform):
    """A plan of one transform by ring splitting."""

    inside = "words"
    """The form of residues between passes."""

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
    def steps(self, at: int) -> Sequence[int]:
        """Return the numbers of levels between one load to registers and the next store.

        Args:
            at: The index of the pass, or -1 for the pass over rows.
        """

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
        return is_split(self.spec) and not self.tiles.columns[0].left

    def span(self, one: PassTiles) -> int:
        """Return the number of residues from one row of a block of the pass to the next in the user's arrays."""
        row = self.tiles.row
        return one.stride // row * self.columns if row else one.stride

    def planned(self) -> list[PlannedPass]:
        """Return the passes in the order of execution."""
        found = [self._planned(at, one) for at, one in enumerate(self.tiles.passes)]
        if not self.spec.inverse:
            return found
        return [replace(one, reads=one.writes, writes=one.reads) for one in reversed(found)]

    def _planned(self, at: int, one: PassTiles) -> PlannedPass:
        """Return the description of pass ``at`` of the forward transform, whose tiles are ``one``."""
        tiles, last, row = self.tiles, one.across > 0, max(1, self.tiles.row)
        ends = last or (tiles.row > 0 and at == len(tiles.columns) - 1)
        length, low, lanes = (size.bit_length() - 1 for size in (tiles.n, one.stride // row, tiles.lanes))
        vectors = COLUMN * max(0, (row - 1).bit_length() - lanes) if tiles.row else ""
        loops = LOOP * (low - lanes * (not tiles.row)) + vectors
        bits = BLOCK * (length - low - one.levels) + LEG * one.levels + loops + LANE * lanes
        reads, writes = at == 0 or tiles.columns[at - 1].rests, ends or one.rests
        note = f"tiles of {one.rows} vectors" + f", {one.width} tiles side by side" * (one.width > 1)
        if last:
            note = f"{tiles.lanes} × {tiles.lanes} tiles, transposed between their levels"
        return PlannedPass(
            bits, "words" if reads else self.inside, "words" if writes else self.inside, self.steps(at),
            one.blocks * (one.rows - 1) * (1 + tiles.lanes * last), one.blocks * self.block_words(at),
            one.rows * tiles.lanes * self.inner.words, at, note,
        )  # fmt: skip
