"""The verification of kernels against the definition of their kind, at some indices of random and of edge vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from momagen.params.words import Words, from_words
from momagen.runtime.runner import Runner, RunnerPlan

from .effort import Effort
from .report import Tally
from .run import run
from .step import CheckStep
from .vectors import Vector, edge_vectors, random_residues

RANDOM = "random"


class DefinedTrial:
    """A build of a kernel with one modulus and root, whose vectors have a number of points."""

    def __init__(self, compiled: Runner, q: int, root: int, tally: Tally, seed: int) -> None:
        self.spec, self.q, self.root, self.tally, self.seed = compiled.spec, q, root, tally, seed
        self.compiled, self.n, self.words = compiled, self.spec.elements, self.spec.row
        self.ranges, columns = self.spec.ranges, self.spec.across
        self.effort = Effort(self.spec.results // columns, self.words, bool(compiled.missing), columns)

    @cached_property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus and the root."""
        return self.compiled.plan(self.q, self.root)

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps that this size allows, for the kernel's own modulus."""
        yield CheckStep(RANDOM, lambda: self.random(self.effort.batch))
        for name in list(self.edges())[: self.effort.vectors // 3]:
            yield CheckStep(name, partial(self.edge, name))
        yield from self.more()
        if self.effort.thorough and self.spec.results == self.n:
            yield CheckStep("in place", self.in_place)

    def more(self) -> Iterator[CheckStep]:
        """Yield steps that only some kinds have."""
        yield from ()

    def brief(self) -> None:
        """Check the least, for another modulus."""
        self.random(1)
        self.edge(next(iter(self.edges())))

    def random(self, count: int) -> None:
        """Check a batch of random operands."""
        self.tally.enter(RANDOM, self.q, edge=False, count=len(self.ranges.operands) * count)
        self.compare(RANDOM, self.drawn(count * self.n, 0), *self.others(count * self.n))

    def edge(self, name: str) -> None:
        """Check the edge vector ``name`` as the first operand, with random others."""
        self.tally.enter(name, self.q, edge=True)
        self.compare(name, self.edges()[name](), *self.others(self.n))

    def in_place(self) -> None:
        """Check results that overwrite an operand."""
        operands = tuple(self.drawn(self.n, which) for which, _ in enumerate(self.ranges.operands))
        for at, operand in enumerate(self.ranges.operands):
            name = f"z is {operand}"
            found, right = self.result(operands, name, (at,)), self.result(operands, name)
            self.tally.compare_words("in place", name, self.q, found, right)

    def compare(self, name: str, *operands: Words) -> None:
        """Compare the results for a batch of operands with the definition."""
        z, results = self.result(operands, name), self.spec.results
        for at in range(len(operands[0]) // self.n):
            indices, right = self.right(*[each[at * self.n : (at + 1) * self.n] for each in operands])
            got = from_words(z[at * results :][indices])
            self.tally.compare("definition", name, self.q, got, right, indices, self.ranges.output)

    def right(self, *operands: Words) -> tuple[Sequence[int], list[int]]:
        """Return indices, and the correct results there."""
        indices = self.effort.outputs(self.seed, more=self.spec.kind.is_defined_quickly(self.spec))
        return indices, self.spec.kind.define(self.spec, self.q, self.root, operands, indices)

    def edges(self) -> dict[str, Vector]:
        """Return functions that return the edge vectors, by name."""
        return edge_vectors(self.n, self.q, self.words, self.ranges.input, self.spec.arith.word)

    def drawn(self, count: int, which: int) -> Words:
        """Return random residues for the operand with the number ``which``."""
        return random_residues(count, self.ranges.input * self.q, self.words, (self.seed, which))

    def others(self, count: int) -> list[Words]:
        """Return the random operands after the first one."""
        return [self.drawn(count, which) for which, _ in enumerate(self.ranges.operands) if which]

    def result(self, operands: tuple[Words, ...], name: str, over: tuple[int, ...] = ()) -> Words:
        """Return the result of the kernel; the operands ``over`` are overwritten by it."""
        count = len(operands[0]) // self.n
        return run(self.plan, operands, count * self.spec.results, count, name, over=over)
