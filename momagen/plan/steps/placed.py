"""Where a step stands in its pass, and where a plan has its constants."""

from __future__ import annotations

from typing import NamedTuple

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.flow.lane_levels import LaneLevels


class Kept(NamedTuple):
    """Where a plan has what depends on q alone.

    Attributes:
        places: of numbers, by name. zeroth: of twiddle 0. copies: words of each number, or how often it stands there.
        longer: whether numbers take several words.
    """

    places: tuple[tuple[str, int], ...]
    zeroth: int
    copies: int
    longer: bool = False


class Placed(NamedTuple):
    """A step under every block of one pass.

    Attributes:
        depth: levels of its pass above it. begin: words of constants of one block of the pass in front of its own.
        across: how its levels go across lanes, where its constants differ by lane; None on whole vectors.
        letters: what a table holds of each of them. copies: how often each stands there, one after another.
        scaled: whether some come a second time, with 1/n in them.
    """

    depth: int
    begin: int
    levels: int
    across: LaneLevels | None
    letters: str
    copies: int
    scaled: bool
    step: Codelet

    @property
    def apart(self) -> bool:
        """Whether constants differ by lane."""
        return self.across is not None

    @property
    def radix(self) -> int:
        return 1 << self.levels

    @property
    def blocks(self) -> int:
        """Blocks of the step under one block of its pass; across lanes, as many as have constants of their own."""
        return self.across.copies << self.across.lanes if self.across else 1 << self.depth

    @property
    def words(self) -> int:
        """Words of its constants under one of these blocks."""
        return (self.radix - 1 + self.scaled * (self.radix // 2 - 1)) * len(self.letters) * self.copies

    @property
    def end(self) -> int:
        """Words of constants of one block of the pass up to its own."""
        return self.begin + self.blocks * self.words
