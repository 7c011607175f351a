"""Devices that run kernels: a GPU, or the CPU, which emulates the PTX of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .nvrtc import compile_cuda
from .ptx.run import Order, load_ptx

Device32 = NDArray[np.uint32]
ANY = 0xDEADBEEF
"""The value of uninitialised memory on the emulated device."""


class Device(Protocol):
    """A device with memory and launches of kernels. Its arrays consist of 32-bit words."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The emulated features: none on a GPU."""

    @property
    def compiler(self) -> str:
        """The name of the compiler of its kernels."""

    @property
    def processors(self) -> int:
        """The number of multiprocessors."""

    def given(self, words: Device32) -> Any:
        """Return a copy of ``words`` in the memory of the device."""

    def zeros(self, count: int) -> Any:
        """Return an array of ``count`` words that are 0."""

    def room(self, count: int) -> Any:
        """Return an uninitialised array of ``count`` words."""

    def taken(self, array: Any) -> Device32:
        """Return a copy of an array of the device in host memory."""

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        """Launch a kernel.

        Args:
            kernel: The name of the kernel.
            grid: The number of blocks in each dimension.
            threads: The number of threads of a block.
            shared: The number of bytes of dynamic shared memory of a block.
            args: The arguments: arrays of the device, and numbers.
        """

    def settle(self) -> None:
        """Wait until all launches are complete."""


class PtxDevice:
    """The CPU, which emulates the PTX that NVRTC generates from a source. Every memory access is checked.

    Args:
        source: The CUDA C++ source.
        order: The order in which threads run.
        seed: The seed of the order "shuffled".

    Attributes:
        skipped: The index of a barrier in ``module.barriers`` that launches omit, or None.
        missing: The emulated features.
        compiler: The name of the compiler.
        processors: The number of multiprocessors, as far as kernels depend on it.
        module: The loaded PTX.
    """

    skipped: int | None = None
    missing: tuple[str, ...] = ("gpu",)
    compiler = "NVRTC"
    processors = 4

    def __init__(self, source: str, order: Order = "shuffled", seed: int = 0) -> None:
        self.module = load_ptx(compile_cuda(source, "compute_90").ptx)
        self.order, self.seed = order, seed

    def given(self, words: Device32) -> Device32:
        """Return a copy of ``words``."""
        return words.copy()

    def zeros(self, count: int) -> Device32:
        """Return an array of ``count`` words that are 0."""
        return np.zeros(count, np.uint32)

    def room(self, count: int) -> Device32:
        """Return an array of ``count`` words with the value ``ANY``."""
        return np.full(count, ANY, np.uint32)

    def taken(self, array: Device32) -> Device32:
        """Return a copy of ``array``."""
        return array.copy()

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        """Run a kernel to its end; see :meth:`Device.launch`.

        Raises:
            PtxFault: The kernel made an error, such as an access outside its arrays.
        """
        self.module.launch(
            kernel, grid=grid, block=(threads,), args=args, shared=shared, order=self.order, seed=self.seed,
            skip_barrier=self.skipped,
        )  # fmt: skip

    def settle(self) -> None:
        """Do nothing, because launches are complete when they return."""
