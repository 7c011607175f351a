"""Two levels of a transform in tiles at once, where registers hold four residues and three twiddles."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Value
from momagen.program import Expr, Function, Load, Name, Number, Run, Store, Type, Woven

from .bodies import TW, DigitBody
from .levels import DOES, FIRST, PLACES, ROWS, SOURCE, SOURCE_STEP, Levels, on
from .writer import TileWriter

EVEN = Number(0x5555555555555555)
"""The powers of 4: from one of them down to 1, levels are odd in number."""
FAR, NEAR = ((0, 2), (1, 3)), ((0, 1), (2, 3))
"""Of four vectors, those of the butterflies of a level and of the level below."""


class FusedLevels(Levels):
    """Writes levels two at once; where their number is odd, one goes alone.

    Of a block of four vectors, or of four times as many, the level above has one twiddle for both butterflies, the
    level below two.
    """

    def __init__(self, writer: TileWriter, name: str, runs: Sequence[tuple[int, int]] = ()) -> None:
        """``runs``: rows and first levels that have a function each, ``name``_rows_first."""
        super().__init__(writer, name)
        self.runs = runs

    def write(self) -> None:
        self.writer.put(self._fused())
        for rows, first in self.runs:
            order = f"1 up to {first}" if self.inverse else f"{first} down to 1"
            doc = f"The same of {rows} vectors from half = {order}: compilers unroll it."
            f = Function(f"{self.name}_{rows}_{first}", PLACES, doc, Type.INPUT, vector=True, copies="once")
            f.give(self.writer.call(self.name, *PLACES, rows, first))
            self.writer.put(f)

    def _fused(self) -> Function:
        order, lone = ("1 up to first", "last") if self.inverse else ("first down to 1", "first")
        doc = f"Levels from half = {order}, two at once and where their number is odd the {lone} alone, {DOES}"
        copies, one = "inline" if self.runs else "apart", self._butterfly()
        f = Function(self.name, (*PLACES, ROWS, FIRST), doc, Type.INPUT, vector=True, copies=copies)
        f.add(*one.constants())
        half = f.variable("half", 1 if self.inverse else FIRST)
        if self.inverse:
            with f.while_(half < FIRST):
                self._both(f, one, half, (half * 2).is_(FIRST))
                f.set(half, half * 4)
                self.come_from_s(f)
            with f.if_(half.is_(FIRST)):
                self.level(f, one, half, *self.goal(f, half.is_(FIRST)))
        else:
            with f.if_(FIRST & EVEN):
                self.level(f, one, half, *self.goal(f, half.is_(1)))
                f.set(half, half // 2)
                self.come_from_s(f)
            with f.while_(half):
                quarter = f.let("quarter", half // 2)
                self._both(f, one, quarter, quarter.is_(1))
                f.set(half, half // 4)
                self.come_from_s(f)
        f.give(TW)
        return f

    def _both(self, f: Function, one: DigitBody, near: Expr, last: Expr) -> None:
        """The level of butterflies ``near`` vectors apart, and the one above it, in the order of the way."""
        to, to_step = self.goal(f, last)
        blocks = ROWS // (near * (2 if self.inverse else 4))
        later = f.variable("tw3" if self.inverse else "tw2", TW + blocks * self.entry)
        above, below = (later, TW) if self.inverse else (TW, later)
        with f.each("at", ROWS, step=near * 4) as at:
            beside = f.let("tw2" if self.inverse else "tw3", below + self.entry)
            sources = self.legs(f, "xyzw", SOURCE + at * SOURCE_STEP, near, SOURCE_STEP)
            goals = self.legs(f, "XYZW", to + at * to_step, near, to_step)
            tables = (below, beside, above) if self.inverse else (above, below, beside)
            turned = [one.other(turned=True) for _ in tables]
            for twiddle, table in zip(turned, tables, strict=True):
                f.add(*twiddle.twiddle(table))
            with f.each("i", near):
                self._four(f, one, turned, sources, goals)
                on(f, sources, SOURCE_STEP)
                on(f, goals, to_step)
            f.step(below, 2 * self.entry)
            f.step(above, self.entry)
        f.set(TW, later)

    def _four(
        self, f: Function, one: DigitBody, turned: Sequence[DigitBody], sources: Sequence[Name], goals: Sequence[Name]
    ) -> None:
        """Four butterflies, those of a level in turns."""
        legs: list[list[Value]] = [one.other().body.loads[0] for _ in sources]
        for pointer, leg in zip(sources, legs, strict=True):
            f.add(Load(pointer.text, leg, pointer))
        near, beside, far = turned if self.inverse else (*turned[1:], turned[0])
        ways = [(FAR, (far, far)), (NEAR, (near, beside))]
        for pairs, twiddles in reversed(ways) if self.inverse else ways:
            both = [
                one.other(legs=[legs[a], legs[b]], of=of) for (a, b), of in zip(pairs, twiddles, strict=True)
            ]  # fmt: skip
            f.add(Woven([[Run(each.body.block)] for each in both]))
            for pair, each in zip(pairs, both, strict=True):
                for at, row in zip(pair, each.body.stores, strict=True):
                    legs[at] = row
        f.add(*(Store(leg, pointer) for leg, pointer in zip(legs, goals, strict=True)))
