"""The verification of element-wise kernels: all pairs of edge numbers, all lengths, and results in place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

import numpy as np

from momagen.params.words import Words, from_words, to_words
from momagen.runtime.runner import Runner, RunnerPlan
from momagen.verify.oracle import blas
from momagen.verify.report import Tally
from momagen.verify.run import run
from momagen.verify.step import CheckStep
from momagen.verify.vectors import edge_residues, random_residues

LENGTHS = (*range(18), 31, 32, 33, 100)
"""Lengths around the number of lanes of any register, and the empty vector."""
MANY = 2000
FEW = ("0", "1", "q - 1", "random")
"""The values of scalars after the first, of which all edge numbers are tried."""

Scalars = tuple[int, ...]


class PointwiseTrial:
    """A build of an element-wise kernel with one modulus."""

    def __init__(self, compiled: Runner, q: int, tally: Tally, seed: int) -> None:
        self.compiled, self.spec, self.q, self.tally, self.seed = compiled, compiled.spec, q, tally, seed
        self.ranges, self.words = self.spec.ranges, self.spec.row
        self.edges = {name: self._edges(name) for name in self.ranges.operands}

    def _edges(self, operand: str) -> dict[str, int]:
        """Return the edge numbers of an operand, by name."""
        return edge_residues(self.q, self._top(operand), self.spec.arith.word)

    def _top(self, operand: str) -> int:
        """Return the number above the range of an operand."""
        return self.ranges.top(self.ranges.operands[operand], self.q)

    @cached_property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus."""
        return self.compiled.plan(self.q, 0)

    @cached_property
    def scalars(self) -> dict[str, Scalars]:
        """The scalars with which the kernel is tried, by name; one empty choice if it has none."""
        found: list[dict[str, int]] = []
        for at, operand in enumerate(self.ranges.scalars):
            drawn = from_words(random_residues(2, self._top(operand), self.words, (self.seed, 3, at)))
            named = {**self.edges[operand], "random": drawn[0], "another random one": drawn[1]}
            chosen = {name: value for name, value in named.items() if not at or name in FEW}
            found.append({f"{operand} = {name}, ": value for name, value in chosen.items()})
        rows = product(*(row.items() for row in found))
        return {"".join(name for name, _ in row): tuple(value for _, value in row) for row in rows}

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps of the verification."""
        yield CheckStep("edge residues", self.pairs)
        yield CheckStep("random residues", self.random)
        yield CheckStep("lengths", self.lengths)
        yield CheckStep("in place", self.in_place)

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.pairs()
        self.random()

    def pairs(self) -> None:
        """Check every edge number of one vector with every edge number of the other."""
        values = [to_words(self.edges[name].values(), self.words) for name in self.ranges.vectors]
        grid = np.meshgrid(*(np.arange(len(rows)) for rows in values), indexing="ij")
        vectors = [rows[index.ravel()] for rows, index in zip(values, grid, strict=True)]
        for name, scalars in self.scalars.items():
            for edge in self.edges["x"]:
                self.tally.enter(edge, self.q, edge=True)
            self._against_definition(f"{name}edge residues", scalars, vectors)

    def random(self) -> None:
        """Check random residues."""
        vectors = self._random(min(MANY, 16 * MANY // len(self.scalars)))
        for name, scalars in self.scalars.items():
            self.tally.enter("random", self.q, edge=False, count=len(vectors))
            self._against_definition(f"{name}random residues", scalars, vectors)

    def lengths(self) -> None:
        """Check lengths that do not fill registers."""
        for count in LENGTHS:
            vectors = self._random(count, count)
            self.tally.enter("length 0" if count == 0 else "length", self.q, edge=count == 0, count=len(vectors))
            self._against_definition(f"{count} random residues", self._last, vectors)

    def in_place(self) -> None:
        """Check results that overwrite each vector, and all vectors if they are the same."""
        vectors, one = self._random(100), self._random(100)[:1]
        first = len(self.ranges.scalars)
        cases = [(vectors, (i,)) for i in range(len(vectors))] + [(one * len(vectors), tuple(range(len(vectors))))]
        for given, over in cases:
            name = f"z is {' and '.join(self.ranges.vectors[i] for i in over)}"
            got = self._run(self._last, given, name, over=tuple(first + i for i in over))
            self.tally.compare_words("in place", name, self.q, got, self._run(self._last, given, name))

    @property
    def _last(self) -> Scalars:
        """The last choice of scalars."""
        return list(self.scalars.values())[-1]

    def _random(self, count: int, *more: int) -> list[Words]:
        """Return random vectors of ``count`` elements."""
        names = enumerate(self.ranges.vectors, 1)
        return [random_residues(count, self._top(name), self.words, (self.seed, i, *more)) for i, name in names]

    def _against_definition(self, name: str, scalars: Scalars, vectors: list[Words]) -> None:
        """Compare the result of the kernel with the definition."""
        got = from_words(self._run(scalars, vectors, name))
        right = blas(self.spec, scalars, vectors, self.q)
        self.tally.compare("definition", name, self.q, got, right, range(len(right)), self.ranges.output)

    def _run(self, scalars: Scalars, vectors: list[Words], name: str, over: tuple[int, ...] = ()) -> Words:
        """Return the result of the kernel."""
        count, numbers = len(vectors[0]), [to_words([value], self.words) for value in scalars]
        return run(self.plan, (*numbers, *vectors), count, count, name, over=over)
