"""Low-degree extensions against their definition: Lagrange's interpolation of what comes in, at points of the coset.

p(z) = (z^n - 1)/n · Σ x_i ω^i/(z - ω^i) for the polynomial p of degree below n with p(ω^i) = x_i, z none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

import gmpy2

from momagen.build.runner import Runner, RunnerPlan
from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words, from_words

from .effort import Effort
from .oracle import bit_reversed
from .report import Tally
from .run import run
from .step import CheckStep
from .vectors import Vector, edge_vectors, random_residues

RANDOM = "random"


class ExtensionDefinition:
    """The extension that ``spec`` asks for, modulo the prime ``q``; ``root``: of all points."""

    def __init__(self, spec: Spec, q: int, root: int) -> None:
        self.spec, self.q, self.root = spec, q, root

    @cached_property
    def _given(self) -> list[int]:
        """The points of what comes in, in its order."""
        n, w = self.spec.n, gmpy2.powmod(self.root, self.spec.blowup, self.q)
        order = bit_reversed(n).tolist() if self.spec.input_order == "bitrev" else range(n)
        return [int(gmpy2.powmod(w, i, self.q)) for i in order]

    def points(self, rows: Sequence[int]) -> list[int]:
        """Those of what comes out, at these rows."""
        if self.spec.order == "bitrev":
            rows = bit_reversed(self.spec.n * self.spec.blowup)[[*rows]].tolist()
        return [int(self.spec.coset * gmpy2.powmod(self.root, row, self.q) % self.q) for row in rows]

    def outputs(self, x: Words, indices: Sequence[int]) -> list[int]:
        """The right results at ``indices`` for the input ``x``, where (row i, column j) is i·columns + j."""
        m = self.spec.columns
        columns = {j: from_words(x[j::m]) for j in {at % m for at in indices}}
        points = self.points([at // m for at in indices])
        return [self._value(columns[at % m], z) for at, z in zip(indices, points, strict=True)]

    def _value(self, values: Sequence[int], z: int) -> int:
        q, given = self.q, self._given
        if z in given:
            return int(values[given.index(z)]) % q
        terms = (v * w * gmpy2.invert(z - w, q) % q for v, w in zip(values, given, strict=True) if v)
        return int((gmpy2.powmod(z, len(given), q) - 1) * gmpy2.invert(len(given), q) * sum(terms) % q)


class ExtensionTrial:
    """One modulus and root on one build of a low-degree extension."""

    def __init__(self, compiled: Runner, q: int, root: int, tally: Tally, seed: int) -> None:
        self.spec, self.q, self.root, self.tally, self.seed = compiled.spec, q, root, tally, seed
        self.compiled, self.words, self.ranges = compiled, compiled.spec.row, compiled.spec.ranges
        self.effort = Effort(
            self.spec.n * self.spec.blowup, self.words, bool(compiled.missing), columns=self.spec.columns
        )
        self.definition = ExtensionDefinition(self.spec, q, root)

    @cached_property
    def plan(self) -> RunnerPlan:
        return self.compiled.plan(self.q, self.root)

    def steps(self) -> Iterator[CheckStep]:
        """All that this size affords, for the modulus that the kernel was asked for."""
        yield CheckStep(RANDOM, lambda: self.random(3))
        for name in list(self._edges())[: self.effort.vectors]:
            yield CheckStep(name, partial(self.edge, name))

    def brief(self) -> None:
        """The least, for any other modulus."""
        self.random(1)

    def random(self, count: int) -> None:
        """A batch of random vectors."""
        self.tally.enter(RANDOM, self.q, edge=False, count=count)
        top = self.ranges.input * self.q
        self._compare(RANDOM, random_residues(count * self.spec.elements, top, self.words, (self.seed, 0)))

    def edge(self, name: str) -> None:
        """The edge vector of that name."""
        self.tally.enter(name, self.q, edge=True)
        self._compare(name, self._edges()[name]())

    def _edges(self) -> dict[str, Vector]:
        return edge_vectors(self.spec.elements, self.q, self.words, self.ranges.input, self.spec.arith.word)

    def _compare(self, name: str, x: Words) -> None:
        """A batch of vectors against the definition, at as many results as that affords."""
        count, size, gives = len(x) // self.spec.elements, self.spec.elements, self.spec.results
        y, indices = run(self.plan, (x,), count * gives, count, name), self.effort.outputs(self.seed)
        for at in range(count):
            right = self.definition.outputs(x[at * size : (at + 1) * size], indices)
            got = from_words(y[at * gives :][indices])
            self.tally.compare("definition", name, self.q, got, right, indices, self.ranges.output)
