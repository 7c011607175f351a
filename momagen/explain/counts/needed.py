"""The cost of a kernel on arrays, step by step: products of limbs, word operations, and bytes.

Bytes are counted in three ways. ``unfused``: each step reads and writes all its arrays, including limbs and
sums, as if nothing were fused. ``steps``: each step reads and writes only residues. ``once``: the kernel
reads and writes residues only at its beginning and its end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among

WORD = 4
"""The number of bytes of a word."""
BYTES = {"int8": 1, "bfloat16": 2, "int32": 4, "float32": 4, "float64": 8}
"""The number of bytes of a limb or a sum, by type."""
KEPT = {"int8": 1, "float32": 4}
"""The number of bytes of an element of a table of limbs, by the type of its engine. Other tables are stored
as words."""
UNFUSED, STEPS, ONCE = TRAFFICS = ("unfused", "steps", "once")
"""The ways of counting bytes, which the docstring of the module defines."""


@dataclass(frozen=True)
class DigitProduct:
    """A product of a matrix of limbs with vectors.

    Attributes:
        engine: The name of the engine that multiplies.
        side: The number of rows of the matrix.
        vectors: The number of vectors.
        columns: The number of columns of the matrix; 0 for a square matrix.
    """

    engine: str
    side: int
    vectors: int
    columns: int = 0

    @property
    def products(self) -> int:
        """The number of products of limbs, each with an addition."""
        return self.padded(1)

    def padded(self, unit: int) -> int:
        """Return the number of products if the matrix is padded with zeros to squares of ``unit`` rows and columns."""
        rows, columns = (-(-each // unit) * unit for each in (self.side, self.columns or self.side))
        return rows * columns * self.vectors


@dataclass(frozen=True)
class StepCount:
    """The cost of one step.

    Attributes:
        name: A description of the step.
        operations: The number of operations of vector units.
        unfused: The number of bytes that an unfused step reads and writes, without tables.
        steps: The number of bytes of the residues that the step reads and writes, without tables.
        table: The number of bytes of its tables.
        product: Its product of limbs, or None.
    """

    name: str
    operations: int
    unfused: int
    steps: int
    table: int = 0
    product: DigitProduct | None = None


@dataclass(frozen=True)
class ArrayCounts:
    """The cost of one transform modulo one prime.

    Attributes:
        coefficients: The number of coefficients in all columns.
        once: The number of bytes of the residues that the kernel reads and writes.
        steps: The costs of the steps, in the order in which they run.
    """

    coefficients: int
    once: int
    steps: Sequence[StepCount]

    @property
    def products(self) -> Mapping[str, int]:
        """The number of products of limbs, by the name of the engine."""
        found: dict[str, int] = defaultdict(int)
        for each in self.digit_products:
            found[each.engine] += each.products
        return found

    @property
    def digit_products(self) -> list[DigitProduct]:
        """The products of limbs of all steps."""
        return [each.product for each in self.steps if each.product]

    @property
    def operations(self) -> int:
        """The number of operations of vector units."""
        return sum(each.operations for each in self.steps)

    @property
    def table(self) -> int:
        """The number of bytes of all tables."""
        return sum(each.table for each in self.steps)

    def bytes(self, traffic: str, batch: int | None = None) -> float:
        """Return the number of bytes that one transform reads and writes.

        Args:
            traffic: The way of counting, one of ``TRAFFICS``.
            batch: The number of transforms that share one read of the tables, or None to leave out the
                tables.

        Raises:
            MomagenError: ``traffic`` is not one of ``TRAFFICS``, or ``batch`` is less than 1.
        """
        if traffic not in TRAFFICS:
            raise among("one of", TRAFFICS, traffic, "traffic")
        if batch is not None and batch < 1:
            raise MomagenError("a batch of at least 1", batch, "batch")
        own = self.once if traffic == ONCE else sum(getattr(each, traffic) for each in self.steps)
        return own + (self.table / batch if batch else 0)
