"""The verification of low-degree extensions against their definition, on edge vectors and random vectors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

from momagen.params.words import Words, from_words
from momagen.runtime.runner import Runner, RunnerPlan
from momagen.verify.effort import Effort
from momagen.verify.report import Tally
from momagen.verify.run import run
from momagen.verify.step import CheckStep
from momagen.verify.vectors import Vector, edge_vectors, random_residues

from .definition import ExtensionDefinition

RANDOM = "random"


class ExtensionTrial:
    """A build of a low-degree extension with one modulus and root."""

    def __init__(self, compiled: Runner, q: int, root: int, tally: Tally, seed: int) -> None:
        self.spec, self.q, self.root, self.tally, self.seed = compiled.spec, q, root, tally, seed
        self.compiled, self.words, self.ranges = compiled, compiled.spec.row, compiled.spec.ranges
        self.effort = Effort(
            self.spec.n * self.spec.blowup, self.words, bool(compiled.missing), columns=self.spec.columns
        )
        self.definition = ExtensionDefinition(self.spec, q, root)

    @cached_property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus and the root."""
        return self.compiled.plan(self.q, self.root)

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps that this size allows, for the kernel's own modulus."""
        yield CheckStep(RANDOM, lambda: self.random(3))
        for name in list(self._edges())[: self.effort.vectors]:
            yield CheckStep(name, partial(self.edge, name))

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.random(1)

    def random(self, count: int) -> None:
        """Check a batch of random vectors."""
        self.tally.enter(RANDOM, self.q, edge=False, count=count)
        top = self.ranges.input * self.q
        self._compare(RANDOM, random_residues(count * self.spec.elements, top, self.words, (self.seed, 0)))

    def edge(self, name: str) -> None:
        """Check the edge vector ``name``."""
        self.tally.enter(name, self.q, edge=True)
        self._compare(name, self._edges()[name]())

    def _edges(self) -> dict[str, Vector]:
        """Return functions that return the edge vectors, by name."""
        return edge_vectors(self.spec.elements, self.q, self.words, self.ranges.input, self.spec.arith.word)

    def _compare(self, name: str, x: Words) -> None:
        """Compare a batch of vectors with the definition, at as many indices as time allows."""
        count, size, gives = len(x) // self.spec.elements, self.spec.elements, self.spec.results
        y, indices = run(self.plan, (x,), count * gives, count, name), self.effort.outputs(self.seed)
        for at in range(count):
            right = self.definition.outputs(x[at * size : (at + 1) * size], indices)
            got = from_words(y[at * gives :][indices])
            self.tally.compare("definition", name, self.q, got, right, indices, self.ranges.output)
