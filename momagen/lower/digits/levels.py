"""The levels of a transform in tiles on vectors that the first cache holds: loops of butterflies.

The level ``half`` has blocks of 2 half vectors, and butterflies of two that are ``half`` vectors apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.butterflies.levels import cooley_tukey, gentleman_sande
from momagen.lower.names import C
from momagen.lower.nest import LegWalk, Nest
from momagen.program import Again, Expr, Function, Name, Number, Type, Woven, choice, least
from momagen.program.statements import Body

from .bodies import TW, DigitBody, butterfly
from .writer import TileWriter

OUT, OUT_STEP = Name("out", Type.WORDS), Name("out_step")
SOURCE, SOURCE_STEP = Name("source", Type.INPUT), Name("source_step")
S, ROWS, FIRST, LEAST = Name("s", Type.WORDS), Name("rows"), Name("first"), Name("least")
DOES = (
    "on all blocks of the ``rows`` vectors: those at ``source`` come to ``out``, each so many words apart, through s."
    " Returns the table's end."
)
PLACES = (OUT, OUT_STEP, SOURCE, SOURCE_STEP, S, C, TW)


class Levels:
    """Writes the functions of levels with broadcast constants ("shared"), or with per-lane ones ("apart").

    Attributes:
        entry: words of a constant. opens: sums are settled at the end of all alone.
    """

    def __init__(self, writer: TileWriter, name: str, *, opens: bool = False) -> None:
        a = writer.inner
        self.writer, self.name, self.opens = writer, name, opens
        self.shared, self.inverse, self.step = name == "shared", writer.spec.inverse, writer.step
        self.entry = a.shared_words if self.shared else a.apart_words * writer.target.lanes
        self.anew = writer.plan.again and (self.shared or not a.packed)

    def write(self) -> None:
        """The function ``name`` for levels from ``first`` down to 1; in the inverse from 1 up to it."""
        if self.opens:
            self.writer.put(self._run(self.name, self._butterfly(settles=False)))
        elif self.writer.inner.pace > 1:
            self.writer.put(self._run(f"{self.name}_open", self._butterfly(settles=False), LEAST))
            self.writer.put(self._run(f"{self.name}_settled", self._butterfly(), LEAST))
            self.writer.put(self._paced())
        else:
            self.writer.put(self._run(self.name, self._butterfly()))

    def _butterfly(self, settles: bool = True) -> DigitBody:
        a, writer = self.writer.inner, self.writer
        block = gentleman_sande(a, self.shared, settles) if self.inverse else cooley_tukey(a, self.shared)
        return butterfly(writer, writer.lowered(block), self.shared)

    def _run(self, name: str, one: DigitBody, *bound: Name) -> Function:
        """Level after level, on the way back from the one that is bound."""
        begin = "least" if bound else "1"
        doc = f"Levels from half = {f'{begin} up to first' if self.inverse else 'first down to 1'}, {DOES}"
        f = Function(name, (*PLACES, ROWS, FIRST, *bound), doc, Type.INPUT, vector=True, copies="apart")
        f.add(*one.constants())
        half = f.variable("half", (bound[0] if bound else 1) if self.inverse else FIRST)
        with f.while_(half <= FIRST if self.inverse else half):
            to, to_step = self.goal(f, half.is_(FIRST if self.inverse else 1))
            if self.writer.plan.paired:
                with f.if_(half.is_(1)) as near:
                    self._neighbours(f, one, to, to_step)
                with f.otherwise(near):
                    self.level(f, one, half, to, to_step)
            else:
                self.level(f, one, half, to, to_step)
            f.set(half, half * 2 if self.inverse else half // 2)
            self.come_from_s(f)
        f.give(TW)
        return f

    def come_from_s(self, f: Function) -> None:
        """What comes next is in s."""
        f.set(SOURCE, S)
        f.set(SOURCE_STEP, self.step)

    def goal(self, f: Function, last: Expr) -> tuple[Expr, Expr]:
        """Where results of a level go, and their distance."""
        return f.let("to", choice(last, OUT, S)), f.let("to_step", choice(last, OUT_STEP, self.step))

    def walks(self, half: Expr, to: Expr, to_step: Expr, legs: str = "xy") -> list[LegWalk]:
        """From where vectors come, to where they go, with legs ``half`` vectors apart."""

        def walk(names: str, start: Expr, step: Expr) -> LegWalk:
            return LegWalk([Name(leg, start.type) for leg in names], start, half * step, step, step)

        return [walk(legs, SOURCE, SOURCE_STEP), walk(legs.upper(), to, to_step)]

    def level(self, f: Function, one: DigitBody, half: Expr, to: Expr, to_step: Expr) -> None:
        """One level: all blocks, each with one twiddle; where they are paired, a butterfly and the next one in
        turns."""
        walks, together = self.walks(half, to, to_step), 1 + self.writer.plan.paired
        both = [_at(one if turn == 0 else one.other(), walks, turn) for turn in range(together)]
        body = [Woven(both)] if together > 1 else both[0]
        twiddle = one.twiddle(TW)
        nest = Nest(walks, ROWS, half, [(TW, self.entry)], half * 2, together)
        nest.write(f, [] if self.anew else twiddle, [*[Again(TW), *twiddle] * self.anew, *body])

    def _neighbours(self, f: Function, one: DigitBody, to: Expr, to_step: Expr) -> None:
        """The level of adjacent vectors: a twiddle for each butterfly, two butterflies interleaved."""
        walks = self.walks(Number(1), to, to_step, "x")
        for walk in walks:
            walk.begin(f, Number(0))
        second = one.other(turned=True)
        with f.each("i", ROWS, step=4):
            next_ = f.let("tw2", TW + self.entry)
            f.add(*one.twiddle(TW), *second.twiddle(next_), Woven([_at(one, walks), _at(second, walks, 2)]))
            f.step(TW, 2 * self.entry)
            for walk in walks:
                f.step(walk.names[0], walk.step * 4)

    def _paced(self) -> Function:
        """Levels of the inverse, some of which normalise the carries of their sums."""
        pace, call = self.writer.inner.pace, self.writer.call
        doc = f"Levels from half = 1 up to first: sums propagate their carries every {pace} levels and at the last."
        f = Function(self.name, (*PLACES, ROWS, FIRST), doc, Type.INPUT)
        half = f.variable("half", 1)
        with f.while_(half <= FIRST):
            top = f.let("top", least(half << pace - 1, FIRST))
            with f.if_(half < top):
                f.set(TW, call(f"{self.name}_open", S, self.step, SOURCE, SOURCE_STEP, S, C, TW, ROWS, top // 2, half))
                self.come_from_s(f)
            to = (choice(top.is_(FIRST), OUT, S), choice(top.is_(FIRST), OUT_STEP, self.step))
            f.set(TW, call(f"{self.name}_settled", *to, SOURCE, SOURCE_STEP, S, C, TW, ROWS, top, top))
            f.set(half, half << pace)
            self.come_from_s(f)
        f.give(TW)
        return f


def _at(one: DigitBody, walks: Sequence[LegWalk], turn: int = 0) -> Body:
    """A butterfly from one walk to the other, ``turn`` vectors on."""
    return one.at("xy" if turn == 0 else "zw", *(walk.legs(2, turn) for walk in walks))
