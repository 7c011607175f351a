"""The roofline of a TPU: even if all units work concurrently, a transform takes as long as its slowest part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .needed import STEPS, ArrayCounts
from .tpus import Tpu

MATRIX, VECTOR, MEMORY = "matrix", "vector", "memory"


@dataclass(frozen=True)
class TpuRoof:
    """The time that one transform takes on each part of one chip.

    Attributes:
        parts: The seconds on the matrix units, the vector units and the memory.
    """

    parts: Mapping[str, float]

    @property
    def bound(self) -> str:
        """The slowest part: "matrix", "vector" or "memory"."""
        return max(self.parts, key=lambda name: self.parts[name])

    @property
    def seconds(self) -> float:
        """The time in seconds that the slowest part takes."""
        return self.parts[self.bound]

    @property
    def rate(self) -> float:
        """The number of transforms per second."""
        return 1 / self.seconds


def tpu_roof(counts: ArrayCounts, tpu: Tpu, traffic: str = STEPS, batch: int = 1) -> TpuRoof:
    """Return the roof of a chip for one transform of a batch.

    Matrices are padded to the square size of the matrix units, and the padding takes time, too.

    Args:
        counts: The cost of a transform.
        tpu: The chip.
        traffic: The way of counting bytes, one of ``TRAFFICS``.
        batch: The number of transforms that share one read of the tables.

    Raises:
        MomagenError: TPUs do not have the engine, ``traffic`` is unknown, or ``batch`` is less than 1.
    """
    matrix = sum(each.padded(tpu.side) / tpu.products(each.engine) for each in counts.digit_products)
    vector = counts.operations / tpu.vector_operations
    memory = counts.bytes(traffic, batch) / tpu.bytes_a_second
    return TpuRoof({MATRIX: matrix, VECTOR: vector, MEMORY: memory})
