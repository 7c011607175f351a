"""The verification of polynomial products against their definition: all coefficients, or some if n is large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from momagen.kinds.modular.derived.meaning import factor_of_products
from momagen.params.words import Words, from_words
from momagen.runtime.runner import Runner, RunnerPlan

from .effort import Effort
from .oracle import remainder_products
from .products import some_of_product
from .report import Tally
from .run import run
from .step import CheckStep
from .vectors import Vector, edge_vectors, random_residues, sparse_residues

RANDOM = "random"


class ProductTrial:
    """A build of a polynomial product with one modulus and root."""

    def __init__(self, compiled: Runner, q: int, root: int, tally: Tally, seed: int) -> None:
        self.spec, self.q, self.root, self.tally, self.seed = compiled.spec, q, root, tally, seed
        self.compiled, self.n, self.words = compiled, self.spec.elements, self.spec.row
        self.ranges = self.spec.ranges
        self.effort = Effort(self.n, self.words, bool(compiled.missing))

    @cached_property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus and the root."""
        return self.compiled.plan(self.q, self.root)

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps that this size allows, for the kernel's own modulus."""
        yield CheckStep(RANDOM, lambda: self.random(self.effort.batch))
        for name in list(self._edges())[: self.effort.vectors // 3]:
            yield CheckStep(name, partial(self.edge, name))
        yield CheckStep("the largest, squared", self.largest)
        if self.effort.thorough:
            yield CheckStep("in place", self.in_place)

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.random(1)
        self.largest()

    def random(self, count: int) -> None:
        """Check a batch of random pairs."""
        self.tally.enter(RANDOM, self.q, edge=False, count=2 * count)
        self._compare(RANDOM, self._random(count * self.n, 0), self._other(count * self.n))

    def edge(self, name: str) -> None:
        """Check the edge vector ``name`` with a random vector."""
        self.tally.enter(name, self.q, edge=True)
        self._compare(name, self._edges()[name](), self._other(self.n))

    def largest(self) -> None:
        """Check the square of the largest coefficients.

        It is n at every index, or 2i + 2 - n at index i in the negacyclic ring.
        """
        name, x = next((name, make()) for name, make in self._edges().items())
        self.tally.enter(name, self.q, edge=True, count=2)
        n, squared = self.n, f"{name}, squared"
        right = [(2 * i + 2 - n if self.spec.negacyclic else n) % self.q for i in range(n)]
        self._compare_with(squared, self._run((x, x), squared), right, range(n))

    def in_place(self) -> None:
        """Check results that overwrite x, y, or both if they are the same."""
        x, y = self._random(self.n, 0), self._random(self.n, 1)
        for name, pair, over in (("z is x", (x, y), (0,)), ("z is y", (x, y), (1,)), ("z is x and y", (x, x), (0, 1))):
            self.tally.compare_words("in place", name, self.q, self._run(pair, name, over), self._run(pair, name))

    def _compare(self, name: str, x: Words, y: Words) -> None:
        """Compare a batch of products with the definition."""
        z = self._run((x, y), name)
        for part in (slice(start, start + self.n) for start in range(0, len(x), self.n)):
            indices, right = self._right(x[part], y[part])
            self._compare_with(name, z[part][indices], right, indices)

    def _right(self, x: Words, y: Words) -> tuple[Sequence[int], list[int]]:
        """Return indices and the correct coefficients there."""
        return some_of_product(x, y, self.q, self.spec.negacyclic, self.effort, self.seed)

    def _compare_with(self, name: str, z: Words, right: Sequence[int], indices: Sequence[int]) -> None:
        """Compare coefficients with the correct ones."""
        right = [value * factor_of_products(self.spec, self.q) % self.q for value in right]
        self.tally.compare("definition", name, self.q, from_words(z), right, indices, self.ranges.output)

    def _edges(self) -> dict[str, Vector]:
        """Return functions that return the edge vectors, by name."""
        return edge_vectors(self.n, self.q, self.words, self.ranges.input, self.spec.arith.word)

    def _random(self, count: int, which: int) -> Words:
        """Return random coefficients."""
        return random_residues(count, self.ranges.input * self.q, self.words, (self.seed, which))

    def _other(self, count: int) -> Words:
        """Return the second factor, which is sparse if the product is too long to be computed completely."""
        make = random_residues if self.effort.product else sparse_residues
        return make(count, self.ranges.input * self.q, self.words, (self.seed, 1))

    def _run(self, pair: tuple[Words, Words], name: str, over: tuple[int, ...] = ()) -> Words:
        """Return the result of the kernel."""
        return run(self.plan, pair, len(pair[0]), len(pair[0]) // self.n, name, over=over)


class RemaindersTrial(ProductTrial):
    """A build of a base multiplication, modulo every x^d - z, with one modulus and root."""

    def largest(self) -> None:
        """Check the square of the largest coefficients."""
        name, x = next((name, make()) for name, make in self._edges().items())
        self.tally.enter(name, self.q, edge=True, count=2)
        self._compare(f"{name}, squared", x, x)

    def _right(self, x: Words, y: Words) -> tuple[Sequence[int], list[int]]:
        indices = self.effort.outputs(self.seed, more=True)
        return indices, remainder_products(self.spec, self.q, self.root, x, y, indices)
