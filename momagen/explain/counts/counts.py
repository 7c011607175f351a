"""The operations and bytes of one transform on arrays, counted from the steps of its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from momagen.errors import MomagenError
from momagen.lower.arrays.codelets import MODULUS, ArrayCodelet, ArrayCodelets, DerivedConstant
from momagen.lower.arrays.matrices import DenseStep, MatrixStep, TwiddleStep
from momagen.lower.arrays.program import ArrayProgram, ArrayStep
from momagen.lower.arrays.reductions import FoldStep

from .needed import BYTES, KEPT, WORD, ArrayCounts, DigitProduct, StepCount
from .vectors import vector_operations


def fold_count(codelets: ArrayCodelets, merged: ArrayCodelet, of: FoldStep, elements: int) -> StepCount:
    """Return the cost of folding the overflow of sums, whose low part and high limbs the previous step computes.

    Args:
        codelets: The codelets of the kernel.
        merged: The codelet that merges the folded sums.
        of: The step that folds.
        elements: The number of residues.
    """
    inner, outer, engine = of.fold.digits.count, of.fold.sums.count, of.engine
    product = DigitProduct(engine.name, outer, elements, inner)
    moved = 2 * codelets.arith.held // 8 * elements
    arrays = 2 * elements * (inner * BYTES[engine.takes] + outer * BYTES[engine.gives])
    table, runs = inner * outer * KEPT.get(engine.takes, WORD), vector_operations(merged, codelets) * elements
    return StepCount("folding of the overflow", runs, moved + arrays, moved, table, product)


def array_counts(program: ArrayProgram) -> ArrayCounts:
    """Return the counts of a transform.

    Raises:
        MomagenError: The kernel is not a transform.
    """
    spec = program.spec
    if not spec.kind.has_inverse:
        raise MomagenError("a transform", spec.kind, "counts")
    (steps,) = program.transforms.values()
    counter = _Counter(program, 2 * program.codelets.arith.held // 8 * spec.elements)
    return ArrayCounts(spec.elements, counter.moved, [one for each in steps for one in counter.of(each)])


@dataclass(frozen=True)
class _Counter:
    """A counter for the steps of a program.

    Attributes:
        program: The program.
        moved: The number of bytes of all residues, read and written.
    """

    program: ArrayProgram
    moved: int

    @property
    def elements(self) -> int:
        return self.program.spec.elements

    def of(self, step: ArrayStep | MatrixStep) -> Iterator[StepCount]:
        yield self._step(step)
        if isinstance(step, DenseStep) and step.reduction.fold:
            yield fold_count(self.program.codelets, step.reduction.merged, step.reduction.fold, self.elements)

    def _step(self, step: ArrayStep | MatrixStep) -> StepCount:
        if isinstance(step, DenseStep):
            return self._dense(step)
        if isinstance(step, TwiddleStep):
            table = step.size * _bytes(step.codelet.constants)
            name, runs = f"twiddles, {step.size}", self._runs(step.codelet.name, self.elements)
            return StepCount(name, runs, self.moved, self.moved, table)
        if isinstance(step, ArrayStep):
            return self._butterflies(step)
        return StepCount("transposition", 0, self.moved, self.moved)

    def _dense(self, step: DenseStep) -> StepCount:
        engine, count = step.choice.engine, step.choice.digits.count
        product = DigitProduct(engine.name, count * step.points, self.elements // step.points)
        arrays = 2 * count * self.elements * (BYTES[engine.takes] + BYTES[engine.gives])
        merged = step.reduction.codelets[0]
        runs = sum(self._runs(each.name, self.elements) for each in (step.split, merged))
        table = product.side**2 * KEPT.get(engine.takes, WORD)
        name = f"matrix of {step.points} × {step.points}"
        return StepCount(name, runs, self.moved + arrays, self.moved, table, product)

    def _butterflies(self, step: ArrayStep) -> StepCount:
        legs = len(step.takes)
        table = sum(prod(each.shape) * _bytes(each.constants) for each in step.tables)
        unfused = self.moved * (2 if step.moved else 1)
        runs = self._runs(step.codelet.name, self.elements // legs)
        return StepCount(f"radix-{legs} butterflies" + ", transposed first" * (step.moved is not None), runs, unfused,
                         self.moved, table)  # fmt: skip

    def _runs(self, name: str, times: int) -> int:
        codelets = self.program.codelets
        return vector_operations(codelets.found[name], codelets) * times


def _bytes(constants: Sequence[DerivedConstant]) -> int:
    """Return the bytes of one entry of the tables."""
    return WORD * sum(each.words for each in constants if each.of != MODULUS)
