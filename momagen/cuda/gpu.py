"""The GPU of this machine: memory and launches on the current device and the current stream of CuPy.

CuPy is imported when the first kernel for CUDA is requested.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.errors import MomagenError, build_error
from momagen.files import write
from momagen.runtime import cache

from .nvrtc import OPTIONS, architectures, compile_cuda, nvrtc_version

OLDEST = (7, 0)
"""The lowest supported compute capability: its threads are independent, and NVRTC 12 compiles for it."""
ALWAYS = 48 * 1024
"""The number of bytes of shared memory that a block may use without a request to the driver."""
INSTALL = "python3 -m pip install cupy-cuda13x, or cupy-cuda12x"


@functools.cache
def find_cupy() -> Any:
    """Return the module cupy if it can use a GPU.

    Raises:
        MomagenError: CuPy is not installed, the driver is missing or too old for it, there is no GPU, or its
            compute capability is too low.
    """
    try:
        cupy = importlib.import_module("cupy")
    except ImportError as error:
        raise build_error(f"CuPy cannot be imported ({error})", "GPU", f"install it ({INSTALL})") from None
    runtime = cupy.cuda.runtime
    try:
        driver, count = runtime.driverGetVersion(), 0
        count = runtime.getDeviceCount() if driver else 0
    except runtime.CUDARuntimeError as error:
        raise build_error(f"CuPy cannot use a GPU ({error})", "GPU") from None
    if not driver:
        raise build_error("no NVIDIA driver was found", "GPU", "check it with nvidia-smi")
    if not count:
        raise build_error("the NVIDIA driver reports no GPU", "GPU", "check whether $CUDA_VISIBLE_DEVICES hides it")
    _capability(cupy)
    return cupy


def why_no_gpu() -> str:
    """Return the reason why kernels cannot run on a GPU, in one line, or "" if they can."""
    try:
        find_cupy()
    except MomagenError as error:
        return str(error)
    return ""


def _capability(cupy: Any) -> str:
    """Return the compute capability of the current device, such as "90".

    Raises:
        MomagenError: It is below ``OLDEST``.
    """
    found = str(cupy.cuda.Device().compute_capability)
    if (int(found[:-1]), int(found[-1])) < OLDEST:
        wanted = f"a GPU with compute capability {OLDEST[0]}.{OLDEST[1]} or higher"
        raise MomagenError(wanted, f"{found[:-1]}.{found[-1]}", "GPU")
    return found


class CupyDevice:
    """The current GPU, with the kernels of a source compiled for its architecture.

    The compiler is the NVRTC that momagen finds if it supports the architecture and is not newer than the
    driver, otherwise CuPy's. Both cache their results for later processes.

    Args:
        source: The CUDA C++ source.
        cubins: Existing machine code of the source by architecture.

    Attributes:
        arch: The architecture, such as "sm_90".
        number: The number of the device in CuPy.
        compiler: The compiler of the kernels.
        missing: The emulated features: none.

    Raises:
        MomagenError: There is no GPU (see :func:`find_cupy`), or the source does not compile.
    """

    missing: tuple[str, ...] = ()

    def __init__(self, source: str, cubins: Mapping[str, bytes] | None = None) -> None:
        self.cupy = find_cupy()
        self.arch, self.number = f"sm_{_capability(self.cupy)}", int(self.cupy.cuda.Device().id)
        self._most = int(self.cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])
        self._kernels: dict[str, Any] = {}
        with self.told("kernel"):
            self._module, self.compiler = self._loaded(source, cubins or {})

    @property
    def processors(self) -> int:
        """The number of multiprocessors."""
        return int(self.cupy.cuda.Device(self.number).attributes["MultiProcessorCount"])

    def given(self, words: NDArray[np.uint32]) -> Any:
        """Return a copy of ``words`` in the memory of the GPU.

        Raises:
            MomagenError: The GPU has too little free memory, or the driver reports an error.
        """
        with self.told("memory"):
            return self.cupy.asarray(words)

    def zeros(self, count: int) -> Any:
        """Return an array of ``count`` words that are 0.

        Raises:
            MomagenError: The GPU has too little free memory, or the driver reports an error.
        """
        with self.told("memory"):
            return self.cupy.zeros(count, np.uint32)

    def room(self, count: int) -> Any:
        """Return an uninitialised array of ``count`` words.

        Raises:
            MomagenError: The GPU has too little free memory, or the driver reports an error.
        """
        with self.told("memory"):
            return self.cupy.empty(count, np.uint32)

    def taken(self, array: Any) -> NDArray[np.uint32]:
        """Return a copy in host memory, after all earlier work on the current stream is complete.

        Raises:
            MomagenError: One of the earlier launches failed.
        """
        with self.told("a launch"):
            found: NDArray[np.uint32] = self.cupy.asnumpy(array)
            return found

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        """Launch a kernel on the current stream; it may still run, and fail, after this method returns.

        Args:
            kernel: The name of the kernel.
            grid: The number of blocks in each dimension.
            threads: The number of threads of a block.
            shared: The number of bytes of dynamic shared memory of a block.
            args: The arguments: arrays of the GPU, and numbers.

        Raises:
            MomagenError: The driver rejects the launch, or the GPU has less shared memory per block.
        """
        with self.told(kernel):
            run = self._kernels.get(kernel)
            if run is None:
                run = self._kernels[kernel] = self._allowed(kernel, shared)
            words = tuple(np.uint32(each) if isinstance(each, int) else each for each in args)
            run(tuple(grid), (threads,), words, shared_mem=shared)

    def settle(self) -> None:
        """Wait until the current stream is idle.

        Raises:
            MomagenError: One of its launches failed.
        """
        with self.told("a launch"):
            self.cupy.cuda.get_current_stream().synchronize()

    @contextmanager
    def told(self, where: str) -> Iterator[None]:
        """Run the block on this device, and raise errors of CuPy and of the driver as a MomagenError for ``where``."""
        cuda = self.cupy.cuda
        try:
            with cuda.Device(self.number):
                yield
        except cuda.memory.OutOfMemoryError as error:
            remedy = "pass fewer transforms per call, or call cupy.get_default_memory_pool().free_all_blocks()"
            raise build_error(f"the GPU has too little free memory ({error})", where, remedy) from None
        except cuda.compiler.CompileException as error:
            raise build_error(f"NVRTC cannot compile the kernel ({error})", where) from None
        except (cuda.driver.CUDADriverError, cuda.runtime.CUDARuntimeError) as error:
            raise build_error(f"the CUDA driver reports an error ({error})", where) from None

    def _allowed(self, kernel: str, shared: int) -> Any:
        """Return a kernel that may use ``shared`` bytes of dynamic shared memory."""
        if shared > self._most:
            problem = f"the kernel needs {shared} bytes of shared memory per block, and this GPU has {self._most}"
            raise build_error(problem, kernel, 'use target="cuda", which needs at most 48 KiB')
        found = self._module.get_function(kernel)
        if shared > ALWAYS:
            found.max_dynamic_shared_size_bytes = shared
        return found

    def _loaded(self, source: str, cubins: Mapping[str, bytes]) -> tuple[Any, str]:
        """Return the loaded module, and the name of its compiler."""
        version, driver = nvrtc_version(), int(self.cupy.cuda.runtime.driverGetVersion())
        ours = version and version[0] * 1000 + version[1] * 10 <= driver and self.arch in architectures()
        cubin = cubins.get(self.arch) or (compile_cuda(source, self.arch).cubin if ours else b"")
        if cubin:
            path = cache.folder("kernels") / f"{cache.key(cubin.hex())}.cubin"
            with cache.writing():
                write(path, cubin, 0o600)
            module, compiler = self.cupy.RawModule(path=str(path)), "NVRTC"
        else:
            module = self.cupy.RawModule(code=source, options=OPTIONS[:2], backend="nvrtc")
            compiler = "CuPy's NVRTC"
        module.compile()
        return module, compiler
