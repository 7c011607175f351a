"""The passes over columns of a transform in tiles, each with all passes below, and the whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from momagen.lower.depth_first import PassesWriter
from momagen.lower.digits.levels import S
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import C, T, X, Y
from momagen.plan.digit_passes import Column, DigitPasses
from momagen.program import Expr, Function, Number, choice

from .passes import PassWriter, RowsWriter, Side


class Strip(NamedTuple):
    """``many`` vectors from row ``row`` on, in tiles and in memory."""

    row: Expr
    tile: Side
    memory: Side
    many: int


class ColumnsWriter(PassWriter, PassesWriter):
    """Writes columns_k(y, t, x, s, c, tables, b) and transform(y, t, s, x, c, tables)."""

    given = (Y, T, X, S)
    scratch = (T, S)

    def __init__(self, writer: TileWriter, passes: DigitPasses) -> None:
        PassWriter.__init__(self, writer, passes)
        PassesWriter.__init__(self, writer, writer.plan)
        self.room, self.apart = passes.room, passes.apart

    def rows(self) -> None:
        RowsWriter(self.writer, self.passes).write()

    def columns(self, f: Function, at: int, tw: Expr) -> None:
        one = self.passes.columns[at]
        with f.each("j", one.stride, step=one.width * self.lanes) as j:
            if one.fetch == "first":
                self._first(f, one, j, tw)
            else:
                self._fetch(f, one, j, tw)
            self._put(f, one, j, tw)

    def of_rows(self) -> tuple[Expr, ...]:
        return (T, X) if self.inverse else (Y, T)

    def of_block(self, at: int, i: Expr) -> tuple[Expr, ...]:
        one = self.passes.columns[at]
        words = one.stride * self.count
        own, digits = Y + i * words, T if one.rests else T + i * (one.stride * self.inner.words)
        met = own if one.rests else digits
        return (met, digits, X + i * words, S) if self.inverse else (own, digits, met, S)

    def whole(self, found: Expr, inside: Expr, source: Expr) -> tuple[Expr, ...]:
        return (found, inside, source, S) if self.passes.columns else (found, S, source)

    def about(self, natural: bool) -> str:
        doc = f"At t there is room for {self.room} words, at s for {self.passes.tiles} vectors."
        if natural:
            made, source = ("digits", "words") if self.inverse else ("words", "digits")
            doc += f" Between orders, {made} from the front of t do not overtake the {source} that they come from."
        return doc

    def _source(self, one: Column, j: Expr) -> Side:
        """Where the rows of column j come from."""
        memory: Expr = (Y if one.rests else T) if self.inverse else X
        return Side(memory + j * one.come, one.stride * one.come)

    def _goal(self, one: Column, j: Expr) -> Side:
        """Where they go."""
        memory = Y if self.inverse or one.rests else T
        return Side(memory + j * one.go, one.stride * one.go)

    @contextmanager
    def _strips(self, f: Function, one: Column, memory: Side, unit: int, first: int, last: int) -> Iterator[Strip]:
        """Rows ``first`` to ``last`` - 1, in memory as residues of ``unit`` words: one vector of each, or one row after
        another, as many as there are tiles."""

        def strip(row: Expr, near: int, far: int, count: int) -> Strip:
            tile, there = Side(S + row * self.step, near), Side(memory.at + row * memory.step, far * unit)
            return Strip(row, tile, there, count)

        if one.width == 1:
            yield strip(Number(first), self.step, one.stride, last - first)
            return
        with f.each("i", last, first) as row:
            yield strip(row, one.rows * self.step, self.lanes, one.width)

    def _move(self, f: Function, name: str, to: Side, source: Side, count: int, *tw: Expr) -> None:
        constants = [C] * (name != "copy")
        f.do(self.call(name, to.at, source.at, *constants, to.step, source.step, count, *tw))

    def _fetch(self, f: Function, one: Column, j: Expr, tw: Expr) -> None:
        """The levels of a pass between digits: rows come to the tiles at s where levels do not take them there."""
        source = self._source(one, j)
        if one.fetch:
            with self._strips(f, one, source, one.come, 0, one.rows) as strip:
                self._move(f, one.fetch, strip.tile, strip.memory, strip.many)
            source = Side(S, self.step)
        self._levels(f, one, source, j, tw)

    def _levels(self, f: Function, one: Column, source: Side, j: Expr, tw: Expr) -> None:
        """The levels that every tile has in one pass, or what is left of them."""
        if one.width > 1 and one.half:
            with f.each("i", one.width) as i:
                tile = f.let("tile", S + i * (one.rows * self.step))
                f.do(self.shared(*self.in_place(tile), tw, one.rows, one.half))
        elif one.half:
            to = Side(S, self.step) if one.put else self._goal(one, j)
            f.do(self.shared(to, source, S, tw, one.rows, one.half))

    def _first(self, f: Function, one: Column, j: Expr, tw: Expr) -> None:
        """The levels that begin with words, and all others of the pass."""
        legs, words = self.passes.legs, self._source(one, j)
        part = one.rows // legs
        if not one.half and one.width == 1:
            to = Side(S, self.step) if one.put else self._goal(one, j)
            f.do(self.call("first", to.at, words.at, C, tw, to.step, words.step, 0, 0, 1))
            return
        with self._strips(f, one, words, one.come, 0, part) as strip:
            if one.width > 1:
                row = choice(strip.row + 2 < part, strip.row + 2, strip.row)
                f.do(self.call("ahead", words.at + row * words.step, part * words.step, one.width * self.wide))
            steps = (part * self.step, part * words.step, strip.tile.step, strip.memory.step)
            f.do(self.call("first", strip.tile.at, strip.memory.at, C, tw, *steps, strip.many))
        self._levels(f, one, Side(S, self.step), j, tw + (legs - 1) * self.inner.shared_words)

    def _put(self, f: Function, one: Column, j: Expr, tw: Expr) -> None:
        """What takes the rows back to memory."""
        if one.put == "last":
            self._last(f, one, j, tw)
        elif one.put == "end":
            half = one.rows // 2
            self._end(f, one, "end_scaled", 0, half, j, self.scale)
            self._end(f, one, "end", half, one.rows, j)
        elif one.put:
            self._end(f, one, one.put, 0, one.rows, j)

    def _end(self, f: Function, one: Column, name: str, first: int, last: int, j: Expr, *tw: Expr) -> None:
        with self._strips(f, one, self._goal(one, j), one.go, first, last) as strip:
            self._move(f, name, strip.memory, strip.tile, strip.many, *tw)

    def _last(self, f: Function, one: Column, j: Expr, tw: Expr) -> None:
        """The levels that end with words."""
        legs, words = self.passes.legs, self._goal(one, j)
        part = one.rows // legs
        here = one.half or one.fetch or one.width > 1
        source = Side(S, self.step) if here else self._source(one, j)
        with self._strips(f, one, words, one.go, 0, part) as strip:
            near = strip.tile.step if here else source.step
            steps = (part * words.step, part * source.step, strip.memory.step, near)
            twiddles, come = tw + (one.rows - legs) * self.inner.shared_words, source.at + strip.row * source.step
            f.do(self.call("last", strip.memory.at, come, C, twiddles, *steps, strip.many))
