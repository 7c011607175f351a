"""The verification of polynomial products against their definition: all coefficients, or some if n is large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.kinds.modular.derived.meaning import factor_of_products
from momagen.params.words import Words, from_words
from momagen.verify.defined import DefinedTrial
from momagen.verify.oracle import remainder_products
from momagen.verify.step import CheckStep
from momagen.verify.vectors import random_residues, sparse_residues

from .coefficients import some_of_product


class ProductTrial(DefinedTrial):
    """A build of a polynomial product with one modulus and root."""

    def more(self) -> Iterator[CheckStep]:
        """Yield the square of the largest coefficients."""
        yield CheckStep("the largest, squared", self.largest)

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.random(1)
        self.largest()

    def largest(self) -> None:
        """Check the square of the largest coefficients.

        It is n at every index, or 2i + 2 - n at index i in the negacyclic ring.
        """
        name, x = next((name, make()) for name, make in self.edges().items())
        self.tally.enter(name, self.q, edge=True, count=2)
        n, squared = self.n, f"{name}, squared"
        factor = factor_of_products(self.spec, self.q)
        right = [(2 * i + 2 - n if self.spec.negacyclic else n) * factor % self.q for i in range(n)]
        z = self.result((x, x), squared)
        self.tally.compare("definition", squared, self.q, from_words(z), right, range(n), self.ranges.output)

    def in_place(self) -> None:
        """Check results that overwrite x, y, or both if they are the same."""
        super().in_place()
        x, name = self.drawn(self.n, 0), "z is x and y"
        self.tally.compare_words("in place", name, self.q, self.result((x, x), name, (0, 1)), self.result((x, x), name))

    def right(self, *operands: Words) -> tuple[Sequence[int], list[int]]:
        """Return indices, and the correct coefficients there."""
        x, y = operands
        indices, right = some_of_product(x, y, self.q, self.spec.negacyclic, self.effort, self.seed)
        return indices, [value * factor_of_products(self.spec, self.q) % self.q for value in right]

    def others(self, count: int) -> list[Words]:
        """Return the second factor, which is sparse if the product is too long to be computed completely."""
        make = random_residues if self.effort.product else sparse_residues
        return [make(count, self.ranges.input * self.q, self.words, (self.seed, 1))]


class RemaindersTrial(ProductTrial):
    """A build of a base multiplication, modulo every x^d - z, with one modulus and root."""

    def largest(self) -> None:
        """Check the square of the largest coefficients."""
        name, x = next((name, make()) for name, make in self.edges().items())
        self.tally.enter(name, self.q, edge=True, count=2)
        self.compare(f"{name}, squared", x, x)

    def right(self, *operands: Words) -> tuple[Sequence[int], list[int]]:
        """Return indices, and the correct coefficients there."""
        indices = self.effort.outputs(self.seed, more=True)
        x, y = operands
        right = remainder_products(self.spec, self.q, self.root, x, y, indices)
        return indices, [value * factor_of_products(self.spec, self.q) % self.q for value in right]
