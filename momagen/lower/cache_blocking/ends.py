"""Conversions between memory and tiles: words to digits, digits to words, and transposes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from momagen.ir import Block
from momagen.kernels.butterflies import levels
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower.body.networks import WOVEN, network, woven_places
from momagen.lower.digits.bodies import TW, conversion
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import C, X, Y, written
from momagen.program import Again, Expr, Function, Name, Prefetch

X_LEG, Y_LEG, X_STEP, Y_STEP, COUNT = (Name(name) for name in ("x_leg", "y_leg", "x_step", "y_step", "count"))


class Conversion(NamedTuple):
    """What a function does to vectors.

    Attributes:
        codelet: what it does to digits, by the number of legs. come, go: whether words come, and reduced words go.
        user: whether these words are in the user's layout. table: whether it reads a twiddle.
        levels: of one that does levels on several legs, what its comment says of them.
    """

    codelet: Callable[[ReducedRadix, int], Block]
    come: bool = False
    go: bool = False
    user: bool = False
    table: bool = False
    levels: str = ""


CONVERSIONS = {
    "first": Conversion(levels.first, come=True, user=True, table=True,
                        levels="on words at x; twiddles from the ring down."),
    "end_turned": Conversion(lambda a, _: levels.finish(a, a.last, a.m_out), go=True),
    "begin_turned": Conversion(lambda a, _: levels.lift(a, a.m_in), come=True),
    "last": Conversion(levels.last, go=True, user=True, table=True,
                       levels="and division by {n}, to words at y; twiddles from the first of these levels on."),
    "end": Conversion(lambda a, _: levels.finish(a, a.last, a.m_out), go=True, user=True),
    "end_scaled": Conversion(lambda a, _: levels.finish(a, a.reach, a.m_out, scaled=True), go=True, user=True,
                             table=True),
    "settle": Conversion(lambda a, _: levels.settle(a)),
    "rest": Conversion(lambda a, _: levels.finish(a, a.reach, a.resting), go=True),
    "resume": Conversion(lambda a, _: levels.lift(a, a.resting), come=True),
    "copy": Conversion(lambda a, _: levels.copied(a)),
}  # fmt: skip
"""By the names of functions, in the order in which they are written."""


class EndsWriter:
    """Writes the functions that take vectors from one form to another."""

    def __init__(self, writer: TileWriter) -> None:
        self.writer, self.plan, self.lanes, self.inverse = writer, writer.plan, writer.target.lanes, writer.spec.inverse
        self.count = writer.arith.words

    def write(self) -> None:
        """turn, and what the passes call between memory and tiles."""
        self._turn()
        asked = self.plan.conversions
        for name, one in CONVERSIONS.items():
            if name in asked:
                self._convert(name, one)
        if not self.plan.product:
            self._user_order()
        if self.plan.passes[0].width > 1 and not self.inverse:
            self._ahead()

    def _convert(self, name: str, one: Conversion) -> None:
        """The function ``name``(y, x, c, y_step, x_step, count): ``count`` vectors, so many words apart; with a twiddle
        before them, and with several legs, so many words apart. Of their twiddles the first that is not 1 is read."""
        several = bool(one.levels)
        opened, again = self.plan.opened * several, self.plan.again and several
        doc, legs = self._doc(one) if several else "", 1 << opened
        block = one.codelet(self.plan.inner, legs)
        body = conversion(self.writer, block, come=one.come, go=one.go, user=one.user)
        apart = [Y_LEG, X_LEG] * several
        params = (Y, X, C, *[TW] * one.table, *apart, Y_STEP, X_STEP, COUNT)
        f = Function(name, params, doc, vector=True, copies="apart")
        if opened > 1:
            f.step(TW, (1 if self.inverse else 2) * self.plan.inner.shared_words)
        twiddle = body.twiddle() if one.table else []
        f.add(*body.constants(), *([] if again else twiddle))
        names = [f"x{i}" for i in range(legs)] if several else ["x"]
        moved = body.at(names, [X + X_LEG * i for i in range(legs)], [Y + Y_LEG * i for i in range(legs)])
        with f.each("i", COUNT):
            f.add(*[Again(TW), *twiddle] * again, *moved)
            f.step(X, X_STEP)
            f.step(Y, Y_STEP)
        self.writer.put(f)

    def _doc(self, one: Conversion) -> str:
        which, beside = ("last", "second") if self.inverse else ("first", "last")
        several = "two levels" if self.plan.opened > 1 else "level"
        doc = f"The {which} {several} of ``count`` butterflies of {self.plan.legs} legs, "
        doc += one.levels.format(n=self.writer.spec.n)
        return doc + f" Of the twiddles all but the {beside} one are 1." * (self.plan.opened > 1)

    def _turn(self) -> None:
        x, step, lanes = written(X), Name("step"), self.lanes
        doc = f"Lane l of vector j becomes lane j of vector l: ``count`` words of {lanes} vectors ``step`` apart."
        f = Function("turn", (x, step, COUNT), doc, vector=True, copies="apart")
        with f.each("i", COUNT):
            vectors = [x + step * i for i in range(lanes)]
            f.add(*network(self.writer.target, woven_places(1, lanes), vectors, vectors))
            f.step(x, lanes)
        self.writer.put(f)

    @property
    def _woven(self) -> bool:
        """Whether one network takes a whole tile."""
        return self.count <= WOVEN and self.count & (self.count - 1) == 0

    def _rows(self, pointer: Expr) -> list[Expr]:
        """The vectors of a tile in words, or of one vector of residues."""
        return [pointer + self.lanes * i for i in range(self.count * (self.lanes if self._woven else 1))]

    def _user_order(self) -> None:
        """gather or scatter: a tile from or to the user's order."""
        target, lanes, wide = self.writer.target, self.lanes, self.writer.wide
        what = f"{lanes} * {lanes} residues at x, "
        if self.inverse:
            f = Function("gather", (Y, X), f"{what}from the user's order to transposed vectors at y.", vector=True)
        else:
            what += "in place, from transposed vectors to the user's order."
            f = Function("scatter", (written(X),), what, vector=True)
        x = f.params[-1]
        own = woven_places(self.count, lanes) if self._woven else user_places(self.count, lanes)
        goals = self._rows(Y if self.inverse else x)
        moves = network(target, own if self.inverse else inverse_places(own), self._rows(x), goals)
        if self._woven:
            f.add(*moves)
        else:
            all_ = f.let("all", Y) if self.inverse else x
            if not self.inverse:
                f.do(self.writer.call("turn", x, wide, self.count))
            with f.each("i", lanes):
                f.add(*moves)
                for pointer in f.params[::-1]:
                    f.step(pointer, wide)
            if self.inverse:
                f.do(self.writer.call("turn", all_, wide, self.count))
        self.writer.put(f)

    def _ahead(self) -> None:
        step, legs = Name("step"), self.plan.legs
        doc = (
            f"Asks for {legs} rows of ``count`` words, ``step`` words apart, before they are read: the butterflies on"
            " those before them hide how long that takes."
        )
        f = Function("ahead", (X, step, COUNT), doc)
        with f.each("leg", legs) as leg, f.each("i", COUNT, step=self.writer.target.first.line // 8) as i:
            f.add(Prefetch(X + leg * step + i))
        self.writer.put(f)
