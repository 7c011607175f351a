"""The cost of products with constant matrices, basis conversions and element-wise kernels on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kinds.matmul import MatmulSpec
from momagen.kinds.modular.spec import Spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.lower.arrays.products import ProductProgram, conversion_program, matmul_program
from momagen.lower.arrays.program import array_program

from .counts import fold_count
from .needed import BYTES, KEPT, WORD, ArrayCounts, DigitProduct, StepCount
from .vectors import vector_operations


def product_counts(spec: MatmulSpec, columns: int) -> ArrayCounts:
    """Return the cost of multiplying a constant matrix by vectors.

    Args:
        spec: The matrix product.
        columns: The number of vectors.

    Raises:
        MomagenError: No engine adds the rows exactly, or the engine does not multiply limbs.
    """
    program = matmul_program(spec)
    reduction, counter = program.reduction, _ProductCounter(program, columns)
    assert reduction is not None, "rows of digits"
    steps = [counter.matrix(spec.rows, spec.inner, reduction.codelets[0].name, reduction.count)]
    if reduction.fold:
        steps.append(fold_count(program.codelets, reduction.merged, reduction.fold, spec.rows * columns))
    return counter.counts(spec.inner, spec.rows, steps)


def conversion_counts(spec: ConversionSpec, columns: int) -> ArrayCounts:
    """Return the cost of a basis conversion; for exact conversions, the cost of the fast path.

    Args:
        spec: The conversion.
        columns: The number of residues in a row.

    Raises:
        MomagenError: No engine adds the rows exactly, or the engine does not multiply limbs.
    """
    counter = _ProductCounter(conversion_program(spec), columns)
    inner, rows = len(spec.moduli), len(spec.goals)
    return counter.counts(inner, rows, [*counter.conversion(inner, rows, spec.exact)])


def elementwise_counts(spec: Spec, elements: int) -> ArrayCounts:
    """Return the cost of an element-wise kernel on vectors of ``elements`` elements.

    Raises:
        MomagenError: The kernel is not element-wise.
    """
    if spec.n:
        raise MomagenError("an element-wise kernel", spec.kind, "counts")
    program = array_program(spec, None)
    fold, codelets = program.reduction.fold if program.reduction else None, program.codelets
    codelet = fold.parted if fold else program.elementwise
    moved = (len(codelet.operands) + 1) * elements * codelets.arith.held // 8
    runs = vector_operations(codelet, codelets) * elements
    steps = [StepCount("element by element", runs, moved, moved)]
    steps += [fold_count(codelets, program.elementwise, fold, elements)] if fold else []
    return ArrayCounts(elements, moved, steps)


@dataclass(frozen=True)
class _ProductCounter:
    """A counter for a product with a constant matrix.

    Attributes:
        program: The program.
        columns: The number of vectors.

    Raises:
        MomagenError: The engine does not multiply limbs.
    """

    program: ProductProgram
    columns: int

    def __post_init__(self) -> None:
        if self.program.choice.engine.words:
            raise MomagenError("an engine that multiplies limbs", "words", "counts")

    def counts(self, inner: int, rows: int, steps: list[StepCount]) -> ArrayCounts:
        """Return the counts of a product with ``inner`` rows of operands and ``rows`` rows of results."""
        return ArrayCounts(rows * self.columns, self.residues(inner + rows), steps)

    def residues(self, rows: int) -> int:
        """Return the number of bytes of ``rows`` rows of residues."""
        return rows * self.columns * self.program.codelets.arith.held // 8

    def runs(self, name: str, rows: int) -> int:
        """Return the number of operations of a codelet on ``rows`` rows."""
        codelets = self.program.codelets
        return vector_operations(codelets.found[name], codelets) * rows * self.columns

    def matrix(self, rows: int, inner: int, merged: str, sums: int = 0) -> StepCount:
        """Return the cost of splitting, multiplying and reducing.

        Args:
            rows: The number of rows of the matrix.
            inner: The number of columns of the matrix.
            merged: The name of the codelet that reduces the sums.
            sums: The number of sums per element; 0 means one sum per limb.
        """
        count = self.program.choice.digits.count
        runs = self.runs("split", inner) + self.runs(merged, rows)
        moved = self.residues(inner + rows)
        return self._product(f"matrix of {rows} × {inner}", (sums or count) * rows, count * inner, runs, moved)

    def conversion(self, inner: int, rows: int, exact: bool) -> Iterator[StepCount]:
        """Yield the costs of the shares, of the matrix and, for exact conversions, of the multiple of Q."""
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
