"""Cache-blocked transforms as programs: the functions of their constants, tables and passes, and of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from momagen.lower.digits.levels import write_levels
from momagen.lower.digits.writer import TileWriter

from .ends import write_conversions
from .tables import write_tables


class CacheBlockedWriter(TileWriter):
    """A writer of the functions of one transform whose tiles fit the first-level cache."""

    @property
    def scratch(self) -> Sequence[int]:
        """The number of words of limbs between passes, and of the tiles."""
        return self.plan.room, self.plan.tile_vectors * self.step

    @property
    def shares(self) -> Sequence[int]:
        """The number of words that threads share, of each thread and of its tiles, and whether words are stored.

        If residues are stored as words after the first pass, each thread has separate memory for the limbs of a
        block.
        """
        plan, rests = self.plan, int(self.plan.passes[0].rests)
        digits, tiles = plan.tiles.room * self.inner.words, self.scratch[1]
        own, natural = digits * rests, plan.schedule.elements * self.arith.words * plan.breakdown.natural
        return natural + digits - own, own + tiles, tiles, rests

    def write_blocks(self) -> None:
        """Write the functions of levels and conversions, and of the pass over rows if there is one."""
        plan = self.plan
        write_levels(self, "shared")
        if not plan.row:
            write_levels(self, "apart", opens=plan.waits)
        write_conversions(self)
        if not plan.row:
            self.write("tile_rows", "rows", one=plan.passes[-1], **self.of_pass(-1))

    def write_tables(self) -> int:
        """Write the function put_tables, and return the number of words of all plan constants in c."""
        return write_tables(self)

    def of_pass(self, at: int) -> Mapping[str, object]:
        """Return the function of a pass for levels on whole vectors, and the offset of the factor of all results."""
        one, scale = self.plan.passes[at], self.constants.places["scale"]
        return {"shared_run": partial(self.call, f"shared_{one.vectors}_{one.half}"), "scale": scale}


write_tiles = CacheBlockedWriter.write_all
