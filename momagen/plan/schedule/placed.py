"""The position of a register-blocked step in its pass, and the offsets of constants in a plan."""

from __future__ import annotations

from typing import NamedTuple

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.flow.lane_levels import LaneLevels


class Kept(NamedTuple):
    """The offsets of the numbers in a plan that depend only on q.

    Attributes:
        places: The names of the numbers and their offsets.
        zeroth: The offset of twiddle 0.
        copies: The number of words of each number, or of its copies.
        longer: Whether numbers have several words.
    """

    places: tuple[tuple[str, int], ...]
    zeroth: int
    copies: int
    longer: bool = False


class Placed(NamedTuple):
    """A step in every block of one pass.

    Attributes:
        depth: The number of levels of the pass above the step.
        begin: The number of words of the constants of steps above it, in the table of one block of the pass.
        levels: The number of levels of the step.
        across: The levels across lanes, if its constants differ by lane; None for levels on whole vectors.
        letters: The columns of the table for each constant, by the first letters of their names.
        copies: The number of consecutive copies of each word of a constant.
        scaled: Whether the table contains some constants a second time, multiplied by 1/n.
        step: The codelet.
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
        """The number of inputs of a butterfly."""
        return 1 << self.levels

    @property
    def blocks(self) -> int:
        """The number of blocks of the step in one block of its pass.

        For levels across lanes, it is the number of groups of constants, one for each lane.
        """
        return self.across.copies << self.across.lanes if self.across else 1 << self.depth

    @property
    def words(self) -> int:
        """The number of words of the constants of one of these blocks."""
        return (self.radix - 1 + self.scaled * (self.radix // 2 - 1)) * len(self.letters) * self.copies

    @property
    def end(self) -> int:
        """The offset of the end of the step's constants in the table of one block of the pass."""
        return self.begin + self.blocks * self.words
