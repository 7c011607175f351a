"""The verification of number theoretic transforms by their definition, their inverse, and the convolution theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial

import numpy as np

from momagen.params.words import Words, from_words
from momagen.runtime.runner import Runner, RunnerPlan

from .defined import RANDOM, DefinedTrial
from .effort import Effort
from .oracle import pointwise
from .products.coefficients import some_of_product
from .report import Tally
from .run import run
from .step import CheckStep
from .vectors import random_residues, repeated, sparse_residues

ROUND_TRIP = ("inverse∘forward", "forward∘inverse")


class TransformTrial(DefinedTrial):
    """A build of a transform with one modulus and root.

    Args:
        compiled: The build.
        q: The modulus.
        root: The root of unity.
        tally: The counts of compared values.
        seed: The seed of the random values.
        twin: A function that returns the build of the inverse direction, which is not called if all outputs are
            compared with the definition.
    """

    def __init__(
        self, compiled: Runner, q: int, root: int, tally: Tally, seed: int, twin: Callable[[], Runner]
    ) -> None:
        super().__init__(compiled, q, root, tally, seed)
        self.twin = twin
        self.effort = Effort(self.spec.n, self.words, bool(compiled.missing), self.spec.columns)

    @cached_property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus and the root."""
        return self._planned(self.compiled)

    @property
    def power(self) -> int:
        """The number that x^n equals, up to its sign, in the ring of the transform."""
        return pow(self.spec.coset, self.spec.n, self.q) if self.spec.coset else 1

    @cached_property
    def back(self) -> RunnerPlan:
        """The plan of the other direction."""
        return self._planned(self.twin())

    def _planned(self, runner: Runner) -> RunnerPlan:
        """Return the plan of a build for the root, or for its power that the build's automorphism requires."""
        return runner.plan(self.q, runner.spec.told(self.root, self.q))

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps that this size allows, for the kernel's own modulus."""
        yield CheckStep(RANDOM, lambda: self.random(self.effort.batch))
        for name in list(self.edges())[: self.effort.vectors]:
            yield CheckStep(name, partial(self.edge, name))
        if not self.effort.complete:
            yield CheckStep("convolution theorem", self.convolution)

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.random(1)
        if self.effort.thorough:
            self.edge(next(iter(self.edges())))

    def edge(self, name: str) -> None:
        """Check the edge vector ``name``."""
        self.tally.enter(name, self.q, edge=True)
        self._compare(name, self.edges()[name](), back=self.effort.thorough)

    def random(self, count: int) -> None:
        """Check a batch of random vectors."""
        self.tally.enter(RANDOM, self.q, edge=False, count=count)
        self._compare(RANDOM, self.drawn(count * self.n, 0), back=True, more=count > 1)

    def _compare(self, name: str, x: Words, *, back: bool, more: bool = False) -> None:
        """Compare a batch of vectors with the definition (the first one at more indices), in place, and back."""
        y = self._run(self.plan, x, name)
        for start in range(0, len(x), self.n):
            indices = self.effort.outputs(self.seed, more=more and start == 0)
            right = self.spec.kind.define(self.spec, self.q, self.root, [x[start : start + self.n]], indices)
            got = from_words(y[start:][indices])
            self.tally.compare("definition", name, self.q, got, right, indices, self.ranges.output)
        if self.effort.thorough:
            self.tally.compare_words("in place", name, self.q, self._run(self.plan, x, name, over=(0,)), y)
        if back and not self.effort.complete:
            self._compare_back(name, self._run(self.back, y, name), self._lifted(x))

    @property
    def _factor(self) -> int:
        """The factor of the transform followed by its inverse: 1, or Montgomery's factor."""
        return pow(2, self.spec.depth - self.spec.divisor_bits, self.q)

    def _lifted(self, x: Words) -> Words:
        """Return x times that factor."""
        if self._factor == 1:
            return x
        return pointwise(x, repeated([self._factor], len(x), self.words), self.q)

    def _compare_back(self, name: str, z: Words, x: Words) -> None:
        """Compare the vectors that were transformed back with the original ones, in their range."""
        method, factor = ROUND_TRIP[self.spec.inverse], self.ranges.input
        if factor == 1:
            self.tally.compare_words(method, name, self.q, z, x)
        else:
            self.tally.compare(method, name, self.q, from_words(z), from_words(x), range(len(x)), factor)

    def convolution(self) -> None:
        """Check the convolution theorem.

        The inverse transform of a product of transforms must be the product of the polynomials, column by column.
        """
        forward, inverse = (self.back, self.plan) if self.spec.inverse else (self.plan, self.back)
        make, name = (random_residues if self.effort.product else sparse_residues), "random, random"
        m, columns = self.spec.columns, self.effort.some_columns(self.seed, more=True)
        x = random_residues(self.n, self.q, self.words, (self.seed, 1))
        y = np.zeros_like(x)
        for column in columns:
            y[column::m] = make(self.spec.n, self.q, self.words, (self.seed, 2, column))
        self.tally.enter(name, self.q, edge=False, count=2)
        spectrum = pointwise(self._run(forward, x, name), self._run(forward, y, name), self.q)
        z = self._run(inverse, spectrum, name)
        factor = self.ranges.output if self.spec.inverse else self.ranges.input
        for column in columns:
            one = x[column::m], y[column::m]
            rows, right = some_of_product(*one, self.q, self.spec.negacyclic, self.effort, self.seed, self.power)
            indices = [row * m + column for row in rows]
            right = [value * self._factor % self.q for value in right]
            self.tally.compare("convolution theorem", name, self.q, from_words(z[indices]), right, indices, factor)

    def _run(self, plan: RunnerPlan, x: Words, name: str, over: tuple[int, ...] = ()) -> Words:
        """Return the result of a plan."""
        return run(plan, (x,), len(x), len(x) // self.n, name, over=over)
