"""BLAS kernels against their definition: every edge residue with every other, any length, any overlap."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from momagen.build.call import Compiled, Plan
from momagen.params.words import Words, from_words, to_words

from .oracle import blas
from .report import Tally
from .run import run
from .step import Step
from .vectors import edge_residues, random_residues

LENGTHS = (*range(18), 31, 32, 33, 100)
"""Around the lanes of any register, and the empty vector."""
MANY = 2000


class PointwiseTrial:
    """One modulus on one build of vadd, vsub, vmul or axpy."""

    def __init__(self, compiled: Compiled, q: int, tally: Tally, seed: int) -> None:
        self.compiled, self.kind, self.q, self.tally, self.seed = compiled, compiled.spec.kind, q, tally, seed
        self.words = compiled.spec.arith.words
        self.edges = edge_residues(q, self.words)

    @cached_property
    def plan(self) -> Plan:
        return self.compiled.plan(self.q, 0)

    @cached_property
    def scalars(self) -> dict[str, int]:
        """The factors a that axpy is tried with, by name; the other kernels have none."""
        if self.kind != "axpy":
            return {"": 0}
        drawn = from_words(random_residues(2, self.q, self.words, (self.seed, 3)))
        named = {**self.edges, "a random one": drawn[0], "another random one": drawn[1]}
        return {f"a = {name}, ": value for name, value in named.items()}

    def steps(self) -> Iterator[Step]:
        yield Step("edge residues", self.pairs)
        yield Step("random residues", self.random)
        yield Step("lengths", self.lengths)
        yield Step("in place", self.in_place)

    def brief(self) -> None:
        """The least, for any other modulus."""
        self.pairs()
        self.random()

    def pairs(self) -> None:
        """Every edge residue with every other one."""
        values = to_words(self.edges.values(), self.words)
        x, y = np.repeat(values, len(values), axis=0), np.tile(values, (len(values), 1))
        for name, a in self.scalars.items():
            for edge in self.edges:
                self.tally.enter(edge, self.q, edge=True)
            self._against_definition(f"{name}edge residues", a, x, y)

    def random(self) -> None:
        """Random residues."""
        x, y = (random_residues(MANY, self.q, self.words, (self.seed, i)) for i in (1, 2))
        for name, a in self.scalars.items():
            self.tally.enter("random", self.q, edge=False, count=2)
            self._against_definition(f"{name}random residues", a, x, y)

    def lengths(self) -> None:
        """Lengths that fill no register."""
        a = list(self.scalars.values())[-1]
        for count in LENGTHS:
            x, y = (random_residues(count, self.q, self.words, (self.seed, i, count)) for i in (1, 2))
            self.tally.enter("length 0" if count == 0 else "length", self.q, edge=count == 0, count=2)
            self._against_definition(f"{count} random residues", a, x, y)

    def in_place(self) -> None:
        """The result over x, over y, and over both where they are one."""
        a = list(self.scalars.values())[-1]
        x, y = (random_residues(100, self.q, self.words, (self.seed, i)) for i in (1, 2))
        first = len(self._inputs(a, x, y)) - 2
        for name, pair, over in (("z is x", (x, y), (0,)), ("z is y", (x, y), (1,)), ("z is x and y", (x, x), (0, 1))):
            got = self._run(a, *pair, name, over=tuple(first + i for i in over))
            self.tally.compare_words("in place", name, self.q, got, self._run(a, *pair, name))

    def _against_definition(self, name: str, a: int, x: Words, y: Words) -> None:
        got = from_words(self._run(a, x, y, name))
        self.tally.compare("definition", name, self.q, got, blas(self.kind, a, x, y, self.q), range(len(x)))

    def _run(self, a: int, x: Words, y: Words, name: str, over: tuple[int, ...] = ()) -> Words:
        return run(self.plan, self._inputs(a, x, y), len(x), len(x), name, over=over)

    def _inputs(self, a: int, x: Words, y: Words) -> tuple[Words, ...]:
        return (to_words([a], self.words), x, y) if self.kind == "axpy" else (x, y)
