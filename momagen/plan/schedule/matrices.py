"""Transforms as products with matrices on engines, and the products that their schedules state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from momagen.errors import build_error
from momagen.kernels.matrices.digits import digits_for
from momagen.kernels.matrices.engines import EngineChoice

from .arrays import order_of
from .nests import REMEDY
from .transform import ScheduledTransform
from .types import Bits, Edge, MatrixProduct, Move, Schedule, Step


class MatrixPass(NamedTuple):
    """A product with a matrix, or of all elements with twiddles, along the middle axis of an array.

    Attributes:
        step: The step.
        left: The length of the first axis.
        size: The length of the middle axis.
        right: The length of the last axis.
        choice: The engine of the nest and its digits.
        nest: The nest.
        goal: The edge after the step.
    """

    step: Step
    left: int
    size: int
    right: int
    choice: EngineChoice
    nest: MatrixProduct
    goal: Edge


@dataclass(frozen=True)
class MatrixTransform(ScheduledTransform):
    """A transform whose kernels are matrix products.

    Attributes:
        chosen: The schedule.
    """

    chosen: Schedule = field(kw_only=True)

    @property
    def schedule(self) -> Schedule:
        """The steps of the transform."""
        return self.chosen

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports; there are none."""
        return []

    @cached_property
    def passes(self) -> list[MatrixPass | Bits]:
        """The passes in the order of execution; transpositions are orders of index bits, the slowest one first."""
        found, first, schedule = list[MatrixPass | Bits](), 0, self.schedule
        for nest in product_nests(schedule):
            for at in range(first, first + nest.steps):
                found.append(self._pass(schedule.steps[at], schedule.edges[at], schedule.edges[at + 1], nest))
            first += nest.steps
        return found

    def _pass(self, step: Step | Move, source: Edge, goal: Edge, nest: MatrixProduct) -> MatrixPass | Bits:
        """Return the pass of a step between two edges."""
        if isinstance(step, Move):
            return order_of(source.order[::-1], goal.order[::-1])
        engine = next(each for each in self.target.engine if each.name == nest.engine)
        bits = step.operands or step.table.bits
        right, size = 1 << source.order.index(bits[0]), 1 << len(bits)
        choice = EngineChoice(engine, digits_for(self.arith.bits, nest.digit))
        return MatrixPass(step, self.spec.n // (size * right), size, right, choice, nest, goal)

    @property
    def why(self) -> str:
        """The engines that were chosen."""
        chosen = dict.fromkeys(str(each.choice) for each in self.passes if isinstance(each, MatrixPass))
        return f"engine    {'; '.join(chosen)}"

    def words_of_tables(self, at: int, steps: Sequence[Step]) -> int:
        """Return the number of words of twiddles; matrices are stored in digits."""
        return super().words_of_tables(at, [step for step in steps if not step.operands])


def product_nests(schedule: Schedule) -> list[MatrixProduct]:
    """Return the nests of a schedule, which contain one product with a matrix each.

    Raises:
        MomagenError: There are other nests, or a nest does not contain one product, or a step is in no nest.
    """
    found, first = [nest for nest in schedule.nests if isinstance(nest, MatrixProduct)], 0
    for nest in found:
        own = schedule.steps[first : first + max(nest.steps, 0)]
        if sum(isinstance(step, Step) and bool(step.operands) for step in own) != 1:
            raise build_error("each nest must contain one product with a matrix", "schedule.nests", REMEDY)
        first += nest.steps
    if len(found) < len(schedule.nests) or not found or first != len(schedule.steps):
        raise build_error("the steps must be in nests of products with matrices", "schedule.nests", REMEDY)
    if len(schedule.edges) != first + 1:
        raise build_error("there must be one edge more than there are steps", "schedule.edges", REMEDY)
    return found
