"""Devices that run kernels: memory, and launches. A GPU is one; so is the CPU, which runs their PTX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .nvrtc import compile_cuda
from .ptx.run import Order, load_ptx

Device32 = NDArray[np.uint32]
ANY = 0xDEADBEEF
"""What stands in memory that nothing wrote."""


class Device(Protocol):
    """Where kernels run; arrays are of 32-bit words."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What is emulated: nothing on a GPU."""

    @property
    def compiler(self) -> str:
        """What compiles kernels for it."""

    @property
    def processors(self) -> int:
        """The number of multiprocessors."""

    def given(self, words: Device32) -> Any:
        """A copy of ``words`` on the device."""

    def zeros(self, count: int) -> Any:
        """``count`` words, all 0."""

    def room(self, count: int) -> Any:
        """``count`` words, of any values."""

    def taken(self, array: Any) -> Device32:
        """A copy of what stands there."""

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        """Run a kernel: ``grid`` blocks of so many threads, with ``shared`` bytes of memory for each."""

    def settle(self) -> None:
        """Wait until all launches are done."""


class PtxDevice:
    """The CPU, which runs what NVRTC makes of ``source``: every access is checked.

    Attributes:
        order: in which threads run; ``seed``: of "shuffled". skipped: the barrier that launches go without, by its
            number in ``module.barriers``; None for none.
    """

    skipped: int | None = None
    missing: tuple[str, ...] = ("gpu",)
    compiler = "NVRTC"
    processors = 4

    def __init__(self, source: str, order: Order = "shuffled", seed: int = 0) -> None:
        self.module = load_ptx(compile_cuda(source, "compute_90").ptx)
        self.order, self.seed = order, seed

    def given(self, words: Device32) -> Device32:
        return words.copy()

    def zeros(self, count: int) -> Device32:
        return np.zeros(count, np.uint32)

    def room(self, count: int) -> Device32:
        return np.full(count, ANY, np.uint32)

    def taken(self, array: Device32) -> Device32:
        return array.copy()

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        self.module.launch(
            kernel, grid=grid, block=(threads,), args=args, shared=shared, order=self.order, seed=self.seed,
            skip_barrier=self.skipped,
        )  # fmt: skip

    def settle(self) -> None:
        """Nothing is left to wait for."""
