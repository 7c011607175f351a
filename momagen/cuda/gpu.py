"""The GPU of this machine, through CuPy: memory and launches on the current device and the current stream.

CuPy is imported when the first kernel for CUDA is asked for, and not before.
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
"""The compute capability from which on kernels run: independent threads, and what NVRTC 12 compiles for."""
ALWAYS = 48 * 1024
"""Bytes of shared memory that a block may have without being asked for by the driver."""
INSTALL = "python3 -m pip install cupy-cuda13x, or cupy-cuda12x"


@functools.cache
def find_cupy() -> Any:
    """Return the module cupy if it can use a GPU.

    Raises:
        MomagenError: CuPy is not installed, the driver is missing or too old for it, there is no GPU, or its compute
            capability is too low.
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
    """Why kernels cannot run on a GPU here, in one line; "" where they can."""
    try:
        find_cupy()
    except MomagenError as error:
        return str(error)
    return ""


def _capability(cupy: Any) -> str:
    """Return the compute capability of the current device, such as "90".

    Raises:
        MomagenError: it is below ``OLDEST``.
    """
    found = str(cupy.cuda.Device().compute_capability)
    if (int(found[:-1]), int(found[-1])) < OLDEST:
        wanted = f"a GPU with compute capability {OLDEST[0]}.{OLDEST[1]} or higher"
        raise MomagenError(wanted, f"{found[:-1]}.{found[-1]}", "GPU")
    return found


class CupyDevice:
    """The current GPU, with the kernels of ``source`` compiled for its architecture.

    By the NVRTC that momagen finds where that knows the architecture and is no newer than the driver, else by CuPy's.
    Either keeps what it makes, so that the next process loads it.

    Args:
        cubins: machine code of ``source`` that is there already, by architecture.

    Attributes:
        arch: as "sm_90". number: CuPy's of the device. compiler: what made the kernels.
        missing: nothing: kernels run where they are meant to.

    Raises:
        MomagenError: no GPU (:func:`find_cupy`), or ``source`` does not compile.
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
        with self.told("memory"):
            return self.cupy.asarray(words)

    def zeros(self, count: int) -> Any:
        with self.told("memory"):
            return self.cupy.zeros(count, np.uint32)

    def room(self, count: int) -> Any:
        with self.told("memory"):
            return self.cupy.empty(count, np.uint32)

    def taken(self, array: Any) -> NDArray[np.uint32]:
        """A copy on the host, once everything before it on the current stream is done.

        Raises:
            MomagenError: one of the launches before failed.
        """
        with self.told("a launch"):
            found: NDArray[np.uint32] = self.cupy.asnumpy(array)
            return found

    def launch(self, kernel: str, grid: Sequence[int], threads: int, shared: int, args: Sequence[Any]) -> None:
        """On the current stream; it may still run, and fail, afterwards.

        Raises:
            MomagenError: the driver refuses it, or the GPU has not so much shared memory for a block.
        """
        with self.told(kernel):
            run = self._kernels.get(kernel)
            if run is None:
                run = self._kernels[kernel] = self._allowed(kernel, shared)
            words = tuple(np.uint32(each) if isinstance(each, int) else each for each in args)
            run(tuple(grid), (threads,), words, shared_mem=shared)

    def settle(self) -> None:
        """Wait for the current stream.

        Raises:
            MomagenError: one of its launches failed.
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
        """Return a kernel that is allowed ``shared`` bytes of shared memory."""
        if shared > self._most:
            problem = f"the kernel needs {shared} bytes of shared memory per block, and this GPU has {self._most}"
            raise build_error(problem, kernel, 'use target="cuda", which needs at most 48 KiB')
        found = self._module.get_function(kernel)
        if shared > ALWAYS:
            found.max_dynamic_shared_size_bytes = shared
        return found

    def _loaded(self, source: str, cubins: Mapping[str, bytes]) -> tuple[Any, str]:
        """The module, and what compiled it."""
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
