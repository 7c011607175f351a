"""PTX modules, which are loaded and launched on the CPU."""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Sequence
from typing import Any, Literal

from numpy.typing import NDArray

from momagen.errors import MomagenError, among, build_error
from momagen.runtime.compile import compile_shared
from momagen.runtime.load import load

from .barriers import barrier_lines
from .launch.arguments import Argument, Array
from .launch.border import LaunchInC, Three
from .launch.counters import Counters
from .launch.faults import SPACES, fault_error
from .launch.memory import LaunchMemory
from .launch.symbols import make_symbols
from .syntax.unit import read_unit
from .translate.layout import PtxKernel
from .translate.source import PtxSource, write_source

Order = Literal["forward", "reversed", "shuffled"]
ORDERS = ("forward", "reversed", "shuffled")
FLAGS = ("-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-w", "-lm")
LARGE = 2000
"""The number of lines of C above which the code is not optimised. It then runs at a third of the speed, but
100,000 lines compile in 6 s instead of 24 s."""
MOST_THREADS, MOST_SHARED = 1024, 227 * 1024
"""The largest number of threads of a block, which all GPUs since sm_75 have in common, and the largest number
of bytes of its shared memory, which sm_90 and sm_100 have in common."""
TURNS = 1 << 28
"""The number of backward jumps of all threads after which a launch is assumed never to end."""


class PtxModule:
    """A PTX module that is ready to run.

    Args:
        text: The PTX, which is parsed, translated to C and compiled.

    Attributes:
        lines: The lines of the PTX.
        kernels: The names of its kernels.
        barriers: The line number of each barrier.

    Raises:
        MomagenError: An instruction is not supported (the message has its line), or no C compiler is
            installed.
    """

    def __init__(self, text: str) -> None:
        if sys.platform == "win32":
            raise build_error("running PTX on the CPU needs Linux or macOS", "PTX")
        self.lines = text.splitlines()
        source = _translated(text)
        flags = [*FLAGS, "-O0" if source.text.count("\n") > LARGE else "-O1"]
        self._library = load(compile_shared(source.text, name="ptx", flags=flags, includes=source.headers))
        self._source = source
        self._symbols = make_symbols(source.symbols)
        self.barriers = tuple(barrier_lines(text))
        self.kernels = tuple(each.name for each in source.kernels)

    def symbol(self, name: str) -> NDArray[Any]:
        """Return the array of a variable in global or constant memory. The kernels see changes to it.

        Raises:
            MomagenError: The PTX has no variable of this name.
        """
        if not self._symbols:
            raise build_error("the PTX has no variables in global or constant memory", "symbol")
        if name not in self._symbols:
            raise among("one of the variables", self._symbols, name, "symbol")
        return self._symbols[name]

    def kernel(self, name: str) -> PtxKernel:
        """Return the kernel ``name`` with its parameters.

        Raises:
            MomagenError: The PTX has no kernel of this name.
        """
        found = [each for each in self._source.kernels if each.name == name]
        if not found:
            raise among("one of the kernels", self.kernels, name, "launch")
        return found[0]

    def launch(
        self,
        name: str,
        *,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Argument],
        shared: int = 0,
        order: Order = "forward",
        seed: int = 0,
        count: bool = False,
        memory: Sequence[Array] = (),
        skip_barrier: int | None = None,
    ) -> Counters:
        """Run a kernel: one block after another, and each thread of a block until it waits or ends.

        Args:
            name: The name of the kernel.
            grid: The number of blocks in up to three dimensions.
            block: The number of threads of a block in up to three dimensions.
            args: For each parameter an array, a number, or the bytes of a structure. An array is global
                memory, which the kernel changes in place; if it is read-only, the kernel must not write to
                it.
            shared: The number of bytes of dynamic shared memory.
            order: The order of threads and blocks. The order "shuffled" changes after each barrier.
            seed: The seed of the order "shuffled".
            count: Whether accesses are counted.
            memory: Arrays that are reached by addresses inside other arguments.
            skip_barrier: The index of an element of ``barriers``. The kernel runs without this barrier, as
                the result of :func:`~momagen.cuda.ptx.barriers.without_barrier` would.

        Raises:
            PtxFault: The kernel accesses memory outside these arrays, reads uninitialised shared memory,
                lacks a barrier, has blocks that depend on each other, does not end, divides by 0 or traps.
                The error names lines of the PTX. The arrays keep their contents at the fault.
            MomagenError: The arguments are invalid.
        """
        if order not in ORDERS:
            raise among("one of the orders", ORDERS, order, "order")
        kernel = self.kernel(name)
        launch = _shape(kernel, grid, block, shared)
        held = LaunchMemory(self._source, self._symbols, args, memory)
        held.give(launch, kernel, count)
        if skip_barrier is not None:
            launch.skipped = self._barrier(skip_barrier)
        launch.order, launch.seed = ORDERS.index(order), seed % (1 << 64)
        number = ctypes.c_uint32(self._source.kernels.index(kernel))
        self._library.mg_launch_kernel(ctypes.byref(launch), number)
        fault = launch.fault
        if fault.code:
            raise fault_error(name, fault, self.lines, held.place(fault.address, SPACES[fault.space]))
        return held.counters(launch) if count else Counters(barriers=launch.barriers)

    def _barrier(self, k: int) -> int:
        if not 0 <= k < len(self.barriers):
            expected = f"a number below {len(self.barriers)}, the number of barriers in the PTX"
            raise MomagenError(expected, k, "skip_barrier")
        return self.barriers[k]


@functools.lru_cache(maxsize=8)
def _translated(text: str) -> PtxSource:
    return write_source(read_unit(text))


def load_ptx(text: str) -> PtxModule:
    """Return the module of PTX code. The same code is translated and compiled once."""
    return PtxModule(text)


def _three(sizes: Sequence[int], where: str) -> tuple[int, int, int]:
    found = [*sizes, 1, 1, 1][:3]
    if not 1 <= len(sizes) <= 3 or not all(isinstance(each, int) and 1 <= each < 1 << 31 for each in found):
        raise MomagenError("one to three positive integers", sizes, where)
    return found[0], found[1], found[2]


def _shape(kernel: PtxKernel, grid: Sequence[int], block: Sequence[int], shared: int) -> LaunchInC:
    blocks, threads = _three(grid, "grid"), _three(block, "block")
    if math.prod(threads) > MOST_THREADS:
        raise MomagenError(f"at most {MOST_THREADS} threads per block", math.prod(threads), "block")
    if math.prod(blocks) >= 1 << 31:
        raise MomagenError("fewer than 2^31 blocks", math.prod(blocks), "grid")
    if not 0 <= shared <= MOST_SHARED - kernel.shared_bytes:
        most = MOST_SHARED - kernel.shared_bytes
        raise MomagenError(f"from 0 to {most} bytes of dynamic shared memory", shared, "shared")
    return LaunchInC(
        grid=Three(*blocks), block=Three(*threads), stack_bytes=kernel.stack_bytes, turns=TURNS,
        shared_bytes=kernel.shared_bytes + shared, local_bytes=kernel.local_bytes,
    )  # fmt: skip
