"""A package for this machine, built with CMake once for all processes that test it, and called by ctypes."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_int, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from momagen.hexl import HexlPackage, package
from momagen.runtime import missing_features
from momagen.targets import load_target

LONGEST = 512
BEST = ("avx512ifma", "avx512", "avx2")
CMAKE, CXX = shutil.which("cmake"), shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
needs_cmake = pytest.mark.skipif(not (CMAKE and CXX), reason="there is no cmake, or no C++ compiler")
Vector = np.ndarray[Any, np.dtype[np.uint64]]


def targets() -> list[str]:
    """Plain C, and the best vectors that this processor has."""
    return ["c", *[name for name in BEST if not missing_features(load_target(name).features)][:1]]


def made() -> HexlPackage:
    return package(targets(), max_n=LONGEST)


def called(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def separate() -> list[str]:
    """Return the flags for a library of which a process can load two copies that share no object."""
    return ["-fno-gnu-unique"] if "Free Software Foundation" in called([CXX, "--version"]) else []  # GCC alone shares


def build(place: Path) -> Path:
    """The install prefix under ``place``, made by the first process that asks."""
    place.mkdir(exist_ok=True)
    prefix = place / "prefix"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            made().save(place / "hexl")
            quick = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1", "-DCMAKE_CXX_FLAGS_RELEASE=-O3"]
            quick.append(f"-DCMAKE_CXX_FLAGS={' '.join(separate())}")
            called([CMAKE, "-S", place / "hexl", "-B", place / "build", f"-DCMAKE_INSTALL_PREFIX={prefix}", *quick])
            called([CMAKE, "--build", place / "build", "--parallel", "2"])
            called([CMAKE, "--install", place / "build"])
            border = Path(__file__).with_name("border.cpp")
            flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{prefix}/include"]
            library = next(prefix.rglob("libhexl.a"))
            called([CXX, *flags, *separate(), border, library, "-o", place / "border.so"])
            (place / "done").touch()
    return prefix


KINDS = {"p": POINTER(c_uint64), "u": c_uint64, "i": c_int, "v": c_void_p, "o": POINTER(c_void_p)}
"""Letters for the arguments of functions: vectors, numbers, comparisons, objects, places for objects."""
FUNCTIONS = {
    "add": "pppuu", "adds": "ppuuu", "sub": "pppuu", "subs": "ppuuu", "mult": "pppuuu", "fma_": "ppupuuu",
    "reduce": "ppuuuu", "cmpadd": "ppuiuu", "cmpsub": "ppuuiuu",
    "inverse_mod": "puu", "multiply_mod": "puuu", "multiply_precon": "puuu", "multiply_lazy": "puuu",
    "multiply_lazy52": "puuu", "multiply_factor": "puuu", "add_mod": "puuu", "sub_mod": "puuu", "pow_mod": "puuu",
    "reverse_bits": "puu", "is_prime": "pu", "is_root": "puuu", "some_root": "puu", "least_root": "puu",
    "reduce128": "puuu", "reduce64": "puu", "reduce8": "puu", "montgomery": "puuuu", "primes": "puuuu",
    "make": "ouuu", "empty": "o", "copy": "ov", "forward": "vppuu", "inverse": "vppuu", "numbers": "vp",
    "table": "vup", "kept": "uupp", "allocators": "uup", "starved": "uuu",
}  # fmt: skip


class Thrown(Exception):
    """What C++ threw: its kind and its text."""


class Border:
    """The functions of ``border.cpp`` by their names; a vector is an array, or None."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.library.destroy.argtypes, self.library.destroy.restype = [c_void_p], None
        for name, letters in FUNCTIONS.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = [KINDS[letter] for letter in letters], c_char_p

    def __call__(self, name: str, *given: Any) -> None:
        arguments = [_pointer(item) if isinstance(item, np.ndarray) else item for item in given]
        if text := getattr(self.library, name)(*arguments):
            raise Thrown(text.decode())

    def number(self, name: str, *given: int) -> int:
        """What a function of numbers gives."""
        out = np.zeros(1, np.uint64)
        self(name, out, *given)
        return int(out[0])


def _pointer(x: Vector) -> Any:
    assert x.dtype == np.uint64 and x.flags.c_contiguous
    return x.ctypes.data_as(POINTER(c_uint64))


class Transform:
    """One object of class NTT."""

    def __init__(self, border: Border, n: int = 0, q: int = 0, root: int = 0) -> None:
        self.border, self.n, self.handle = border, n, c_void_p()
        place = ctypes.byref(self.handle)
        if n:
            border("make", place, n, q, root)
        else:
            border("empty", place)

    def __del__(self) -> None:
        if self.handle:
            self.border.library.destroy(self.handle)

    def run(self, direction: str, x: Vector, given: int = 1, wanted: int = 1, *, in_place: bool = False) -> Vector:
        y = x.copy() if in_place else np.zeros_like(x)
        self.border(direction, self.handle, y, y if in_place else x, given, wanted)
        return y

    def numbers(self) -> list[int]:
        out = np.zeros(3, np.uint64)
        self.border("numbers", self.handle, out)
        return [int(number) for number in out]

    def table(self, which: int) -> list[int]:
        out = np.zeros(2 * LONGEST + 1, np.uint64)
        self.border("table", self.handle, which, out)
        return [int(number) for number in out[1 : int(out[0]) + 1]]
