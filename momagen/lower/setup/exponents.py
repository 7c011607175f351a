"""The tables of any data flow on words.

Twiddle t = m + b of a butterfly, m a power of two, splits factor b of m: it is the root to the exponent
N (radix heap ± rev(b)) / 2m, where N is the order of the root. The heap, and what results share, are affine in the bits
of the butterfly's number. Where exponents count bits of the index of the power, and no two of them carry, they are the
twiddles of ring splitting, or of its inverse with the inverse of the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Flow, Pass
from momagen.lower.names import POWERS, SCALE, C
from momagen.program import Expr
from momagen.program.expressions import number

from .tables import TablesWriter, TwiddleTable


@dataclass(frozen=True)
class Exponents:
    """The exponents of the twiddles of a transform, of a root of order ``order``."""

    flow: Flow
    order: int

    @cached_property
    def passes(self) -> list[Pass]:
        """The passes with twiddles."""
        return [step for step in self.flow.steps if isinstance(step, Pass)]

    @cached_property
    def direct(self) -> bool:
        """Whether twiddles are those of ring splitting."""
        return all(self._direct(done) for done in self.passes)

    def _direct(self, done: Pass) -> bool:
        indices = self._indices(done)
        single = min(indices) >= 0 and sum(indices) == reduce(or_, indices)
        return single and not done.weights and not done.flow.common

    def _exponents(self, done: Pass, form: Phase) -> list[int]:
        """What ``form`` is without any bit, then what every table bit adds."""
        terms = [frozenset[int](), *(frozenset({b}) for b in done.table_bits)]
        return [int(form.get(term, 0) * self.order) for term in terms]

    def _indices(self, done: Pass) -> list[int]:
        """The same of the index of the power by which twiddle 1 is reached; -1 for exponents of several bits."""
        sign = -1 if self.flow.inverse else 1
        halves = (done.radix // 2 * sign * e % self.order for e in self._exponents(done, done.heap))
        return [-1 if e & (e - 1) or 4 * e > self.order else self.order // 4 // e if e else 0 for e in halves]

    def tables(self, words: int) -> list[TwiddleTable]:
        """The table of every pass; an entry has ``words`` words."""
        places = accumulate((done.entries() * words for done in self.passes), initial=0)
        return [self._table(done, at, words) for done, at in zip(self.passes, places, strict=False)]

    def _table(self, done: Pass, at: int, words: int) -> TwiddleTable:
        levels, lanes = done.radix.bit_length() - 1, done.table_lanes
        loops = [((1 << len(done.table_bits)) // lanes, done.twiddles * lanes * words)]
        if self.direct:
            node = {"node": grown(self._indices(done))}
            return TwiddleTable(at, levels, node, loops, 1, lanes, done.scaled, [0] * done.scaled)
        sign = -1 if self.flow.inverse else 1
        phases = {"heap": done.heap, "common": done.flow.common, "weight": done.weights}
        forms = {name: grown(self._exponents(done, form), self.order) for name, form in phases.items()}
        return PowersTable(at, levels, forms, loops, 1, lanes, done.scaled, done=done, sign=sign % self.order)


def grown(parts: Sequence[int], modulus: int = 0) -> list[int]:
    """A number without any bit, then by how much it grows where 0, 1, … bits carry: one bit more is set, and none below
    it; from what every bit adds."""
    grows = [part - sum(parts[1:k]) for k, part in enumerate(parts) if k]
    return [parts[0], *(step % modulus if modulus else step for step in [*grows, *(grows[-1:] or [1])])]


@dataclass(frozen=True, kw_only=True)
class PowersTable(TwiddleTable):
    """The table of one pass whose powers are looked up by their exponents.

    From radix on, twiddles weight results. Twiddles 0 and 1, where there is a 0, and weights carry the factor that the
    results of a butterfly share, and that of all results. ``sign``: 1, or -1 in the inverse, modulo the order.
    """

    done: Pass
    sign: int

    def put(self, tables: TablesWriter, at: Expr, member: Expr, forms: Sequence[Expr]) -> None:
        (heap, common, weight), radix, scaled = forms, self.done.radix, int(self.done.flow.scaled)
        size, powers = tables.constants.words(number(self.lanes)), (self.lanes, POWERS, C)
        scale = (self.lanes, POWERS, SCALE, C)
        carrying = [common, heap * (radix // 2) + common] * self.zeroth
        for t, e in enumerate(carrying):
            tables.do("put_twiddle", at + t * size, *scale, e, scaled)
        tables.do("put_heap", at + len(carrying) * size, *powers, heap, int(self.zeroth), self.levels, self.sign)
        if self.done.weights:
            tables.do("put_weights", at + (radix - 1) * size, *scale, weight, common, radix, scaled)
