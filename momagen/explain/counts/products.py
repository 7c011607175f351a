"""What products with constant matrices, conversions between bases and element-wise kernels need, as of transforms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kernels.matrices.spec import ConversionSpec, MatmulSpec
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.lower.arrays.products import ProductProgram, conversion_program, matmul_program
from momagen.lower.arrays.program import array_program

from .counts import fold_count
from .needed import BYTES, KEPT, WORD, ArrayCounts, DigitProduct, StepCount
from .vectors import vector_operations


def product_counts(spec: MatmulSpec, columns: int) -> ArrayCounts:
    """Those of a constant matrix times so many columns.

    Raises:
        MomagenError: no engine sums its rows up exactly, or it is none of digits.
    """
    program = matmul_program(spec)
    reduction, counter = program.reduction, _ProductCounter(program, columns)
    assert reduction is not None, "rows of digits"
    steps = [counter.matrix(spec.rows, spec.inner, reduction.codelets[0].name, reduction.count)]
    if reduction.fold:
        steps.append(fold_count(program.codelets, reduction.merged, reduction.fold, spec.rows * columns))
    return counter.counts(spec.inner, spec.rows, steps)


def conversion_counts(spec: ConversionSpec, columns: int) -> ArrayCounts:
    """Those of a conversion of so many columns: of the quick way, which an exact one takes where it is sure.

    Raises:
        MomagenError: as of :func:`product_counts`.
    """
    counter = _ProductCounter(conversion_program(spec), columns)
    inner, rows = len(spec.moduli), len(spec.goals)
    return counter.counts(inner, rows, [*counter.conversion(inner, rows, spec.exact)])


def elementwise_counts(spec: Spec, elements: int) -> ArrayCounts:
    """Those of an element-wise kernel on vectors of so many elements.

    Raises:
        MomagenError: the kernel is none.
    """
    if spec.kind not in BLAS:
        raise MomagenError("an element-wise kernel", spec.kind, "counts")
    program = array_program(spec)
    fold, codelets = program.reduction.fold if program.reduction else None, program.codelets
    codelet = fold.parted if fold else program.elementwise
    moved = (len(codelet.operands) + 1) * elements * codelets.arith.held // 8
    runs = vector_operations(codelet, codelets) * elements
    steps = [StepCount("element by element", runs, moved, moved)]
    steps += [fold_count(codelets, program.elementwise, fold, elements)] if fold else []
    return ArrayCounts(elements, moved, steps)


@dataclass(frozen=True)
class _ProductCounter:
    program: ProductProgram
    columns: int

    def __post_init__(self) -> None:
        if self.program.choice.engine.words:
            raise MomagenError("an engine of digits", "words", "counts")

    def counts(self, inner: int, rows: int, steps: list[StepCount]) -> ArrayCounts:
        return ArrayCounts(rows * self.columns, self.residues(inner + rows), steps)

    def residues(self, rows: int) -> int:
        """Bytes of so many rows of them."""
        return rows * self.columns * self.program.codelets.arith.held // 8

    def runs(self, name: str, rows: int) -> int:
        """Operations of a codelet on so many rows."""
        codelets = self.program.codelets
        return vector_operations(codelets.found[name], codelets) * rows * self.columns

    def matrix(self, rows: int, inner: int, merged: str, sums: int = 0) -> StepCount:
        """Digits, their product with the matrix, and residues of ``sums`` for an element; 0: as many as digits."""
        count = self.program.choice.digits.count
        runs = self.runs("split", inner) + self.runs(merged, rows)
        moved = self.residues(inner + rows)
        return self._product(f"matrix of {rows} × {inner}", (sums or count) * rows, count * inner, runs, moved)

    def conversion(self, inner: int, rows: int, exact: bool) -> Iterator[StepCount]:
        """Shares of moduli; their matrix; and where it is exact, how often the product of the moduli is taken off."""
        moved = self.residues(2 * inner)
        yield StepCount("shares", self.runs("scaled", inner), moved, moved)
        yield self.matrix(rows, inner, "corrected" if exact else "merged")
        if exact:
            side = self.program.choice.digits.count * inner
            yield self._product("fractions", self.program.fractions, side, self.runs("overflow", 1), self.residues(1))

    def _product(self, name: str, rows: int, side: int, runs: int, moved: int) -> StepCount:
        engine = self.program.choice.engine
        product = DigitProduct(engine.name, rows, self.columns, side)
        arrays = 2 * self.columns * (side * BYTES[engine.takes] + rows * BYTES[engine.gives])
        table = rows * side * KEPT.get(engine.takes, WORD)
        return StepCount(name, runs, moved + arrays, moved, table, product)
