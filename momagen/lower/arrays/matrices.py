"""Steps of transforms by matrices: digits, a product on an engine, and residues of its sums; twiddles in between."""

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
from momagen.plan.array_plan import Bits
from momagen.plan.engines import EngineChoice
from momagen.plan.matrix_plan import DensePass, MatrixPlan, TwiddlePass

from .codelets import ArrayCodelet, ArrayCodelets
from .reductions import Reduction, reduction


@dataclass(frozen=True)
class RowPowers:
    """Row i of a matrix holds the powers 0, 1, … of the root to first + Σ of steps[b] over the bits b of i."""

    first: int
    steps: Sequence[int]
    columns: int

    def exponent(self, row: int, column: int) -> int:
        """Of one element."""
        return column * (self.first + sum(step for bit, step in enumerate(self.steps) if row >> bit & 1))


@dataclass(frozen=True)
class DenseStep:
    """A matrix times the middle axis of (left, points, right).

    Attributes:
        split: what makes digits of residues. reduction: what makes residues of sums. powers: the matrix, or what is
            ``transposed``. scaled: over n. lifted: times 2^lifted. lanes: of a block, as in :class:`DensePass`.
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
    """Elements of (left, size, right) times powers of the root, row by row."""

    left: int
    size: int
    right: int
    codelet: ArrayCodelet
    powers: RowPowers


MatrixStep = DenseStep | TwiddleStep | Bits


def matrix_steps(plan: MatrixPlan, codelets: ArrayCodelets) -> list[MatrixStep]:
    """The steps of a transform: values stay as lazy as the digits of the next matrix, or the result, allow."""
    return [*_Steps(plan, codelets).steps()]


class _Steps:
    """Makes steps one after another; ``m``: values are below m·q."""

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
        lacking = lacking_bits(self.plan.spec) * (self.plan.product and each.scaled)  # what a product of points lacks
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
    """Row i: powers of e((turn + rev(i))/n), or of its inverse."""
    order, sign = plan.spec.order_of_root, -1 if core.inverse else 1
    turns = [sign * (core.turn + digit_reversal(i, core.n)) * order / core.n % order for i in _corners(core.n)]
    return _affine(turns, core.n)


def _rows(core: Diagonal, plan: MatrixPlan) -> RowPowers:
    """A diagonal whose entry i·s + j is e(j·t_i), with t_i affine in the bits of i, for some s.

    Terms of its turns have two index bits at most, so that all entries are known by those with two bits in their index.
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
    """0, and the powers of two below."""
    return [0, *(1 << b for b in range(size.bit_length() - 1))]


def _affine(values: Sequence[Fraction], columns: int) -> RowPowers:
    first, *others = map(int, values)
    return RowPowers(first, [each - first for each in others], columns)


def _reversed(order: Order) -> Bits:
    """An order of bits as transpositions take it: the slowest first."""
    top = len(order) - 1
    return tuple(top - bit for bit in reversed(order))
