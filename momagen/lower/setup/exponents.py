"""The tables of any data flow on words.

Twiddle t = m + b of a butterfly, with a power of two m, splits factor b of m. It is the power of the root
with the exponent N (radix · heap ± rev(b)) / 2m, where N is the order of the root. The heap, and the exponent
of the factor that all results of a butterfly share, are affine in the bits of the butterfly's number.

If each exponent is the value of single bits in the index of a power, and sums of such bits have no carries,
then the twiddles are those of ring splitting or, with the inverse of the root, of its inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from momagen.errors import build_error
from momagen.lower.names import POWERS, SCALE, C
from momagen.plan.schedule.passes import Pass, passes_of
from momagen.plan.schedule.types import Breakdown, Schedule, Step
from momagen.program import Expr
from momagen.program.expressions import number

from .tables import TablesWriter, TwiddleTable
from .turns import exponents_of

REMEDY = "use another algorithm"


@dataclass(frozen=True)
class Exponents:
    """The exponents of the twiddles of a transform.

    Attributes:
        schedule: The steps of the transform.
    """

    schedule: Schedule

    @cached_property
    def passes(self) -> list[Pass]:
        """The passes with twiddles."""
        return [each for each in passes_of(self.schedule) if isinstance(each, Pass)]

    @cached_property
    def direct(self) -> bool:
        """Whether the twiddles are the twiddles of ring splitting."""
        return all(self._direct(done) for done in self.passes)

    def _direct(self, done: Pass) -> bool:
        indices = nodes_of(done.own, self.schedule.breakdown)
        single = min(indices) >= 0 and sum(indices) == reduce(or_, indices)
        return single and not done.own.table.weights and not done.own.table.common

    def tables(self, words: int) -> list[TwiddleTable]:
        """Return the table of each pass, whose entries have ``words`` words."""
        places = accumulate((done.own.entries * words for done in self.passes), initial=0)
        return [self._table(done, at, words) for done, at in zip(self.passes, places, strict=False)]

    def _table(self, done: Pass, at: int, words: int) -> TwiddleTable:
        levels, lanes = done.radix.bit_length() - 1, done.table_lanes
        loops = [((1 << len(done.table_bits)) // lanes, done.own.twiddles * lanes * words)]
        of, table = self.schedule.breakdown, done.own.table
        if self.direct:
            node = {"node": grown(nodes_of(done.own, of))}
            return TwiddleTable(at, levels, node, loops, 1, lanes, done.own.scaled, [0] * done.own.scaled)
        order, sign = of.order_of_root, -1 if of.inverse else 1
        phases = {"heap": table.heap, "common": table.common, "weight": table.weights}
        parts = {name: exponents_of(done.table_bits, form, order) for name, form in phases.items()}
        forms = {name: grown(values, order) for name, values in parts.items()}
        return PowersTable(at, levels, forms, loops, 1, lanes, done.own.scaled, done=done, sign=sign % order)


def nodes_of(step: Step, of: Breakdown) -> list[int]:
    """Return the index of the power that is twiddle 1 of a butterfly if no bit is set, and the increment by each bit.

    A number is -1 if its exponent has several bits. The powers of an inverse transform are those of the inverse of
    the root.

    Args:
        step: The step.
        of: The transform.
    """
    order, sign = of.order_of_root, -1 if of.inverse else 1
    halves = (step.radix // 2 * sign * e % order for e in exponents_of(step.table.bits, step.table.heap, order))
    return [-1 if e & (e - 1) or 4 * e > order else order // 4 // e if e else 0 for e in halves]


def tree_of(steps: Sequence[Step], of: Breakdown) -> int:
    """Return the number of the first node that a table contains, whose entries are consecutive nodes of a binary tree.

    The nodes below node i have the numbers 2i and 2i + 1.

    Args:
        steps: The steps that read the table, from the whole ring down.
        of: The transform.

    Raises:
        MomagenError: The twiddles of a step are not the nodes of such a tree.
    """
    root, depth = 0, 0
    for at, step in enumerate(steps):
        first, *grows = nodes_of(step, of)
        by_bit, inside = dict(zip(step.table.bits, grows, strict=True)), {*step.loops}
        nodes = [by_bit[bit] for bit in sorted(by_bit, key=lambda bit: bit not in inside)]
        root = root if at else first
        if first != root << depth or nodes != [1 << bit for bit in range(len(nodes))]:
            raise build_error("the twiddles of a step are not the nodes of a tree", "formula", REMEDY)
        depth += len(step.operands)
    return root


def grown(parts: Sequence[int], modulus: int = 0) -> list[int]:
    """Return the start and the increments of a number that is affine in the bits of an index.

    The result begins with the number for index 0. Increment k belongs to a step of the index in which k bits
    carry: it sets one bit and clears all bits below it.

    Args:
        parts: The number for index 0, then the contribution of each bit of the index.
        modulus: The modulus of the increments, or 0.
    """
    grows = [part - sum(parts[1:k]) for k, part in enumerate(parts) if k]
    return [parts[0], *(step % modulus if modulus else step for step in [*grows, *(grows[-1:] or [1])])]


@dataclass(frozen=True, kw_only=True)
class PowersTable(TwiddleTable):
    """The table of one pass whose twiddles are looked up by their exponents.

    Twiddles from the radix on are weights of results. The weights, and twiddles 0 and 1 if there is a twiddle
    0, contain the factor that all results of a butterfly share, and the factor of all results.

    Attributes:
        done: The pass.
        sign: The sign of exponents modulo the order of the root: 1, or -1 in an inverse transform.
    """

    done: Pass
    sign: int

    def put(self, tables: TablesWriter, at: Expr, member: Expr, forms: Sequence[Expr]) -> None:
        """Append calls of the functions that store the entries of one block.

        Args:
            tables: The writer of the tables.
            at: The address of the first entry.
            member: The index of the block in its group.
            forms: The exponents heap, common and weight of the block.
        """
        (heap, common, weight), radix, scaled = forms, self.done.radix, int(self.done.own.table.scaled)
        size, powers = tables.constants.words(number(self.lanes)), (self.lanes, POWERS, C)
        scale = (self.lanes, POWERS, SCALE, C)
        carrying = [common, heap * (radix // 2) + common] * self.zeroth
        for t, e in enumerate(carrying):
            tables.do("put_twiddle", at + t * size, *scale, e, scaled)
        tables.do("put_heap", at + len(carrying) * size, *powers, heap, int(self.zeroth), self.levels, self.sign)
        if self.done.own.table.weights:
            tables.do("put_weights", at + (radix - 1) * size, *scale, weight, common, radix, scaled)
