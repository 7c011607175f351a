"""Transforms by matrices as steps: decompositions into digits, products on an engine, reductions, and twiddles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.matrices.digits import split
from momagen.kernels.matrices.engines import EngineChoice
from momagen.kernels.matrices.sums import DigitSums
from momagen.plan.schedule.matrices import MatrixPass, MatrixTransform
from momagen.plan.schedule.types import Bits, Breakdown, StepTable

from .codelets import ArrayCodelet, ArrayCodelets
from .reductions import Reduction, reduction


@dataclass(frozen=True)
class RowPowers:
    """A matrix of powers of the root.

    Row i contains the powers 0, 1, … of the root to the exponent first + Σ steps[b] over the set bits b of i.

    Attributes:
        first: The exponent of row 0.
        steps: The contribution of each bit of the row's index, the lowest bit first.
        columns: The number of columns.
    """

    first: int
    steps: Sequence[int]
    columns: int

    def exponent(self, row: int, column: int) -> int:
        """Return the exponent of one element."""
        return column * (self.first + sum(step for bit, step in enumerate(self.steps) if row >> bit & 1))


@dataclass(frozen=True)
class DenseStep:
    """A product of a matrix with the middle axis of an array of shape (left, points, right).

    Attributes:
        left: The length of the first axis.
        points: The length of the middle axis.
        right: The length of the last axis.
        choice: The engine and its digits.
        split: The codelet that decomposes residues into digits.
        reduction: The reduction from sums to residues.
        powers: The matrix, or its transpose if ``transposed``.
        transposed: Whether the matrix is the transpose of ``powers``.
        scaled: Whether the matrix is divided by n.
        lifted: The matrix is multiplied by 2^lifted.
        lanes: The number of lanes of a block, as in :class:`MatrixProduct`.
    """

    left: int
    points: int
    right: int
    choice: EngineChoice
    split: ArrayCodelet
    reduction: Reduction
    powers: RowPowers
    transposed: bool
    scaled: bool
    lifted: int
    lanes: int = 0


@dataclass(frozen=True)
class TwiddleStep:
    """A multiplication of an array of shape (left, size, right) by powers of the root along its middle axis.

    Attributes:
        left: The length of the first axis.
        size: The length of the middle axis.
        right: The length of the last axis.
        codelet: The codelet of the product.
        powers: The powers of the root, row by row.
    """

    left: int
    size: int
    right: int
    codelet: ArrayCodelet
    powers: RowPowers


MatrixStep = DenseStep | TwiddleStep | Bits


def matrix_steps(plan: MatrixTransform, codelets: ArrayCodelets) -> list[MatrixStep]:
    """Return the steps of a transform."""
    return [*_Steps(plan, codelets).steps()]


class _Steps:
    """A builder of consecutive steps.

    Attributes:
        plan: The transform.
        codelets: The codelets of the kernel.
        arith: The arithmetic modulo q.
    """

    def __init__(self, plan: MatrixTransform, codelets: ArrayCodelets) -> None:
        self.plan, self.codelets, self.arith = plan, codelets, codelets.arith

    def steps(self) -> Iterator[MatrixStep]:
        for each in self.plan.passes:
            if not isinstance(each, MatrixPass):
                yield each
            else:
                yield self._dense(each) if each.step.operands else self._twiddles(each)

    def _dense(self, each: MatrixPass) -> DenseStep:
        arith, choice, step, m = self.arith, each.choice, each.step, each.goal.below
        head = split(arith, choice.digits, step.accepts)
        name = f"digits_{choice.digits.size}_{step.accepts}"
        given = self.codelets.shared(name, head, ["x"], [*head.outputs], words=1)
        sums = DigitSums(arith, choice.digits, choice.digits, each.size, max(choice.engine.held, arith.word))
        name = f"_{each.size}_{choice.digits.size}_{m}"
        taken = reduction(self.codelets, sums, step.reduction, m, each.nest.fold, name)
        scaled = step.table.scaled
        lacking = self.plan.breakdown.lifted * scaled  # products of points lack this
        powers = _matrix(each, self.plan.breakdown)
        return DenseStep(each.left, each.size, each.right, choice, given, taken, powers, step.late, scaled,
                         taken.lifted + lacking, each.nest.lanes)  # fmt: skip

    def _twiddles(self, each: MatrixPass) -> TwiddleStep:
        m_in, m_out = each.step.accepts, each.goal.below
        block = elementwise(KERNELS["scal"], self.arith, m_in=m_in, m_out=m_out).block
        made = self.codelets.shared(f"twiddled_{m_in}_{m_out}", block, ["x"], ["z"])
        return TwiddleStep(each.left, each.size, each.right, made, _rows(each.step.table, self.plan.breakdown))


def _matrix(each: MatrixPass, of: Breakdown) -> RowPowers:
    """Return the matrix whose row i has the powers of e(heap + rev(i)/n), or of e(heap - rev(i)/n) of an inverse."""
    order, sign, heap = of.order_of_root, -1 if each.step.late else 1, each.step.table.heap.get(frozenset(), 0)
    turns = [(heap + Fraction(sign * digit_reversal(i, each.size), each.size)) * order % order
             for i in _corners(each.size)]  # fmt: skip
    return _affine(turns, each.size)


def _rows(table: StepTable, of: Breakdown) -> RowPowers:
    """Return the rows of twiddles whose entry i·s + j is e(j·t_i) for some s, with t_i affine in the bits of i.

    Raises:
        MomagenError: The twiddles have no such form.
    """
    order, common = of.order_of_root, table.common
    for columns in range(1, len(table.bits)):
        low, high = table.bits[:columns], [(), *((bit,) for bit in table.bits[columns:])]
        turns = [common.get(frozenset({low[0], *row}), Fraction(0)) for row in high]
        both = {frozenset({bit, *row}): turn * 2**at % 1
                for at, bit in enumerate(low) for row, turn in zip(high, turns, strict=True)}  # fmt: skip
        if {term: turn for term, turn in both.items() if turn} == common:
            return _affine([turns[0] * order, *((turns[0] + turn) * order % order for turn in turns[1:])], 1 << columns)
    raise MomagenError("twiddles that are powers row by row", 1 << len(table.bits), "schedule")


def _corners(size: int) -> list[int]:
    """Return 0 and the powers of two below ``size``."""
    return [0, *(1 << b for b in range(size.bit_length() - 1))]


def _affine(values: Sequence[Fraction], columns: int) -> RowPowers:
    first, *others = map(int, values)
    return RowPowers(first, [each - first for each in others], columns)
