"""Depth-first passes of a transform: functions for the columns of a block with all levels below, and for the whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from momagen.plan.depth_first import DepthFirstPlan
from momagen.plan.tiles import PassTiles
from momagen.program import Call, Expr, Function, Name, Number

from .names import TABLES, C, T, X, Y
from .writer import PartWriter

B, COUNT = Name("b"), Name("count")


class PassesWriter(ABC):
    """Writes the passes of one transform.

    Attributes:
        given: what functions of columns read and write. scratch: what the whole works in, ``room`` words at T first.
        apart: where the whole goes from T to another order, passes work behind the words at T.
    """

    given: Sequence[Name] = (Y, X)
    scratch: Sequence[Name] = ()
    room = 0
    apart = False

    def __init__(self, writer: PartWriter, plan: DepthFirstPlan) -> None:
        self.part, self.call, self.tiles, self.plan = writer, writer.call, plan.tiles, plan
        self.inverse, self.lanes, self.count = plan.spec.inverse, plan.lanes, writer.arith.words

    @abstractmethod
    def rows(self) -> None:
        """Write rows: the last levels of so many blocks from one on."""

    @abstractmethod
    def columns(self, f: Function, at: int, tw: Expr) -> None:
        """Append the levels of column pass ``at`` of one block, whose constants stand at ``tw``."""

    @abstractmethod
    def of_rows(self) -> Sequence[Expr]:
        """What rows reads and writes, where columns call it."""

    def call_rows(self, given: Sequence[Expr], b: Expr, count: int) -> Call:
        """A call of rows: what it reads and writes is ``given``."""
        return self.call("rows", *given, C, TABLES, b, count)

    @abstractmethod
    def of_block(self, at: int, i: Expr) -> Sequence[Expr]:
        """``given`` of block ``i`` below column pass ``at``."""

    @abstractmethod
    def whole(self, found: Expr, inside: Expr, source: Expr) -> Sequence[Expr]:
        """``given`` of the whole, from ``source`` to ``found``; or what rows reads and writes, where no pass is
        above."""

    def write(self) -> None:
        """rows; columns_k(…, c, tables, b), the one of the smallest blocks first; transform(y, …, x, c, tables)."""
        self.rows()
        for at in reversed(range(len(self.tiles.columns))):
            self._columns(at)
        self._transform()

    def _columns(self, at: int) -> None:
        f = Function(f"columns_{at}", (*self.given, C, TABLES, B), self._doc(self.tiles.columns[at]))
        tw = f.let("tw", TABLES + self.plan.offsets[at] + B * self.plan.block_words(at))
        if self.inverse:
            self._below(f, at)
        self.columns(f, at, tw)
        if not self.inverse:
            self._below(f, at)
        self.part.put(f)

    def _doc(self, one: PassTiles) -> str:
        beside = f", {one.width} side by side" * (one.width > 1)
        return (
            f"Levels {one.depth} to {one.depth + one.levels - 1} of block ``b``: columns of {one.rows} vectors,"
            f" {one.stride} residues apart{beside}; {'before' if self.inverse else 'after'} them all levels below, so"
            f" that they find the block in the cache if it fits there{', and between both words at y' * one.rests}."
        )

    def _below(self, f: Function, at: int) -> None:
        """All levels below: each block finds its words, and its digits unless one's room serves all."""
        count = self.tiles.columns[at].rows
        if at == len(self.tiles.columns) - 1:
            f.do(self.call_rows(self.of_rows(), B * count, count))
            return
        with f.each("i", count) as i:
            f.do(self.call(f"columns_{at + 1}", *self.of_block(at, i), C, TABLES, B * count + i))

    def _transform(self) -> None:
        words, natural = self.plan.spec.n * self.count, self.plan.spec.order == "natural"
        f = Function("transform", (Y, *self.scratch, X, C, TABLES), self.about(natural))
        found, inside, source = Y, T + 0, X
        if natural and self.inverse:
            source = f.let("words", T + (self.room - words))
            f.do(self.call("reorder", source, X))
        elif natural:
            found, inside = T, T + words * self.apart
        given = self.whole(found, inside, source)
        if self.tiles.columns:
            f.do(self.call("columns_0", *given, C, TABLES, 0))
        else:
            f.do(self.call_rows(given, Number(0), 1))
        if natural and not self.inverse:
            f.do(self.call("reorder", Y, T))
        self.part.put(f)

    def about(self, natural: bool) -> str:
        """The comment of the function for the whole."""
        return ""
