"""Plans of depth-first transforms: the columns of a block, then all levels below, block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from momagen.kernels.flow.layouts import USER
from momagen.kernels.flow.ring_tree import root_node
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.derived.sharing import is_split
from momagen.kinds.modular.spec import Spec
from momagen.plan.tiles import PassTiles, Tiles
from momagen.targets import Target

from .tree import BLOCK, COLUMN, LANE, LEG, LOOP, PlannedPass


@dataclass(frozen=True)
class DepthFirstPlan(ABC):
    """The plan of one transform by ring splitting; ``product``: one of those that make a product of polynomials."""

    spec: Spec
    product: bool = False

    inside = "words"
    """The form of residues between passes."""
    layout = USER
    """The layout of points between the transforms of a product."""
    radix = 2
    """The radix of the kernels in the formula."""

    @cached_property
    def target(self) -> Target:
        return self.spec.target

    @property
    def root_node(self) -> int:
        """The number of the node at the root of the tree of twiddles, which the broken-down formula determines."""
        return root_node(self.spec.n, self.spec.inverse, self.spec.splits)

    @property
    def lanes(self) -> int:
        return self.target.lanes

    @property
    def line(self) -> int:
        """The tables of the rows begin at a multiple of so many words."""
        return 1

    @property
    def shortest(self) -> int:
        """Moduli have more bits than these."""
        return 0

    @property
    @abstractmethod
    def tiles(self) -> Tiles:
        """The passes over memory."""

    @property
    @abstractmethod
    def inner(self) -> Arith:
        """How a tile holds residues."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """How residues are held, for people."""

    @abstractmethod
    def steps(self, at: int) -> Sequence[int]:
        """The levels of pass ``at`` that go through registers at once; -1: of the rows."""

    @abstractmethod
    def block_words(self, at: int) -> int:
        """Words of the constants of one block of pass ``at``; -1: of the rows."""

    @cached_property
    def offsets(self) -> list[int]:
        """Where the tables of every pass of columns begin, and those of the rows."""
        sizes = (one.blocks * self.block_words(at) for at, one in enumerate(self.tiles.columns))
        *found, last = accumulate(sizes, initial=0)
        return [*found, -(-last // self.line) * self.line]

    @property
    def table_words(self) -> int:
        """Words of all tables."""
        return self.offsets[-1] + self.tiles.rows.blocks * self.block_words(-1) * (not self.tiles.row)

    @property
    def held(self) -> str:
        """How residues are held, and in how many passes, for people."""
        passes = len(self.tiles.passes)
        return f"{self.kind}, in {passes} passes, depth first" if passes > 1 else f"{self.kind}, in one pass"

    @property
    def notes(self) -> list[str]:
        """Notes on it, for people."""
        which = ("inverse: " if self.spec.inverse else "forward: ") * self.product
        return [f"{which}limbs: {self.held}"]

    @property
    def why(self) -> str:
        """Which properties of the machine decided."""
        held = f"{self.target.first.bytes / 1024:.4g} KiB {self.target.first.name}"
        limit = f"{self.target.registers} registers limit the levels per load and store"
        return f"tiles     use at most half of the {held}; {limit}"

    @property
    def columns(self) -> int:
        """Those of the matrix of which every one is transformed; 0: there is none."""
        return self.spec.columns * (self.tiles.row > 0)

    @property
    def split(self) -> bool:
        """Whether threads do one transform together: not where its first rows end within a vector."""
        return is_split(self.spec) and not self.tiles.columns[0].left

    def span(self, one: PassTiles) -> int:
        """Residues from one row of a block of the pass to the next, in the user's arrays."""
        row = self.tiles.row
        return one.stride // row * self.columns if row else one.stride

    def planned(self) -> list[PlannedPass]:
        """The passes in the order in which they run."""
        found = [self._planned(at, one) for at, one in enumerate(self.tiles.passes)]
        if not self.spec.inverse:
            return found
        return [replace(one, reads=one.writes, writes=one.reads) for one in reversed(found)]

    def _planned(self, at: int, one: PassTiles) -> PlannedPass:
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
