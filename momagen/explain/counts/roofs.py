"""The roofline of a TPU: even if all units work at the same time, a transform takes as long as its slowest part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .needed import STEPS, ArrayCounts
from .tpus import Tpu

MATRIX, VECTOR, MEMORY = "matrix", "vector", "memory"


@dataclass(frozen=True)
class TpuRoof:
    """The seconds that one transform takes on the matrix units, the vector units and the memory of one chip."""

    parts: Mapping[str, float]

    @property
    def bound(self) -> str:
        """The slowest part: "matrix", "vector" or "memory"."""
        return max(self.parts, key=lambda name: self.parts[name])

    @property
    def seconds(self) -> float:
        return self.parts[self.bound]

    @property
    def rate(self) -> float:
        """The transforms per second."""
        return 1 / self.seconds


def tpu_roof(counts: ArrayCounts, tpu: Tpu, traffic: str = STEPS, batch: int = 1) -> TpuRoof:
    """Return the roof of ``tpu`` for one of a batch of transforms.

    Matrices are padded to the square size of the matrix units, and the padding takes time, too.

    Args:
        counts: the cost of a transform.
        tpu: the chip.
        traffic: the way of counting bytes, one of ``TRAFFICS``.
        batch: the number of transforms that read the tables together, once.

    Raises:
        MomagenError: if TPUs do not have the engine, if the traffic is unknown, or if the batch is empty.
    """
    matrix = sum(each.padded(tpu.side) / tpu.products(each.engine) for each in counts.digit_products)
    vector = counts.operations / tpu.vector_operations
    memory = counts.bytes(traffic, batch) / tpu.bytes_a_second
    return TpuRoof({MATRIX: matrix, VECTOR: vector, MEMORY: memory})
