"""The steps of a schedule with the edges on both sides, as loop nests over memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from momagen.formula.atoms import I
from momagen.formula.breakdown import DENSE, Choose, Derivation, asked, by_radices, derivation, expand
from momagen.formula.expression import Formula, Tensor
from momagen.formula.factors import stages
from momagen.formula.three_steps import by_factors
from momagen.formula.transforms import Transform
from momagen.kernels.butterflies.codelets import Codelet, codelet
from momagen.kernels.flow.index_bits import Order
from momagen.kernels.flow.loop_nest import LoopNest
from momagen.kernels.residues.arith import Arith

from .ranges import reduced_by
from .types import RESULT, SCRATCH, Breakdown, Edge, Move, Schedule, Step

shared_codelet = lru_cache(maxsize=256)(codelet)
"""The function :func:`codelet` with a cache. Steps with equal arguments get the same object and share its
lowered code."""


@dataclass(frozen=True, kw_only=True)
class Pass(LoopNest):
    """A step between its two edges.

    Attributes:
        own: The step.
        source: The edge that it reads.
        goal: The edge that it writes.
    """

    own: Step
    source: Edge
    goal: Edge

    def parts(self) -> list[tuple[int, Pass]]:
        """Return the pass, and a pass over the columns that do not fill its vectors, each with its first column."""
        columns = self.columns
        return [(0, self), *([(columns.taken, replace(self, columns=columns.rest))] if columns.rest else [])]


def step_codelet(step: Step, arith: Arith) -> Codelet:
    """Return the butterfly of a step for residues in the given representation."""
    own, weighted = reduced_by(arith, step.reduction), bool(step.table.weights)
    return shared_codelet(own, step.radix, step.accepts, step.limit, step.scaled, weighted, back=step.late)


def entry_of(arith: Arith) -> tuple[str, ...]:
    """Return the numbers that tables of full-radix limbs contain for each twiddle."""
    return tuple(column or "value" for column in arith.columns)


def passes_of(schedule: Schedule) -> list[Pass | Move]:
    """Return each step with its edges, in the order of execution."""
    edges = zip(schedule.steps, schedule.edges, schedule.edges[1:], strict=False)
    return [step if isinstance(step, Move) else pass_of(step, source, goal) for step, source, goal in edges]


def pass_of(step: Step, source: Edge, goal: Edge) -> Pass:
    """Return a step between two edges."""
    return Pass(
        step.operands, step.lanes, step.loops, step.table.bits, source.addresses, goal.addresses,
        step.late, step.columns, own=step, source=source, goal=goal,
    )  # fmt: skip


def order_of_move(source: Edge, goal: Edge, columns: int) -> Order:
    """Return the bit permutation of rows by which a move fills its result: y[p] = x[order(p)].

    Args:
        source: The edge that the move reads.
        goal: The edge that it writes.
        columns: The number of elements of a row, a power of two. Their bits keep their addresses.
    """
    row = columns.bit_length() - 1
    return tuple(source.addresses[bit] - row for bit in goal.order[row:])


def needs_scratch(schedule: Schedule) -> bool:
    """Return whether steps use scratch memory."""
    return any(edge.memory == SCRATCH for edge in schedule.edges)


def needs_copy(schedule: Schedule) -> bool:
    """Return whether a call in place must copy the operand, which the first step would overwrite too early."""
    (first, *_), (_, goal, *_) = passes_of(schedule), schedule.edges
    return goal.memory == RESULT and not (isinstance(first, Pass) and first.in_place)


def asked_of(of: Breakdown) -> tuple[Formula, Choose]:
    """Return the transform, and the function that chooses the breakdown rules for it."""
    ring = {"inverse": of.inverse, "negacyclic": of.negacyclic, "natural": of.natural}
    formula, choose = asked(of.algorithm, of.n, of.radix, even=of.even, **ring)
    return formula, by_radices(of.algorithm, of.radices) if of.radices and of.algorithm != DENSE else choose


def formula_of(of: Breakdown) -> Formula:
    """Return the broken-down formula, with the columns that are index bits."""
    formula, choose = asked_of(of)
    one = by_factors(formula, of.radices).formula if of.algorithm == DENSE else expand(formula, choose)
    return Tensor(one, I(of.columns)) if of.columns > 1 else one


def derivation_of(of: Breakdown) -> Sequence[Derivation]:
    """Return the applications of breakdown rules that lead to the formula, the first one first."""
    formula, choose = asked_of(of)
    return by_factors(formula, of.radices).derivation if of.algorithm == DENSE else derivation(formula, choose)


def settled(of: Breakdown) -> Breakdown:
    """Return the breakdown with the same formula whose ``radix`` is the largest in use.

    If possible, it does not state the ``radices`` one by one, and it is not ``even``.
    """
    formula = formula_of(of)
    radix = max(stage.core.n for stage in stages(formula) if isinstance(stage.core, Transform))
    others = [replace(of, radix=radix, even=even, radices=()) for even in (False, True)]
    others += [replace(of, radix=radix, even=False)] * bool(of.radices)
    return next((other for other in others if formula_of(other) == formula), of)
