"""NVRTC, NVIDIA's run-time compiler, as a library that is loaded with ctypes.

It needs no driver, no headers and no GPU.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, build_error
from momagen.runtime.load import load

from .places import libraries

PATTERN = r"libnvrtc\.so(\.\d+)*|nvrtc64_\d+_\d\.dll"
INSTALL = "python3 -m pip install nvidia-cuda-nvrtc"
INSTALL_12 = "python3 -m pip install nvidia-cuda-nvrtc-cu12"


class NvrtcStatus(Exception):
    """The exception for an error of NVRTC.

    Attributes:
        why: The error in the words of NVRTC.
        log: The log of the compilation.
    """

    def __init__(self, why: str, log: str) -> None:
        super().__init__(why)
        self.why, self.log = why, log


@dataclass(frozen=True)
class Nvrtc:
    """A loaded NVRTC library.

    Attributes:
        library: The library.
        path: The path or name from which it was loaded.
        version: The version of CUDA, such as (13, 5).
        architectures: The supported architectures as ascending numbers, such as 90 for sm_90.
    """

    library: ctypes.CDLL
    path: str
    version: tuple[int, int]
    architectures: tuple[int, ...]

    def __str__(self) -> str:
        return f"NVRTC {self.version[0]}.{self.version[1]}"

    def compile(self, source: bytes, name: str, options: Sequence[str]) -> tuple[str, bytes, str]:
        """Return the PTX, the machine code and the log of a program.

        There is no machine code for virtual architectures.

        Args:
            source: The CUDA C++ source.
            name: The name of the file in messages.
            options: The options of NVRTC.

        Raises:
            NvrtcStatus: The program does not compile.
        """
        made = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(made), source, name.encode(), 0, None, None)
        try:
            given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            status = self.library.nvrtcCompileProgram(made, len(options), given)
            log = self._take("nvrtcGetProgramLog", "nvrtcGetProgramLogSize", made).rstrip(b"\0")
            if status:
                raise NvrtcStatus(self._error(status), log.decode(errors="replace"))
            ptx = self._take("nvrtcGetPTX", "nvrtcGetPTXSize", made).rstrip(b"\0")
            cubin = self._take("nvrtcGetCUBIN", "nvrtcGetCUBINSize", made)
            return ptx.decode(), cubin, log.decode(errors="replace").strip()
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(made))

    def _take(self, function: str, size: str, made: ctypes.c_void_p) -> bytes:
        count = ctypes.c_size_t()
        self._call(size, made, ctypes.byref(count))
        room = ctypes.create_string_buffer(count.value)
        if count.value:
            self._call(function, made, room)
        return room.raw

    def _call(self, function: str, *arguments: object) -> None:
        if status := getattr(self.library, function)(*arguments):
            raise NvrtcStatus(f"{function}: {self._error(status)}", "")

    def _error(self, status: int) -> str:
        told: bytes = self.library.nvrtcGetErrorString(status)
        return told.decode()


def nvrtc(architecture: int | None = None) -> Nvrtc:
    """Return an NVRTC library.

    Libraries are searched for in wheels (newest first), in $CUDA_HOME, in $CUDA_PATH and by the loader of the
    system.

    Args:
        architecture: The number of an architecture that it must support, such as 90 for sm_90, or None.

    Raises:
        MomagenError: No library can be loaded, or none supports the architecture.
    """
    found = _found()
    if not found:
        problem = "NVIDIA's run-time compiler libnvrtc was not found or cannot be loaded"
        raise build_error(problem, "CUDA", f"install it ({INSTALL})")
    for each in found:
        if architecture is None or architecture in each.architectures:
            return each
    known = ", ".join(f"sm_{number}" for number in found[0].architectures)
    hint = f"for sm_50 to sm_72 install CUDA 12's: {INSTALL_12}" if architecture and architecture < 75 else ""
    expected = f"one of the architectures that {found[0]} supports: {known}"
    raise MomagenError(expected, f"sm_{architecture}", "architecture", hint)


@functools.cache
def _found() -> tuple[Nvrtc, ...]:
    """Return every NVRTC library that can be loaded, once per version."""
    found: dict[tuple[int, int], Nvrtc] = {}
    for path in _paths():
        try:
            each = _loaded(path)
        except (MomagenError, OSError, AttributeError):  # the library is for another machine or too old
            continue
        found.setdefault(each.version, each)
    return tuple(found.values())


def _paths() -> Iterator[str]:
    yield from map(str, libraries(PATTERN))
    if system := ctypes.util.find_library("nvrtc"):
        yield system


def _loaded(path: str) -> Nvrtc:
    library = load(path) if "/" in path or "\\" in path else ctypes.CDLL(path)
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    library.nvrtcGetSupportedArchs(numbers)
    return Nvrtc(library, path, (major.value, minor.value), tuple(sorted(numbers)))
