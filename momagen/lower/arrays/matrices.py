"""Transforms by matrices as steps: decompositions into digits, products on an engine, reductions, and twiddles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal
from momagen.formula.transforms import Ring, digit_reversal
from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.flow.index_bits import Order
from momagen.kernels.matrices.digits import split
from momagen.kernels.matrices.sums import DigitSums
from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.plan.engines import EngineChoice
from momagen.plan.matrix_plan import DensePass, MatrixPlan, TwiddlePass
from momagen.plan.schedule.types import Bits

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
        lanes: The number of lanes of a block, as in :class:`DensePass`.
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


def matrix_steps(plan: MatrixPlan, codelets: ArrayCodelets) -> list[MatrixStep]:
    """Return the steps of a transform.

    Values are only reduced as far as the digits of the next matrix, or the result, require.
    """
    return [*_Steps(plan, codelets).steps()]


class _Steps:
    """A builder of consecutive steps.

    Attributes:
        plan: The plan of the transform.
        codelets: The codelets of the kernel.
        arith: The arithmetic modulo q.
        m: The bound on values, which are below m·q.
    """

    def __init__(self, plan: MatrixPlan, codelets: ArrayCodelets) -> None:
        self.plan, self.codelets, self.arith, self.m = plan, codelets, codelets.arith, plan.spec.ranges.input

    def steps(self) -> list[MatrixStep]:
        found, passes = list[MatrixStep](), self.plan.passes
        for at, each in enumerate(passes):
            if isinstance(each, DensePass):
                last = not any(isinstance(later, DensePass | TwiddlePass) for later in passes[at + 1 :])
                found.append(self._dense(each, self.plan.spec.ranges.output if last else self.arith.room))
            elif isinstance(each, TwiddlePass):
                found.append(self._twiddles(each, passes[at + 1 :]))
            else:
                found.append(_reversed(each))
        return found

    def _dense(self, each: DensePass, most: int) -> DenseStep:
        arith, choice, core = self.arith, each.choice, each.core
        assert isinstance(core, Ring) and core.blocks == 1, "what the rules leave"
        head = split(arith, choice.digits, self.m)
        outputs = [*head.outputs]
        given = self.codelets.shared(f"digits_{choice.digits.size}_{self.m}", head, ["x"], outputs, words=1)
        self.m = min(2, most)
        sums = DigitSums(arith, choice.digits, choice.digits, core.n, max(choice.engine.held, arith.word))
        name, asked = f"_{core.n}_{choice.digits.size}_{self.m}", self.plan.spec.options.engine or ""
        taken = reduction(self.codelets, sums, self.plan.sums, self.m, asked, name)
        lacking = lacking_bits(self.plan.spec) * (self.plan.product and each.scaled)  # products of points lack this
        return DenseStep(each.left, core.n, each.right, choice, given, taken, _matrix(core, self.plan), core.inverse,
                         each.scaled, taken.lifted + lacking, each.lanes)  # fmt: skip

    def _twiddles(self, each: TwiddlePass, later: Sequence[object]) -> TwiddleStep:
        digits = next(one.choice.digits for one in later if isinstance(one, DensePass))
        fits = 2 * self.arith.top - 1 <= digits.most and self.arith.room > 1
        m, self.m = self.m, 1 + fits
        block = elementwise(KERNELS["scal"], self.arith, m_in=m, m_out=self.m).block
        made = self.codelets.shared(f"twiddled_{m}_{self.m}", block, ["x"], ["z"])
        return TwiddleStep(each.left, each.core.size, each.right, made, _rows(each.core, self.plan))


def _matrix(core: Ring, plan: MatrixPlan) -> RowPowers:
    """Return the matrix whose row i has the powers of e((turn + rev(i))/n), or of its inverse."""
    order, sign = plan.spec.order_of_root, -1 if core.inverse else 1
    turns = [sign * (core.turn + digit_reversal(i, core.n)) * order / core.n % order for i in _corners(core.n)]
    return _affine(turns, core.n)


def _rows(core: Diagonal, plan: MatrixPlan) -> RowPowers:
    """Return the rows of a diagonal whose entry i·s + j is e(j·t_i) for some s, with t_i affine in the bits of i.

    Each term of its turns has at most two index bits, so the entries whose index has at most two set bits
    determine all others.

    Raises:
        MomagenError: The diagonal has no such form.
    """
    order, size = plan.spec.order_of_root, core.size
    some = [a | b for a in _corners(size) for b in _corners(size)]
    turns = {index: core.angle(index) * order % order for index in some}
    for columns in _corners(size)[2:]:
        found = _affine([turns[i * columns + 1] for i in _corners(size // columns)], columns)
        if all((turns[index] - found.exponent(*divmod(index, columns))) % order == 0 for index in some):
            return found
    raise MomagenError("twiddles that are powers row by row", core, "matrices")


def _corners(size: int) -> list[int]:
    """Return 0 and the powers of two below ``size``."""
    return [0, *(1 << b for b in range(size.bit_length() - 1))]


def _affine(values: Sequence[Fraction], columns: int) -> RowPowers:
    first, *others = map(int, values)
    return RowPowers(first, [each - first for each in others], columns)


def _reversed(order: Order) -> Bits:
    """Return an order of bits in the form of transpositions, with the slowest axis first."""
    top = len(order) - 1
    return tuple(top - bit for bit in reversed(order))
