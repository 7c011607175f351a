"""What stands in for CuPy on a machine without a GPU: as much of its interface as momagen uses, over arrays of NumPy.

Its kernels are the PTX that NVRTC makes, run on the CPU by momagen.cuda.ptx. It says nothing about a driver: that
launches are asynchronous, what a GPU's memory holds, how streams order. It shows that our side asks for the right
things.
"""

from __future__ import annotations

import time
import types
from typing import Any, ClassVar

import numpy as np

from momagen.cuda.nvrtc import compile_cuda
from momagen.cuda.ptx.run import load_ptx


class StandArray:
    """An array "of the GPU": as with CuPy's, NumPy cannot read it."""

    def __init__(self, host: np.ndarray[Any, Any], device: int = 0) -> None:
        self.host, self.device = host, types.SimpleNamespace(id=device)
        self.shape, self.dtype, self.size, self.nbytes = host.shape, host.dtype, host.size, host.nbytes
        self.flags, self.strides = types.SimpleNamespace(c_contiguous=host.flags.c_contiguous), host.strides
        self.data = types.SimpleNamespace(ptr=host.ctypes.data, host=host, copy_from_device_async=self._copy)
        self.__cuda_array_interface__ = {"shape": host.shape}

    def _copy(self, source: Any, size: int, stream: Any) -> None:
        self.host.view(np.uint8)[:size] = source.host.view(np.uint8)[:size]

    def __array__(self, *_: object, **__: object) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def set(self, host: np.ndarray[Any, Any]) -> None:
        self.host[...] = host

    def __getitem__(self, at: Any) -> StandArray:
        return StandArray(self.host[at], self.device.id)

    def __setitem__(self, at: Any, other: StandArray) -> None:
        self.host[at] = other.host

    def reshape(self, *shape: Any) -> StandArray:
        return StandArray(self.host.reshape(*shape), self.device.id)

    def view(self, dtype: Any) -> StandArray:
        return StandArray(self.host.view(dtype), self.device.id)

    def astype(self, dtype: Any) -> StandArray:
        return StandArray(self.host.astype(dtype), self.device.id)


class StandKernel:
    """A RawKernel."""

    def __init__(self, cupy: Any, module: Any, name: str) -> None:
        self.cupy, self.module, self.name = cupy, module, name
        self.max_dynamic_shared_size_bytes = 48 * 1024

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0) -> None:
        if self.cupy.broken:
            raise self.cupy.cuda.driver.CUDADriverError("CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise self.cupy.cuda.driver.CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        self.cupy.launches.append((self.name, grid, block, shared_mem))
        given = [each.host if isinstance(each, StandArray) else each for each in args]
        assert all(isinstance(each, np.ndarray | np.uint32 | np.uint64) for each in given)
        self.module.launch(self.name, grid=[*map(int, grid)], block=block, args=given, shared=shared_mem)


class StandModule:
    """A RawModule. A cubin runs on no CPU: what NVRTC made it from is looked up by :func:`stand_cupy`."""

    def __init__(self, cupy: Any, code: str | None = None, path: str | None = None, **options: object) -> None:
        assert (code is None) != (path is None)
        self.cupy, self.options = cupy, options
        self.code = code if code is not None else cupy.source
        if path is not None:
            with open(path, "rb") as file:
                assert file.read(4) == b"\x7fELF"

    def compile(self) -> None:
        self.module = load_ptx(compile_cuda(self.code, "compute_90").ptx)
        self.cupy.compiled += 1

    def get_function(self, name: str) -> StandKernel:
        return StandKernel(self.cupy, self.module, name)


class StandDevice:
    """cupy.cuda.Device."""

    compute_capability, mem_info = "90", (1 << 20, 1 << 21)
    attributes: ClassVar = {"MaxSharedMemoryPerBlockOptin": 232448, "L2CacheSize": 4096, "MultiProcessorCount": 2}

    def __init__(self, number: int = 0) -> None:
        self.id = number

    def __enter__(self) -> StandDevice:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class StandStream:
    """cupy.cuda.Stream, whose work is done at once; it captures nothing."""

    ptr = 0

    def __init__(self, non_blocking: bool = False) -> None:
        self.non_blocking = non_blocking

    def use(self) -> None:
        return None

    def synchronize(self) -> None:
        return None

    def begin_capture(self) -> None:
        raise RuntimeError("operation not supported")


class StandEvent:
    """cupy.cuda.Event."""

    def record(self, stream: StandStream) -> None:
        self.at = time.perf_counter()


def stand_cupy(source: str = "") -> Any:
    """A module like CuPy; ``source``: what a cubin was made from.

    Attributes:
        launches: name, grid, block and shared memory of each. compiled: how many modules. broken: launches fail.
        most: bytes that there is memory for.
    """
    cupy: Any = types.ModuleType("cupy")
    cupy.launches, cupy.compiled, cupy.broken, cupy.most, cupy.source = [], 0, False, 1 << 30, source
    memory = types.SimpleNamespace(OutOfMemoryError=type("OutOfMemoryError", (MemoryError,), {}))
    driver = types.SimpleNamespace(CUDADriverError=type("CUDADriverError", (RuntimeError,), {}))
    runtime = types.SimpleNamespace(
        CUDARuntimeError=type("CUDARuntimeError", (RuntimeError,), {}),
        driverGetVersion=lambda: 13050, getDeviceCount=lambda: 1, runtimeGetVersion=lambda: 13000,
        getDeviceProperties=lambda number: {"name": b"Stand-in"},
    )  # fmt: skip
    compiler = types.SimpleNamespace(CompileException=type("CompileException", (Exception,), {}))
    stream = StandStream()
    device: Any = type("StandDevice", (StandDevice,), {})
    cupy.cuda = types.SimpleNamespace(
        memory=memory, driver=driver, runtime=runtime, compiler=compiler, Device=device,
        get_current_stream=lambda: stream, Stream=StandStream, Event=StandEvent,
        get_elapsed_time=lambda start, end: (end.at - start.at) * 1e3,
    )  # fmt: skip

    def held(host: np.ndarray[Any, Any]) -> StandArray:
        if host.nbytes > cupy.most:
            raise memory.OutOfMemoryError(f"Out of memory allocating {host.nbytes} bytes")
        return StandArray(host)

    cupy.asarray = lambda a: a if isinstance(a, StandArray) else held(np.array(a))
    cupy.__version__ = "stand-in"
    cupy.get_default_memory_pool = lambda: types.SimpleNamespace(free_all_blocks=lambda: None)
    cupy.asnumpy = lambda a: a.host.copy()
    cupy.zeros = lambda shape, dtype: held(np.zeros(shape, dtype))
    cupy.empty = lambda shape, dtype: held(np.full(shape, 0xEE, dtype))
    cupy.RawModule = lambda **given: StandModule(cupy, **given)
    return cupy
