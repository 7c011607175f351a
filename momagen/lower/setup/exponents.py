"""The exponents of twiddles: affine in the bits of a butterfly's number.

Twiddle t of butterfly o is the root to an exponent that is affine in the bits of o: from o to o + 1, k bits carry, and
the exponent grows by a number that k alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Flow
from momagen.kernels.flow.passes import Pass

HEAP, HEAD = 5, 8
"""Of the numbers that describe a pass, the heap of butterfly 0, and the first of those by which exponents grow."""


@dataclass(frozen=True)
class Exponents:
    """The exponents of the twiddles of a transform, of a root of order ``order``.

    They count bits of the index of the power, where powers stand in bit-reversed order, if no two of them carry: the
    twiddles of ring splitting and of its inverse, with the inverse of the root.
    """

    flow: Flow
    order: int

    @property
    def passes(self) -> list[Pass]:
        """The passes with twiddles."""
        return [step for step in self.flow.steps if isinstance(step, Pass)]

    @cached_property
    def direct(self) -> bool:
        """Whether twiddles are read where the bits of the butterfly say."""
        return all(self._direct(done) for done in self.passes)

    def _direct(self, done: Pass) -> bool:
        form, bits = self._form(done, done.shape.heap), 0
        for part in form:
            at = self._index(done, part)
            if at < 0 or at & bits:
                return False
            bits |= at
        return not done.shape.weighted and not done.shape.common

    def _form(self, done: Pass, form: Phase) -> list[int]:
        """What ``form`` is without any bit, then what every table bit adds: exponents."""
        terms = [frozenset[int](), *(frozenset({b}) for b in done.shape.table_bits)]
        return [int(form.get(term, 0) * self.order) for term in terms]

    def _index(self, done: Pass, exponent: int) -> int:
        """The index of the power by which twiddle 1 is reached, of exponents of one bit; -1 for others."""
        e = done.radix // 2 * (-exponent if self.flow.inverse else exponent) % self.order
        if e & (e - 1) or 4 * e > self.order:
            return -1
        return self.order // 4 // e if e else 0

    def numbers(self, done: Pass) -> list[int]:
        """What describes a pass: radix, bits, first and last twiddle + 1, log2 of lanes, three forms at butterfly 0,
        then by how much they grow from one butterfly to the next, by the bits that carry."""
        shape = done.shape
        forms = [self._form(done, form) for form in (shape.heap, shape.common, shape.weights)]
        if self.direct:
            forms[0] = [self._index(done, part) for part in forms[0]]
        steps = [list(self._grown(form)) for form in forms]
        head = [done.radix, len(shape.table_bits), 1 - done.scaled, done.radix * (1 + shape.weighted)]
        starts, grown = [form[0] for form in forms], [n for each in zip(*steps, strict=True) for n in each]
        return [*head, shape.table_lanes.bit_length() - 1, *starts, *grown]

    @property
    def steady(self) -> bool:
        """Whether indices grow by as much from every butterfly to the next, whatever carries."""
        forms = [[self._index(done, part) for part in self._form(done, done.shape.heap)] for done in self.passes]
        return self.direct and all(len(set([*self._grown(form)][:-1])) < 2 for form in forms)

    def _grown(self, form: Sequence[int]) -> Iterator[int]:
        """What k + 1 bits that carry add: one bit more, all below it no more."""
        for k, part in enumerate(form[1:]):
            step = part - sum(form[1 : k + 1])
            yield step if self.direct else step % self.order
        yield 0
