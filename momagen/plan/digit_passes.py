"""The passes of a transform on reduced-radix limbs, with their loops and conversions between memory and tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from momagen.errors import build_error
from momagen.kinds.modular.derived.sharing import is_split

from .digit_plan import DigitPlan
from .tiles import PassTiles


@dataclass(frozen=True)
class TilePass(PassTiles):
    """A pass with its loops and conversions.

    Attributes:
        half: The number of vectors of half a block in the widest level that a loop computes, or 0 if
            conversions compute all levels.
        fetch: The name of the conversion that loads rows into a tile, or "" if the levels load them.
        put: The name of the conversion that stores the rows of a tile, or "" if the levels store them.
        come: The number of words of a residue that is loaded.
        go: The number of words of a residue that is stored.
        given: Whether rows are loaded from the user's array.
        taken: Whether rows are stored to the user's array.
        prefetched: The number of words of the table of the rows that each butterfly of two vectors
            prefetches.
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
    """A plan of one transform with all its passes."""

    @cached_property
    def passes(self) -> list[TilePass]:
        """The passes over columns, followed by the pass over rows."""
        found = [self._pass(at, one) for at, one in enumerate(self.tiles.passes)]
        last = max(len(self.tiles.columns) - 1, 0)
        found[last] = replace(found[last], prefetched=self._prefetched(found[last]))
        return found

    @property
    def legs(self) -> int:
        """The number of butterfly inputs of the conversion that is fused with levels."""
        return 1 << self.opened

    @property
    def conversions(self) -> set[str]:
        """The names of the functions that convert rows from words to limbs, from limbs to limbs, and back."""
        moves = {name for one in self.passes for name in (one.fetch, one.put)}
        if self.row:
            return moves | {"end_scaled"} & {"end_scaled" * ("end" in moves and self.spec.inverse)}
        return moves | {"begin_turned" if self.spec.inverse else "end_turned", *["end_scaled"] * ("end" in moves)}

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The number of rows and the width of the first level of each loop nest, without repetitions."""
        return sorted({(one.vectors, one.half) for one in self.passes if one.half})

    @property
    def room(self) -> int:
        """The number of words of scratch memory for limbs between passes, and for results that are reordered."""
        words = self.spec.elements * self.spec.arith.words * (self.spec.order == "natural" and self.apart)
        return self.tiles.room * self.inner.words + words

    @property
    def apart(self) -> bool:
        """Whether words before reordering need scratch memory separate from the limbs' scratch memory.

        They do if residues are stored as words between some passes, or if the words of a matrix would
        overwrite limbs that have not been converted yet.
        """
        return self.row > 0 or self.rests(self.tiles)

    @property
    def split(self) -> bool:
        """Whether threads share one transform."""
        return is_split(self.spec) and not self.passes[0].left

    @property
    def tile_vectors(self) -> int:
        """The largest number of vectors in the tiles that a pass processes at once."""
        return max(one.rows * one.width for one in self.passes)

    def _prefetched(self, one: TilePass) -> int:
        """Return the number of words of the rows' table that each butterfly of two vectors prefetches.

        The rows read one twiddle for each point, and the passes over columns read hardly any. If the tables
        exceed the caches, prefetching loads the table of the rows from memory during the columns, too. The
        part for one block must fit the second-level cache.

        Args:
            one: The last pass over columns.

        Raises:
            MomagenError: The option ``prefetch`` requests it, and no pass supports it.
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
        """Return pass ``at``, whose tiles are ``one``, with its loops and conversions."""
        above, inverse = at == 0 or self.tiles.columns[at - 1].rests, self.spec.inverse
        moved, lowest = "copy" if one.width > 1 else "", self.row > 0 and at == len(self.tiles.columns) - 1
        drawn = "settle" if self.inner.settles_between else moved
        below = one.rests or lowest
        come, go = (below, above) if inverse else (above, below)
        fetch = drawn if self.plain or not come else "resume"
        put = moved if self.plain or not go else "rest"
        if inverse and one.across:  # the first levels are across lanes
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
