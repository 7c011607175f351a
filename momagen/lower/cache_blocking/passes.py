"""The passes of a transform in tiles: over columns, each with all passes below, over rows, and the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.lower.depth_first import COUNT, B, PassesWriter
from momagen.lower.digits.constants import places
from momagen.lower.digits.levels import S
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.plan.digit_passes import DigitPasses, TilePass
from momagen.program import Expr, Function, Number, choice


class Side(NamedTuple):
    """Vectors, ``step`` words apart; those of the tile beside it are ``beside`` words on."""

    at: Expr
    step: int
    beside: int = 0


class TilePassesWriter(PassesWriter):
    """Writes columns_k(y, t, x, s, c, tables, b), rows(y, t, x, c, tables, b, count), without y or x where a pass over
    columns has the residues at t, and transform(y, t, s, x, c, tables)."""

    plan: DigitPasses
    given = (Y, T, X, S)
    scratch = (T, S)

    def __init__(self, writer: TileWriter) -> None:
        super().__init__(writer, writer.plan)
        self.inner, self.step, self.wide = writer.inner, writer.step, writer.wide
        self.room, self.apart = self.plan.room, self.plan.apart
        self.scale = C + places(writer)["scale"]

    def columns(self, f: Function, at: int, tw: Expr) -> None:
        one = self.plan.passes[at]
        with f.each("j", one.stride, step=one.width * self.lanes) as j:
            tile = Side(S, self.step, one.rows * self.step)
            self._through(f, one, tile, self._source(one, j), self._goal(one, j), tw)

    def rows(self) -> None:
        plan, one = self.plan, self.plan.passes[-1]
        above, nodes = bool(self.tiles.columns), one.group * (self.lanes - 1)
        given = (*[Y] * (not (self.inverse and above)), T, *[X] * (self.inverse or not above))
        doc = (
            f"The last {2 * one.levels} levels of ``count`` blocks, on digits at t: {one.group} blocks of {self.lanes}"
            f" * {self.lanes} residues at a time; twiddles from those of block ``b`` on."
        )
        f = Function("rows", (*given, C, TABLES, B, COUNT), doc)
        tw, size = f.variable("tw", TABLES + plan.offsets[-1] + B * plan.block_words(-1)), self.lanes**2
        with f.each("at", COUNT * size, step=one.group * size) as at:
            s = Side(f.let("s", T + at * self.inner.words), self.step)
            come, go = (s, s) if above else (self._source(one, Number(0)), self._goal(one, Number(0)))
            if self.inverse:
                self._user_order(f, one, s, at)
                self._across(f, one, s, tw)
                self._through(f, one, s, s, go, tw + nodes * self.lanes * self.inner.apart_words)
            else:
                self._through(f, one, s, come, s, tw)
                self._across(f, one, s, tw + nodes * self.inner.shared_words)
                self._user_order(f, one, s, at)
            f.step(tw, one.group * plan.block_words(-1))
        self.part.put(f)

    def _through(self, f: Function, one: TilePass, tile: Side, come: Side, go: Side, tw: Expr) -> None:
        """The levels on whole vectors, with the conversions that load rows into the tile and store them, where there
        are any."""
        source, goal = tile if one.fetch else come, tile if one.put else go
        legs, words = self.plan.legs, self.inner.shared_words
        if one.fetch == "first":
            self._convert(f, one, "first", tile if one.half or one.width > 1 else goal, come, [tw])
            tw = tw + (legs - 1) * words
        elif one.fetch:
            self._convert(f, one, one.fetch, tile, come)
        self._levels(f, one, tile, goal, source, tw)
        source = tile if one.half else source
        if one.put == "last":
            self._convert(f, one, "last", go, source, [tw + (one.rows - legs) * words])
        elif one.put == "end":
            self._convert(f, one, "end_scaled", go, source, [self.scale], range(one.rows // 2))
            self._convert(f, one, "end", go, source, rows=range(one.rows // 2, one.rows))
        elif one.put:
            self._convert(f, one, one.put, go, source)

    def _levels(self, f: Function, one: TilePass, tile: Side, to: Side, source: Side, tw: Expr) -> None:
        """The levels that every tile has in one pass, or what is left of them."""
        run = one.vectors, one.half
        name, numbers = ("shared_{}_{}".format(*run), ()) if self.plan.fused else ("shared", run)
        if one.width > 1 and one.half:
            with f.each("i", one.width) as i:
                at = f.let("tile", tile.at + i * tile.beside)
                f.do(self.call(name, at, self.step, at, self.step, at, C, tw, *numbers))
        elif one.half:
            f.do(self.call(name, to.at, to.step, source.at, source.step, tile.at, C, tw, *numbers))

    def _convert(
        self, f: Function, one: TilePass, name: str, to: Side, source: Side, table: Sequence[Expr] = (),
        rows: range = range(0),
    ) -> None:  # fmt: skip
        """The function ``name`` on ``rows``, or on all, of one tile, or row by row of all side by side; where it does
        levels, on several legs."""
        legs, sides = self.plan.legs if name in ("first", "last") else 1, (to, source)
        part = one.vectors // legs
        rows = rows or range(part)

        def convert(row: Expr, steps: Sequence[int], count: int) -> None:
            at, apart = [side.at + row * side.step for side in sides], [part * side.step for side in sides]
            f.do(self.call(name, *at, C, *table, *(apart if legs > 1 else ()), *steps, count))

        if one.width == 1:
            convert(Number(rows.start), [side.step for side in sides], len(rows))
            return
        with f.each("i", rows.stop, rows.start) as row:
            if name == "first":
                next_ = choice(row + 2 < part, row + 2, row)
                f.do(self.call("ahead", source.at + next_ * source.step, part * source.step, one.width * self.wide))
            convert(row, [side.beside for side in sides], one.width)

    def _source(self, one: TilePass, j: Expr) -> Side:
        """Where the rows of column j come from."""
        memory: Expr = (Y if one.rests else T) if self.inverse else X
        return Side(memory + j * one.come, one.stride * one.come, self.lanes * one.come)

    def _goal(self, one: TilePass, j: Expr) -> Side:
        """Where they go."""
        memory = Y if self.inverse or one.rests else T
        return Side(memory + j * one.go, one.stride * one.go, self.lanes * one.go)

    def _user_order(self, f: Function, one: TilePass, s: Side, at: Expr) -> None:
        """Tiles of digits, transposed, to the user's words; or these to digits."""
        with f.each("g", one.group) as g:
            digits, at = s.at + g * (self.lanes * self.step), (at + g * self.lanes**2) * self.count
            (self._gather if self.inverse else self._scatter)(f, digits, at)

    def _gather(self, f: Function, digits: Expr, at: Expr) -> None:
        words: Expr = f.let("words", X + at)
        if not self.plan.product:
            turned = f.array("turned", self.lanes * self.wide)
            f.do(self.call("gather", turned, words))
            words = turned
        f.do(self.call("begin_turned", digits, words, C, self.step, self.wide, self.lanes))

    def _scatter(self, f: Function, digits: Expr, at: Expr) -> None:
        words = f.let("out", Y + at)
        f.do(self.call("end_turned", words, digits, C, self.wide, self.step, self.lanes))
        if not self.plan.product:
            f.do(self.call("scatter", words))

    def _across(self, f: Function, one: TilePass, s: Side, tw: Expr) -> None:
        """The levels across lanes, on transposed tiles."""
        levels = self.call("apart", s.at, s.step, s.at, s.step, s.at, C, tw, one.vectors, self.lanes // 2)
        if self.inverse:
            f.do(levels)
        with f.each("g", one.group) as g:
            f.do(self.call("turn", s.at + g * (self.lanes * s.step), s.step, self.inner.words))
        if not self.inverse:
            f.do(levels)

    def of_rows(self) -> tuple[Expr, ...]:
        return (T, X) if self.inverse else (Y, T)

    def of_block(self, at: int, i: Expr) -> tuple[Expr, ...]:
        one = self.plan.passes[at]
        words = one.stride * self.count
        own, digits = Y + i * words, T if one.rests else T + i * (one.stride * self.inner.words)
        met = own if one.rests else digits
        return (met, digits, X + i * words, S) if self.inverse else (own, digits, met, S)

    def whole(self, found: Expr, inside: Expr, source: Expr) -> tuple[Expr, ...]:
        return (found, inside, source, S) if self.tiles.columns else (found, S, source)

    def about(self, natural: bool) -> str:
        doc = f"At t there is room for {self.room} words, at s for {self.plan.tile_vectors} vectors."
        if natural:
            made, source = ("digits", "words") if self.inverse else ("words", "digits")
            doc += f" Between orders, {made} from the front of t do not overtake the {source} that they come from."
        return doc
