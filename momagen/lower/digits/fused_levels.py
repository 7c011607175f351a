"""Two levels of a transform in tiles at once, if registers hold four residues and three twiddles."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Value
from momagen.lower.nest import LegWalk, Nest
from momagen.program import Expr, Function, Let, Load, Name, Number, Run, Store, Type, Woven
from momagen.program.statements import Body

from .bodies import TW, DigitBody
from .levels import DOES, FIRST, PLACES, ROWS, Levels
from .writer import TileWriter

EVEN = Number(0x5555555555555555)
"""The powers of 4: levels from one of them down to 1 are odd in number."""
Pairs = tuple[tuple[int, int], tuple[int, int]]
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
        walks = self.walks(near, *self.goal(f, last), "xyzw")
        later = f.variable("tw2", TW + ROWS // (near * (2 if self.inverse else 4)) * self.entry)
        above, below = (later, TW) if self.inverse else (TW, later)
        beside = Name("tw3", TW.type)
        far, close, other = (one.other(turned=True) for _ in range(3))
        ways = [(FAR, (far, far)), (NEAR, (close, other))]
        loads = [*far.twiddle(above), *close.twiddle(below), *other.twiddle(beside)]
        body = _four(one, ways[::-1] if self.inverse else ways, walks)
        nest = Nest(walks, ROWS, near, [(below, 2 * self.entry), (above, self.entry)], near * 4)
        nest.write(f, [Let(beside, below + self.entry), *loads], body)
        f.set(TW, later)


def _four(
    one: DigitBody, ways: Sequence[tuple[Pairs, Sequence[DigitBody]]], walks: Sequence[LegWalk]
) -> Body:  # fmt: skip
    """Four butterflies, two interleaved at each level."""
    legs: list[list[Value]] = [one.other().body.loads[0] for _ in range(4)]
    found: Body = [Load(name, leg, at) for name, leg, at in zip("xyzw", legs, walks[0].legs(4), strict=True)]
    for pairs, twiddles in ways:
        both = [one.other(legs=[legs[a], legs[b]], of=of) for (a, b), of in zip(pairs, twiddles, strict=True)]
        found.append(Woven([[Run(each.body.block)] for each in both]))
        for pair, each in zip(pairs, both, strict=True):
            for at, row in zip(pair, each.body.stores, strict=True):
                legs[at] = row
    return [*found, *(Store(leg, goal) for leg, goal in zip(legs, walks[1].legs(4), strict=True))]
