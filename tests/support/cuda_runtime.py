"""A stand-in for CUDA's runtime: the host's part of a .cu file, built by a C++ compiler, on kernels that the CPU runs.

Memory of the "GPU" is NumPy's, and begins as junk; launches run the PTX that NVRTC makes of the same file. Any function
can be told to fail, and every call is kept.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momagen.cuda.nvrtc import compile_cuda
from momagen.cuda.ptx.run import PtxModule, load_ptx
from momagen.emit import Source

HERE = Path(__file__).resolve().parent
HOST = re.compile(r"^#ifndef __CUDACC_RTC__\n(.*?)^#endif$", re.MULTILINE | re.DOTALL)
KERNEL = re.compile(r"^MG_KERNEL void __launch_bounds__\([\d, ]+\) (\w+)\(", re.MULTILINE)
STRICT = ("-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
FRONT = '#include "{name}.h"\n#include <cuda_runtime.h>\n#include <stdlib.h>\ncuda_hooks hooks;\n'
HOOKS = {
    "device": (POINTER(c_int),), "attribute": (POINTER(c_int), c_int, c_int), "kernel": (c_char_p,),
    "opt_in": (c_char_p, c_int, c_int), "allocate": (POINTER(c_void_p), c_size_t), "release": (c_void_p,),
    "copy": (c_void_p, c_void_p, c_size_t, c_int), "pointer": (c_void_p, POINTER(c_int), POINTER(c_int)),
    "launch": (c_char_p, POINTER(c_uint), POINTER(c_uint), POINTER(c_void_p), c_size_t, c_void_p), "wait": (),
}  # fmt: skip
UNREGISTERED, PINNED, DEVICE, MANAGED = range(4)
INVALID_VALUE, ILLEGAL_ADDRESS = 1, 700
PLAIN_SHARED = 48 << 10
PROCESSORS, SHARED_OPTIN = 16, 97
"""Attributes of a device, by driver_types.h."""
Words32 = NDArray[np.uint32]


class Hooks(ctypes.Structure):
    """cuda_hooks of cuda_runtime.h."""

    _fields_ = [(name, CFUNCTYPE(c_int, *given)) for name, given in HOOKS.items()]


def host_text(source: Source) -> str:
    """The host's part of a file, its kernels by their names."""
    names = KERNEL.findall(source.source)
    kernels = "".join(f'static const char {name}[] = "{name}";\n' for name in names)
    (host,) = HOST.findall(source.source)
    return FRONT.format(name=source.name) + kernels + host


def cpp() -> str | None:
    """A C++ compiler."""
    return shutil.which("g++") or shutil.which("clang++")


def built(source: Source, folder: Path, files: Sequence[str] = ()) -> Path:
    """The host's part as a library, with other ``files`` of the folder."""
    (folder / f"{source.name}.h").write_text(source.header, encoding="utf-8")
    (folder / "host.cpp").write_text(host_text(source), encoding="utf-8")
    command = [str(cpp()), *STRICT, f"-I{HERE}", "host.cpp", *files, "-o", "host.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "host.so"


class CudaRuntime:
    """The runtime, and the library that runs on it.

    Attributes:
        failing: what functions answer instead of doing their work, by name; or by name and number of the call.
        calls: the names of those that were called. memory: what is allocated, by address. kinds: types of memory other
            than a GPU's own, devices: those other than the one in use, by address. opted_in: shared memory by kernel.
        lost: the error that every function answers after a launch failed while it ran.
    """

    def __init__(self, source: Source, folder: Path, files: Sequence[str] = ()) -> None:
        self.library = ctypes.CDLL(str(built(source, folder, files)))
        self.module: PtxModule = load_ptx(compile_cuda(source.source, "compute_90").ptx)
        self._hooks = Hooks(*(kind(self._hook(name)) for name, kind in Hooks._fields_))
        Hooks.from_address(ctypes.addressof(ctypes.c_char.in_dll(self.library, "hooks"))).__init__(
            *(getattr(self._hooks, name) for name in HOOKS)
        )
        self.memory: dict[int, NDArray[np.uint8]] = {}
        self.reset()

    def reset(self) -> None:
        """A new device, whose memory stays."""
        self.failing: dict[str | tuple[str, int], int] = {}
        self.calls: list[str] = []
        self.kinds: dict[int, int] = {}
        self.devices: dict[int, int] = {}
        self.opted_in: dict[str, int] = {}
        self.most_shared, self.processors, self.number, self.lost = 227 << 10, 2, 0, 0

    def given(self, words: Words32) -> int:
        """The address of a copy of ``words`` in the memory of the GPU."""
        address = self._allocated(words.nbytes)
        self.memory[address][:] = words.view(np.uint8).reshape(-1)
        return address

    def taken(self, address: int) -> Words32:
        """What stands at an address that was allocated."""
        return self.memory[address].view(np.uint32).copy()

    def _allocated(self, size: int) -> int:
        room = np.full(size + 256, 0xA5, np.uint8)
        start = -room.ctypes.data % 256
        array = room[start : start + size]
        self.memory[array.ctypes.data] = array
        return array.ctypes.data

    def _hook(self, name: str) -> Any:
        work = getattr(self, f"_{name}")

        def called(*given: Any) -> int:
            count = sum(each == name for each in self.calls)
            self.calls.append(name)
            told = self.failing.get(name) or self.failing.get((name, count)) or self.lost
            return told or work(*given) or 0

        return called

    def _device(self, number: Any) -> None:
        number[0] = self.number

    def _attribute(self, value: Any, number: int, device: int) -> int | None:
        assert number in (PROCESSORS, SHARED_OPTIN) and device == self.number
        value[0] = self.processors if number == PROCESSORS else self.most_shared
        return None

    def _kernel(self, name: bytes) -> None:
        assert name.decode() in self.module.kernels

    def _opt_in(self, name: bytes, attribute: int, value: int) -> int | None:
        assert attribute == 8
        self.opted_in[name.decode()] = value
        return INVALID_VALUE if value > self.most_shared else None

    def _allocate(self, address: Any, size: int) -> None:
        address[0] = self._allocated(size)

    def _release(self, address: int | None) -> int | None:
        return None if not address or self.memory.pop(address, None) is not None else INVALID_VALUE

    def _copy(self, to: int, source: int, size: int, kind: int) -> int | None:
        there = to if kind == 1 else source
        if not any(base <= there and there + size <= base + array.nbytes for base, array in self.memory.items()):
            return INVALID_VALUE
        ctypes.memmove(to, source, size)
        return None

    def _pointer(self, address: int, kind: Any, device: Any) -> None:
        base = next((at for at, array in self.memory.items() if at <= address < at + max(1, array.nbytes)), None)
        kind[0] = UNREGISTERED if base is None else self.kinds.get(base, DEVICE)
        device[0] = -1 if base is None else self.devices.get(base, self.number)

    def _launch(self, name: bytes, grid: Any, block: Any, args: Any, shared: int, stream: int | None) -> int | None:
        kernel = self.module.kernel(name.decode())
        if shared > max(PLAIN_SHARED, self.opted_in.get(kernel.name, 0)):
            return INVALID_VALUE
        sizes = [8 if each.variable.type.endswith("64") else 4 for each in kernel.parameters]
        given = [int.from_bytes(ctypes.string_at(args[i], size), "little") for i, size in enumerate(sizes)]
        self.module.launch(
            kernel.name, grid=grid[:3], block=block[:3], args=given, shared=shared, order="shuffled",
            memory=[array for array in self.memory.values() if array.nbytes],
        )  # fmt: skip
        self.streams = stream
        return None

    def _wait(self) -> None:
        return None
