"""The loop nest of one pass: over blocks, which have twiddles of their own, and over the vectors of a leg."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from momagen.program import Expr, Function, Name, Statement
from momagen.program.expressions import Operand


@dataclass(frozen=True)
class LegWalk:
    """Butterflies of one block after another, from ``start`` on.

    Attributes:
        names: pointers to all legs, or to the first one where they are many. leg: words from one leg to the next.
        step: from one vector of a leg to the next. block: for every block that their loop counts.
    """

    names: Sequence[Name]
    start: Expr
    leg: Expr
    step: Operand
    block: Operand

    def legs(self, radix: int, vector: int = 0) -> list[Expr]:
        """Where the legs of a butterfly stand, ``vector`` vectors on."""
        first = self.names[0]
        found = self.names if len(self.names) == radix else [first, *(first + self.leg * i for i in range(1, radix))]
        return [at + self.step * vector for at in found] if vector else [*found]

    def begin(self, f: Function, at: Expr) -> None:
        """Append the pointers to the vectors of block ``at``."""
        place = self.start + at * self.block
        for name in self.names:
            f.variable(name.text, place)
            place = name + self.leg


@dataclass(frozen=True)
class Nest:
    """Butterflies from one walk to the other.

    Attributes:
        blocks, each: the limit and the step of the loop over blocks. inner: vectors of a leg, so many ``together``.
        tables: pointers to twiddles, and the words of those of one block.
    """

    walks: Sequence[LegWalk]
    blocks: Operand
    inner: Operand
    tables: Sequence[tuple[Name, Operand]]
    each: Operand = 1
    together: int = 1

    def write(self, f: Function, before: Sequence[Statement], body: Sequence[Statement]) -> None:
        """Append the loops: ``before`` stands in front of the inner one, ``body`` in it."""
        with f.each("at", self.blocks, step=self.each) as at:
            for walk in self.walks:
                walk.begin(f, at)
            f.add(*before)
            with f.each("i", self.inner, step=self.together):
                f.add(*body)
                for walk in self.walks:
                    for name in walk.names:
                        f.step(name, walk.step * self.together)
            for table, words in self.tables:
                f.step(table, words)
