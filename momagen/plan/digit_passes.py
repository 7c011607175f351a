"""The numbers of the passes of a transform in tiles: which levels they loop over, and which functions move their rows
between memory and tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from momagen.errors import build_error
from momagen.kinds.modular.derived.sharing import is_split

from .digit_plan import DigitPlan
from .tiles import PassTiles


@dataclass(frozen=True)
class TilePass(PassTiles):
    """A pass.

    Attributes:
        half: vectors of half a block in the widest level that has a loop; 0: conversions do all levels.
        fetch, put: the conversions that load rows into a tile and store them; "": the levels load or store themselves.
        come, go: words of a residue as it is loaded, and as it is stored.
        given, taken: whether rows are the user's as they are loaded, and as they are stored.
        prefetched: words of the rows' table that each butterfly of two vectors prefetches.
    """

    half: int = 0
    fetch: str = ""
    put: str = ""
    come: int = 0
    go: int = 0
    given: bool = False
    taken: bool = False
    prefetched: int = 0

    @property
    def butterflies(self) -> int:
        """The number of butterflies of two vectors in the loops over one tile."""
        return self.rows // 2 * self.half.bit_length()


class DigitPasses(DigitPlan):
    """The plan of one transform with all its passes."""

    @cached_property
    def passes(self) -> list[TilePass]:
        """The passes over columns, and that over rows."""
        found = [self._pass(at, one) for at, one in enumerate(self.tiles.passes)]
        last = max(len(self.tiles.columns) - 1, 0)
        found[last] = replace(found[last], prefetched=self._prefetched(found[last]))
        return found

    @property
    def legs(self) -> int:
        """The legs of the butterflies in that conversion."""
        return 1 << self.opened

    @property
    def conversions(self) -> set[str]:
        """The functions that take rows from words to digits, or digits to other digits, and back."""
        moves = {name for one in self.passes for name in (one.fetch, one.put)}
        if self.row:
            return moves | {"end_scaled"} & {"end_scaled" * ("end" in moves and self.spec.inverse)}
        return moves | {"begin_turned" if self.spec.inverse else "end_turned", *["end_scaled"] * ("end" in moves)}

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Rows and first levels of all that loops do."""
        return sorted({(one.vectors, one.half) for one in self.passes if one.half})

    @property
    def room(self) -> int:
        """Words of scratch between passes, as digits or behind words in the user's order."""
        words = self.spec.elements * self.spec.arith.words * (self.spec.order == "natural" and self.apart)
        return self.tiles.room * self.inner.words + words

    @property
    def apart(self) -> bool:
        """Whether words that are reordered stand apart from digits: some are stored between passes, or those of several
        columns side by side overtake the digits that they come from."""
        return self.row > 0 or self.rests(self.tiles)

    @property
    def split(self) -> bool:
        return is_split(self.spec) and not self.passes[0].left

    @property
    def tile_vectors(self) -> int:
        """Vectors of the tiles that a pass works on at once."""
        return max(one.rows * one.width for one in self.passes)

    def _prefetched(self, one: TilePass) -> int:
        """Return how many words of the rows' table each butterfly of `one`, the last pass over columns, prefetches.

        The rows read one twiddle for each point, and the passes over columns hardly any. A table that is longer than
        the caches then comes from memory during the columns, too. A block of it must fit the second cache.

        Raises:
            MomagenError: the option asks for it, and no pass can do it.
        """
        asked, byte = self.spec.options.prefetch, self.target.word // 8
        words, tiles = one.rows * self.block_words(-1), one.stride // self.lanes * one.butterflies
        able = one.depth > 0 and one.width == 1 and not (self.row or self.fused)
        if asked and not able:
            problem = '`prefetch="yes"` requires two separate passes over columns, which this transform does not have'
            raise build_error(problem, "prefetch", "omit `prefetch`")
        long = 0 < self.target.prefetch <= self.table_words * byte and words * byte <= self.target.second.bytes
        return words // tiles if able and (asked or (long and asked is None)) else 0

    def _pass(self, at: int, one: PassTiles) -> TilePass:
        """Pass ``at`` with what it has beside its tiles."""
        above, inverse = at == 0 or self.tiles.columns[at - 1].rests, self.spec.inverse
        moved, lowest = "copy" if one.width > 1 else "", self.row > 0 and at == len(self.tiles.columns) - 1
        drawn = "settle" if self.inner.settles_between else moved
        below = one.rests or lowest
        come, go = (below, above) if inverse else (above, below)
        fetch = drawn if self.plain or not come else "resume"
        put = moved if self.plain or not go else "rest"
        if inverse and one.across:  # it begins across lanes
            fetch = ""
        if lowest and inverse:
            fetch = "begin"
        elif lowest:
            put = "end"
        if at == 0 and inverse:
            put = "last" if self.inner.over else "end"
        elif at == 0:
            fetch = "first"
        units = {True: self.spec.arith.words, False: self.inner.words}
        half = (one.rows >> (at == 0) * self.opened) // 2
        given, taken = (lowest, at == 0) if inverse else (at == 0, lowest)
        left = self.spec.columns % self.lanes * (self.row > 0 and (given or taken))
        own = {**vars(one), "left": left, "width": 1 if left else one.width}
        return TilePass(
            **own, half=half, fetch=fetch, put=put, come=units[come], go=units[go], given=given, taken=taken
        )
