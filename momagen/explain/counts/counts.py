"""What one transform on arrays needs, step by step: products of digits, word operations, and bytes.

Bytes are counted three ways. ``unfused``: each step reads and writes its arrays, digits and sums among them, as where
nothing is fused across products; ``steps``: each step reads and writes residues only; ``once``: the transform does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from momagen.errors import MomagenError, among
from momagen.lower.arrays.codelets import MODULUS, ArrayCodelet, DerivedConstant
from momagen.lower.arrays.matrices import DenseStep, MatrixStep, TwiddleStep
from momagen.lower.arrays.program import ArrayProgram, ArrayStep
from momagen.lower.arrays.reductions import FoldStep

from .vectors import vector_operations

WORD = 4
"""Bytes of a word."""
BYTES = {"int8": 1, "bfloat16": 2, "int32": 4, "float32": 4, "float64": 8}
"""Of a digit or a sum."""
KEPT = {"int8": 1, "float32": 4}
"""Bytes of an element of a table of digits that is kept in the type of its engine; others are kept as words."""
UNFUSED, STEPS, ONCE = TRAFFICS = ("unfused", "steps", "once")


@dataclass(frozen=True)
class DigitProduct:
    """A matrix of digits of ``side`` rows and columns, or of other columns than those, times so many vectors;
    ``engine``: the name of what multiplies them."""

    engine: str
    side: int
    vectors: int
    columns: int = 0

    @property
    def products(self) -> int:
        """Of digits, each with a sum."""
        return self.padded(1)

    def padded(self, unit: int) -> int:
        """Products where the matrix is cut into squares of ``unit`` rows and columns, filled up with zeros."""
        rows, columns = (-(-each // unit) * unit for each in (self.side, self.columns or self.side))
        return rows * columns * self.vectors


@dataclass(frozen=True)
class StepCount:
    """One step.

    Attributes:
        name: for people. operations: of vector units. unfused, steps: bytes moved, see above; without tables.
        table: bytes of its tables. product: of digits, if it has one.
    """

    name: str
    operations: int
    unfused: int
    steps: int
    table: int = 0
    product: DigitProduct | None = None


@dataclass(frozen=True)
class ArrayCounts:
    """One transform modulo one prime.

    Attributes:
        coefficients: of all columns. once: bytes of residues in and out. steps: in the order in which they run.
    """

    coefficients: int
    once: int
    steps: Sequence[StepCount]

    @property
    def products(self) -> Mapping[str, int]:
        """Products of digits by the name of the engine."""
        found: dict[str, int] = defaultdict(int)
        for each in self.digit_products:
            found[each.engine] += each.products
        return found

    @property
    def digit_products(self) -> list[DigitProduct]:
        """Those of its steps."""
        return [each.product for each in self.steps if each.product]

    @property
    def operations(self) -> int:
        """Of vector units."""
        return sum(each.operations for each in self.steps)

    @property
    def table(self) -> int:
        """Bytes of all tables."""
        return sum(each.table for each in self.steps)

    def bytes(self, traffic: str, batch: int | None = None) -> float:
        """Read and written by one transform; ``batch``: of so many, which read tables once; None: without tables.

        Raises:
            MomagenError: the traffic is none of ``TRAFFICS``, or the batch is empty.
        """
        if traffic not in TRAFFICS:
            raise among("a traffic among", TRAFFICS, traffic, "traffic")
        if batch is not None and batch < 1:
            raise MomagenError("a batch of at least 1", batch, "batch")
        own = self.once if traffic == ONCE else sum(getattr(each, traffic) for each in self.steps)
        return own + (self.table / batch if batch else 0)


def array_counts(program: ArrayProgram) -> ArrayCounts:
    """Those of a transform.

    Raises:
        MomagenError: the kernel is none.
    """
    spec = program.spec
    if spec.kind != "ntt":
        raise MomagenError("a transform", spec.kind, "counts")
    (steps,) = program.transforms.values()
    counter = _Counter(program, 2 * program.codelets.arith.held // 8 * spec.elements)
    return ArrayCounts(spec.elements, counter.moved, [one for each in steps for one in counter.of(each)])


@dataclass(frozen=True)
class _Counter:
    """Counts steps; ``moved``: bytes of all residues, read and written."""

    program: ArrayProgram
    moved: int

    @property
    def elements(self) -> int:
        return self.program.spec.elements

    def of(self, step: ArrayStep | MatrixStep) -> Iterator[StepCount]:
        yield self._step(step)
        if isinstance(step, DenseStep) and step.reduction.fold:
            yield self._fold(step.reduction.merged, step.reduction.fold)

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

    def _fold(self, merged: ArrayCodelet, of: FoldStep) -> StepCount:
        """What overflows; its low part and the digits of its high part come from the step before."""
        inner, outer, engine = of.fold.digits.count, of.fold.sums.count, of.engine
        product = DigitProduct(engine.name, outer, self.elements, inner)
        arrays = 2 * self.elements * (inner * BYTES[engine.takes] + outer * BYTES[engine.gives])
        table = inner * outer * KEPT.get(engine.takes, WORD)
        runs = self._runs(merged.name, self.elements)
        return StepCount("what overflows, folded in", runs, self.moved + arrays, self.moved, table, product)

    def _butterflies(self, step: ArrayStep) -> StepCount:
        legs = len(step.takes)
        table = sum(prod(each.shape) * _bytes(each.constants) for each in step.tables)
        unfused = self.moved * (2 if step.moved else 1)
        runs = self._runs(step.codelet.name, self.elements // legs)
        return StepCount(f"butterflies of {legs}" + ", transposed first" * (step.moved is not None), runs, unfused,
                         self.moved, table)  # fmt: skip

    def _runs(self, name: str, times: int) -> int:
        codelets = self.program.codelets
        return vector_operations(codelets.found[name], codelets) * times


def _bytes(constants: Sequence[DerivedConstant]) -> int:
    """Of one entry of tables."""
    return WORD * sum(each.words for each in constants if each.of != MODULUS)
