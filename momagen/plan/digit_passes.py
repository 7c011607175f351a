"""The numbers of the passes of a transform in tiles: where their constants are, which levels they loop over, and which
functions move their rows between memory and tiles."""

from __future__ import annotations

from dataclasses import dataclass

from .digit_plan import DigitPlan
from .tiles import ColumnTiles


@dataclass(frozen=True)
class Column(ColumnTiles):
    """A pass over columns.

    Attributes:
        half: of its longest level beside those that go with conversions; 0: there is none.
        fetch, put: functions that take rows to tiles and back, "" where levels themselves do.
        come, go: words of a residue there.
    """

    half: int = 0
    fetch: str = ""
    put: str = ""
    come: int = 0
    go: int = 0


class DigitPasses:
    """All passes of one transform.

    Attributes:
        last_rows, last_half: vectors of the rows, and half of their longest level on whole ones; 0: there is none.
    """

    def __init__(self, plan: DigitPlan) -> None:
        self.plan, self.tiled, self.inner = plan, plan.tiles, plan.inner
        self.inverse, lanes = plan.spec.inverse, plan.lanes
        self.columns = [
            Column(one.depth, one.levels, one.stride, one.width, one.rests, self._half(at), *self._ends(at))
            for at, one in enumerate(self.tiled.columns)
        ]
        alone = not self.columns and self.opens
        self.last_rows = lanes if alone else self.tiled.rows.group * lanes
        self.last_half = (lanes >> alone * plan.opened) // 2

    @property
    def opens(self) -> bool:
        """Whether the conversion of what comes in, on the way back of results, does levels as well."""
        return not self.inverse or self.inner.over > 0

    @property
    def legs(self) -> int:
        """The legs of the butterflies in that conversion."""
        return 1 << self.plan.opened

    @property
    def lone(self) -> bool:
        """Whether some tiles have only two rows."""
        return any(one.rows == 2 for one in self.columns)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Rows and first levels of all that loops do."""
        found = [*((one.rows, one.half) for one in self.columns), (self.last_rows, self.last_half)]
        return sorted({(rows, half) for rows, half in found if half})

    @property
    def tiles(self) -> int:
        """Vectors of the tiles that a pass works on at once."""
        return max((one.rows * one.width for one in self.columns), default=self.tiled.lanes)

    @property
    def tile_words(self) -> int:
        """Words of all these vectors."""
        return self.tiles * self.plan.inner.words * self.tiled.lanes

    @property
    def room(self) -> int:
        """Words of scratch between passes, as digits or behind words in the user's order."""
        words = self.tiled.n * self.plan.spec.arith.words * (self.plan.spec.order == "natural" and self.apart)
        return self.tiled.room * self.inner.words + words

    @property
    def apart(self) -> bool:
        """Whether some residues are stored in words between passes."""
        return self.tiled.room < self.tiled.n

    def _half(self, at: int) -> int:
        """Half of the rows of column pass ``at`` that one block has after the levels that go with conversions."""
        return (self.tiled.columns[at].rows >> (at == 0 and self.opens) * self.plan.opened) // 2

    def _ends(self, at: int) -> tuple[str, str, int, int]:
        """fetch, put, come and go of column pass ``at``."""
        one, above, plain = self.tiled.columns[at], at == 0 or self.tiled.columns[at - 1].rests, self.plan.plain
        moved = "copy" if one.width > 1 else ""
        drawn = "settle" if self.inner.settles_between else moved
        come, go = (one.rests, above) if self.inverse else (above, one.rests)
        fetch = drawn if plain or not come else "resume"
        put = moved if plain or not go else "rest"
        if at == 0 and self.inverse:
            put = "last" if self.inner.over else "end"
        elif at == 0:
            fetch = "first"
        units = {True: self.plan.spec.arith.words, False: self.inner.words}
        return fetch, put, units[come], units[go]
