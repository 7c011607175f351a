"""Conversions between memory and tiles: words to digits, digits to words, and transposes."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.butterflies.levels import finish, first, last, lift, settle
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.lower.body.networks import WOVEN, network, woven_places
from momagen.lower.digits.bodies import TW, DigitBody, begin, between, end
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import C, X, Y, written
from momagen.plan.digit_passes import DigitPasses
from momagen.program import Again, Expr, Function, Name, Prefetch, Statement

X_LEG, Y_LEG, X_STEP, Y_STEP, COUNT = (Name(name) for name in ("x_leg", "y_leg", "x_step", "y_step", "count"))


class EndsWriter:
    """Writes the functions that take vectors from one form to another."""

    def __init__(self, writer: TileWriter, passes: DigitPasses) -> None:
        self.writer, self.passes, self.lanes = writer, passes, writer.target.lanes
        self.inner, self.inverse, self.count = writer.inner, writer.spec.inverse, writer.arith.words

    def write(self) -> None:
        """turn, and what the passes call between memory and tiles."""
        self._turn()
        (self._back if self.inverse else self._forth)()
        if not self.writer.plan.product:
            self._user_order()
        if self.passes.columns:
            self._columns()

    def _forth(self) -> None:
        writer, a = self.writer, self.inner
        block = writer.lowered(first(a, self.passes.legs))
        user = user_places(self.count, self.lanes)
        self._several("first", begin(writer, block, user), "on words at x; twiddles from the ring down.")
        self._vectors("end_turned", end(writer, writer.reduced(finish(a, a.last, a.m_out)), None))

    def _back(self) -> None:
        writer, a, user = self.writer, self.inner, inverse_places(user_places(self.count, self.lanes))
        self._vectors("begin_turned", begin(writer, writer.lowered(lift(a, a.m_in)), None))
        if a.over:
            block, n = writer.reduced(last(a, self.passes.legs)), writer.spec.n
            what = f"and division by {n}, to words at y; twiddles from the first of these levels on."
            self._several("last", end(writer, block, user), what)
        else:
            self._vectors("end", end(writer, writer.reduced(finish(a, a.last, a.m_out)), user))
            self._vectors("end_scaled", end(writer, writer.reduced(finish(a, a.reach, a.m_out, scaled=True)), user), TW)

    def _columns(self) -> None:
        writer, a = self.writer, self.inner
        if a.settles_between:
            self._vectors("settle", between(writer, writer.lowered(settle(a))))
        if writer.plan.rests:
            self._vectors("rest", end(writer, writer.reduced(finish(a, a.reach, a.resting)), None))
            self._vectors("resume", begin(writer, writer.lowered(lift(a, a.resting)), None))
        if any("copy" in (one.fetch, one.put) for one in self.passes.columns):
            self._copy()
        if not self.inverse and self.passes.columns[0].width > 1:
            self._ahead()

    def _vectors(self, name: str, ends: DigitBody, *table: Name) -> None:
        """The function ``name``(y, x, c, y_step, x_step, count): ``count`` vectors, so many words apart."""
        f = Function(name, (Y, X, C, Y_STEP, X_STEP, COUNT, *table), vector=True, copies="apart")
        f.add(*ends.constants(), *(ends.twiddle() if table else ()))
        self._each(f, ends.at(["x"], [X], [Y]))

    def _several(self, name: str, ends: DigitBody, doc: str) -> None:
        """The same with several legs, so many words apart, and one twiddle, the first of these levels that is not 1."""
        opened, inverse, legs = self.writer.plan.opened, self.inverse, self.passes.legs
        which, levels = "last" if inverse else "first", "two levels" if opened > 1 else "level"
        doc = f"The {which} {levels} of ``count`` butterflies of {legs} legs, {doc}"
        if opened > 1:
            doc += f" Of the twiddles all but the {'second' if inverse else 'last'} one are 1."
        f = Function(name, (Y, X, C, TW, Y_LEG, X_LEG, Y_STEP, X_STEP, COUNT), doc, vector=True, copies="apart")
        if opened > 1:
            f.step(TW, (1 if inverse else 2) * self.inner.shared_words)
        f.add(*ends.constants())
        twiddle = ends.twiddle()
        if not self.writer.plan.again:
            f.add(*twiddle)
        names, xs, ys = zip(*((f"x{i}", X + X_LEG * i, Y + Y_LEG * i) for i in range(legs)), strict=True)
        self._each(f, [*[Again(TW), *twiddle] * self.writer.plan.again, *ends.at(names, xs, ys)])

    def _each(self, f: Function, body: Sequence[Statement]) -> None:
        with f.each("i", COUNT):
            f.add(*body)
            f.step(X, X_STEP)
            f.step(Y, Y_STEP)
        self.writer.put(f)

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

    def _copy(self) -> None:
        f = Function("copy", (Y, X, Y_STEP, X_STEP, COUNT), "``count`` vectors, so many words apart.")
        with f.each("i", COUNT) as i:
            f.copy(Y + i * Y_STEP, X + i * X_STEP, self.writer.step)
        self.writer.put(f)

    def _ahead(self) -> None:
        step, legs = Name("step"), self.passes.legs
        doc = (
            f"Asks for {legs} rows of ``count`` words, ``step`` words apart, before they are read: the butterflies on"
            " those before them hide how long that takes."
        )
        f = Function("ahead", (X, step, COUNT), doc)
        with f.each("leg", legs) as leg, f.each("i", COUNT, step=self.writer.target.first.line // 8) as i:
            f.add(Prefetch(X + leg * step + i))
        self.writer.put(f)
