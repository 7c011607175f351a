"""Where a run is: a GPU through CuPy, with its events, graphs and attributes, or (dry) the CPU in its place."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from momagen.cuda.gpu import CupyDevice, find_cupy

from .kernel import Words32

Call = Callable[[], None]


class GpuMachine:
    """The current GPU.

    Attributes:
        cupy: the module. l2: bytes of the second cache. sms: streaming multiprocessors.
    """

    dry = False

    def __init__(self) -> None:
        self.cupy = find_cupy()
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.stream.use()  # graphs are captured on it, so all work is on it
        at = self.cupy.cuda.Device().attributes
        self.l2, self.sms = int(at["L2CacheSize"]), int(at["MultiProcessorCount"])

    def device(self, source: str, cubins: Mapping[str, bytes] | None = None) -> CupyDevice:
        return CupyDevice(source, cubins)

    def describe(self) -> dict[str, Any]:
        """What a result has to say of the machine."""
        cuda, runtime = self.cupy.cuda, self.cupy.cuda.runtime
        found = runtime.getDeviceProperties(cuda.Device().id)
        name = found["name"]
        return {
            "device": name.decode() if isinstance(name, bytes) else str(name),
            "capability": str(cuda.Device().compute_capability), "sms": self.sms, "l2_bytes": self.l2,
            "memory_bytes": int(cuda.Device().mem_info[1]), "driver": int(runtime.driverGetVersion()),
            "cuda": int(runtime.runtimeGetVersion()), "cupy": self.cupy.__version__, "driver_version": _driver(),
        }  # fmt: skip

    def free(self) -> int:
        """Bytes that are free for arrays."""
        self.release()
        return int(self.cupy.cuda.Device().mem_info[0])

    def release(self) -> None:
        """Give back memory that nothing holds."""
        self.stream.synchronize()
        self.cupy.get_default_memory_pool().free_all_blocks()

    def tiled(self, words: Words32, times: int) -> Any:
        """``words`` so often behind one another, on the device: the last copy doubles what is there."""
        size = len(words)
        found = self.cupy.empty(size * times, np.uint32)
        found[:size].set(words)
        done = 1
        while done < times:
            more = min(done, times - done)
            found[done * size :].data.copy_from_device_async(found.data, more * size * 4, self.stream)
            done += more
        return found

    def timed(self, call: Call, repetitions: int, samples: int) -> list[float]:
        """Milliseconds of one ``call``, by events around ``repetitions`` of them, which one graph launches where the
        driver captures one: no time of the host is in it."""
        run = self._graph(call, repetitions)
        events = [(self.cupy.cuda.Event(), self.cupy.cuda.Event()) for _ in range(samples)]
        run()
        for start, end in events:
            start.record(self.stream)
            run()
            end.record(self.stream)
        self.stream.synchronize()
        return [self.cupy.cuda.get_elapsed_time(*pair) / repetitions for pair in events]

    def _graph(self, call: Call, repetitions: int) -> Call:
        def plain() -> None:
            for _ in range(repetitions):
                call()

        plain() if repetitions == 1 else call()  # kernels are loaded before a capture
        self.stream.synchronize()
        try:
            self.stream.begin_capture()
            try:
                plain()
            finally:
                graph = self.stream.end_capture()
            graph.launch(self.stream)
            self.stream.synchronize()
        except Exception:  # of any kind: what cannot be captured is launched one by one
            return plain
        return lambda: graph.launch(self.stream)


class DryMachine:
    """The CPU, which runs the PTX: times are counted, and mean nothing."""

    dry, l2, sms = True, 0, 1

    def device(self, source: str, cubins: Mapping[str, bytes] | None = None) -> Any:
        from momagen.cuda.device import PtxDevice

        return PtxDevice(source)

    def describe(self) -> dict[str, Any]:
        return {"device": "none: PTX on the CPU", "capability": "", "sms": 0, "l2_bytes": 0, "memory_bytes": 0}

    def free(self) -> int:
        return 1 << 15

    def release(self) -> None:
        """Nothing is kept."""

    def tiled(self, words: Words32, times: int) -> Words32:
        return np.tile(words, times)

    def timed(self, call: Call, repetitions: int, samples: int) -> list[float]:
        found = []
        for _ in range(samples):
            start = time.perf_counter()
            call()
            found.append((time.perf_counter() - start) * 1e3)
        return found


Machine = GpuMachine | DryMachine


def quantile(samples: list[float], part: float) -> float:
    """The smallest sample that ``part`` of them do not exceed."""
    return sorted(samples)[max(0, math.ceil(part * len(samples)) - 1)]


def _driver() -> str:
    """The driver's own version, as nvidia-smi has it; "" where the system does not say."""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return ""
