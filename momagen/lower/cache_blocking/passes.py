"""The passes of a transform in tiles: what all share, and the rows, which transpose tiles."""

from __future__ import annotations

from typing import NamedTuple

from momagen.lower.depth_first import COUNT, B
from momagen.lower.digits.constants import places
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.plan.digit_passes import DigitPasses
from momagen.program import Call, Expr, Function


class Side(NamedTuple):
    """Vectors, ``step`` words apart."""

    at: Expr
    step: int


class PassWriter:
    """Writes passes of one transform."""

    def __init__(self, writer: TileWriter, passes: DigitPasses) -> None:
        self.writer, self.passes, self.call = writer, passes, writer.call
        self.inner, self.inverse, self.count = writer.inner, writer.spec.inverse, writer.arith.words
        self.lanes, self.step, self.wide = writer.target.lanes, writer.step, writer.wide
        self.scale = C + places(writer)["scale"]

    def shared(self, to: Side, source: Side, tile: Expr, tw: Expr, rows: int, half: int) -> Call:
        """Levels of ``rows`` vectors whose constants lanes share."""
        if self.writer.plan.fused:
            return self.call(f"shared_{rows}_{half}", *to, *source, tile, C, tw)
        return self.call("shared", *to, *source, tile, C, tw, rows, half)

    def in_place(self, tile: Expr) -> tuple[Side, Side, Expr]:
        """Vectors of a tile come from there, and go there."""
        return Side(tile, self.step), Side(tile, self.step), tile


class RowsWriter(PassWriter):
    """Writes the last pass of the forward transform, which is the first one of the inverse."""

    def __init__(self, writer: TileWriter, passes: DigitPasses) -> None:
        super().__init__(writer, passes)
        self.columns, self.group, self.tile = bool(passes.columns), writer.plan.tiles.rows.group, self.lanes**2

    def write(self) -> None:
        """rows(y, t, x, c, tables, b, count), without y or x where a pass over columns has the residues at t."""
        plan, levels = self.writer.plan, 2 * (self.lanes.bit_length() - 1)
        given = (*[Y] * (not (self.inverse and self.columns)), T, *[X] * (self.inverse or not self.columns))
        doc = (
            f"The last {levels} levels of ``count`` blocks, on digits at t: {self.group} blocks of {self.lanes} *"
            f" {self.lanes} residues at a time; twiddles from those of block ``b`` on."
        )
        f = Function("rows", (*given, C, TABLES, B, COUNT), doc)
        tw = f.variable("tw", TABLES + plan.offsets[-1] + B * plan.row_words)
        with f.each("at", COUNT * self.tile, step=self.group * self.tile) as at:
            s = f.let("s", T + at * self.inner.words)
            (self._back if self.inverse else self._forth)(f, s, tw, at)
        self.writer.put(f)

    def _forth(self, f: Function, s: Expr, tw: Expr, at: Expr) -> None:
        lanes, step, wide, legs = self.lanes, self.step, self.wide, self.passes.legs
        if not self.columns:
            part = lanes // legs
            f.do(self.call("first", s, X, C, tw, part * step, part * wide, step, wide, part))
            f.step(tw, (legs - 1) * self.inner.shared_words)
        elif self.inner.settles_between:
            f.do(self.call("settle", s, s, C, step, step, self.group * lanes))
        self._whole_vectors(f, s, tw)
        self._turn(f, s)
        self._apart(f, s, tw)
        with f.each("g", self.group) as g:
            out = f.let("out", Y + (at + g * self.tile) * self.count)
            f.do(self.call("end_turned", out, s + g * (lanes * step), C, wide, step, lanes))
            if not self.writer.plan.product:
                f.do(self.call("scatter", out))

    def _back(self, f: Function, s: Expr, tw: Expr, at: Expr) -> None:
        lanes, step, wide = self.lanes, self.step, self.wide
        with f.each("g", self.group) as g:
            words: Expr = f.let("words", X + (at + g * self.tile) * self.count)
            if not self.writer.plan.product:
                turned = f.array("turned", lanes * wide)
                f.do(self.call("gather", turned, words))
                words = turned
            f.do(self.call("begin_turned", s + g * (lanes * step), words, C, step, wide, lanes))
        self._apart(f, s, tw)
        self._turn(f, s)
        self._whole_vectors(f, s, tw)
        if not self.columns:
            self._end(f, s, tw)

    def _end(self, f: Function, s: Expr, tw: Expr) -> None:
        """Words of the only tile."""
        lanes, step, wide = self.lanes, self.step, self.wide
        if self.inner.over:
            part = lanes // self.passes.legs
            f.do(self.call("last", Y, s, C, tw, part * wide, part * step, wide, step, part))
            return
        half = lanes // 2
        f.do(self.call("end_scaled", Y, s, C, wide, step, half, self.scale))
        f.do(self.call("end", Y + half * wide, s + half * step, C, wide, step, half))

    def _apart(self, f: Function, s: Expr, tw: Expr) -> None:
        """The levels across lanes."""
        to, source, tile = self.in_place(s)
        f.set(tw, self.call("apart", *to, *source, tile, C, tw, self.group * self.lanes, self.lanes // 2))

    def _turn(self, f: Function, s: Expr) -> None:
        with f.each("g", self.group) as g:
            f.do(self.call("turn", s + g * (self.lanes * self.step), self.step, self.inner.words))

    def _whole_vectors(self, f: Function, s: Expr, tw: Expr) -> None:
        """The levels on whole vectors that are left."""
        rows, half = self.passes.last_rows, self.passes.last_half
        if half:
            f.set(tw, self.shared(*self.in_place(s), tw, rows, half))
