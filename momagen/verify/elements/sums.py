"""The verification of inner products: all pairs of edge numbers, all lengths, and the longest sums."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from momagen.params.words import Words, from_words, to_words
from momagen.verify.oracle import blas
from momagen.verify.run import run
from momagen.verify.step import CheckStep

from .pointwise import LENGTHS, MANY, PointwiseTrial


class SumTrial(PointwiseTrial):
    """A build with one modulus of a kernel whose result is one number."""

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps of the verification."""
        yield CheckStep("edge residues", self.pairs)
        yield CheckStep("random residues", self.random)
        yield CheckStep("lengths", self.lengths)

    def pairs(self) -> None:
        """Check one sum over all pairs of edge numbers, and sums of the same edge number many times."""
        rows = [
            to_words(column, self.words)
            for column in zip(*product(*(e.values() for e in self.edges.values())), strict=True)
        ]
        self.tally.enter("all edges", self.q, edge=True)
        self._against_definition("all edges", (), rows)
        for name, value in self.edges["x"].items():
            self.tally.enter(name, self.q, edge=True)
            vectors = [to_words([value] * MANY, self.words)] * 2
            self._against_definition(f"{MANY} times {name}", (), vectors)

    def random(self) -> None:
        """Check random residues."""
        self.tally.enter("random", self.q, edge=False)
        self._against_definition("random residues", (), self._random(MANY))

    def lengths(self) -> None:
        """Check lengths that do not fill registers."""
        for count in LENGTHS:
            self.tally.enter("length 0" if count == 0 else "length", self.q, edge=count == 0)
            self._against_definition(f"{count} random residues", (), self._random(count, count))

    def _against_definition(self, name: str, scalars: tuple[int, ...], vectors: list[Words]) -> None:
        got = from_words(run(self.plan, tuple(vectors), 1, len(vectors[0]), name))
        right = [sum(blas(self.spec, scalars, vectors, self.q)) % self.q]
        self.tally.compare("definition", name, self.q, got, right, [0])
