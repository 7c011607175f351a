"""What a kernel on arrays needs, step by step: products of digits, word operations, and bytes.

Bytes are counted three ways. ``unfused``: each step reads and writes its arrays, digits and sums among them, as where
nothing is fused across products; ``steps``: each step reads and writes residues only; ``once``: the kernel does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among

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
