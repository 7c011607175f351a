"""The roof that a TPU puts on counts: no transform is faster than its slowest part, all parts at work at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .needed import STEPS, ArrayCounts
from .tpus import Tpu

MATRIX, VECTOR, MEMORY = "matrix", "vector", "memory"


@dataclass(frozen=True)
class TpuRoof:
    """Seconds of one transform on one chip: of its matrix units, its vector units, and its memory."""

    parts: Mapping[str, float]

    @property
    def bound(self) -> str:
        """What holds it up: "matrix", "vector" or "memory"."""
        return max(self.parts, key=lambda name: self.parts[name])

    @property
    def seconds(self) -> float:
        return self.parts[self.bound]

    @property
    def rate(self) -> float:
        """Transforms a second."""
        return 1 / self.seconds


def tpu_roof(counts: ArrayCounts, tpu: Tpu, traffic: str = STEPS, batch: int = 1) -> TpuRoof:
    """The roof of ``tpu`` for one of a batch of transforms.

    Matrix units take matrices in squares of their own size; what a matrix leaves empty of them takes its time.

    Args:
        traffic: which bytes go through memory, one of ``TRAFFICS``. batch: transforms that read tables once.

    Raises:
        MomagenError: an engine that TPUs have not, an unknown traffic, or an empty batch.
    """
    matrix = sum(each.padded(tpu.side) / tpu.products(each.engine) for each in counts.digit_products)
    vector = counts.operations / tpu.vector_operations
    memory = counts.bytes(traffic, batch) / tpu.bytes_a_second
    return TpuRoof({MATRIX: matrix, VECTOR: vector, MEMORY: memory})
