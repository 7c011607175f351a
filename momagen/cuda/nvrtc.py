"""The compilation of CUDA C++ to PTX and machine code by NVRTC without a GPU, with a cache of the results."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, build_error
from momagen.runtime import cache
from momagen.runtime.sealed import SUFFIX, seal, unseal

from .library import Nvrtc, NvrtcStatus, nvrtc

OPTIONS = ("--device-int128", "--std=c++17", "--ptxas-options=-v")
"""The options of every compilation. They enable unsigned __int128, and a log with the registers and spills of
every kernel."""
ARCHITECTURE = re.compile(r"(sm|compute)_(\d+)[af]?")
ERRORS = 3
"""The largest number of lines of the compiler's errors in a message."""


@dataclass(frozen=True)
class CudaProgram:
    """A program that NVRTC has compiled.

    Attributes:
        ptx: Its PTX.
        cubin: Its machine code as an ELF file; empty for a virtual architecture such as compute_90.
        log: The log of the compiler: warnings, and the resources of each kernel.
        arch: The requested architecture.
        version: The version of NVRTC, such as (13, 5).
        seconds: The duration of the compilation, also if the program was in the cache.
    """

    ptx: str
    cubin: bytes
    log: str
    arch: str
    version: tuple[int, int]
    seconds: float


def compile_cuda(
    source: str, arch: str = "sm_90", *, name: str = "kernel.cu", options: Sequence[str] = ()
) -> CudaProgram:
    """Compile CUDA C++ that includes no headers.

    Args:
        source: The program. Functions that a host launches must be ``extern "C" __global__``.
        arch: The architecture. "sm_90" generates PTX and machine code, "compute_90" only PTX.
        name: The name of the file in messages.
        options: Options of NVRTC in addition to ``OPTIONS``.

    Raises:
        MomagenError: NVRTC is not installed or does not support the architecture, or the program does not
            compile.
    """
    library = _library(arch)
    given = (f"--gpu-architecture={arch}", *OPTIONS, *options)
    path = cache.folder("kernels") / f"nvrtc-{_key(library, source, name, given)}{SUFFIX}"
    if (told := unseal(path)) is None:
        told = _compiled(library, source, name, given)
        with cache.writing():
            seal(path, told)
    row = json.loads(told)
    return CudaProgram(row["ptx"], base64.b64decode(row["cubin"]), row["log"], arch, library.version, row["seconds"])


def nvrtc_version() -> tuple[int, int] | None:
    """Return the CUDA version of the NVRTC that is used, such as (13, 5), or None without NVRTC."""
    try:
        return nvrtc().version
    except MomagenError:
        return None


def architectures() -> tuple[str, ...]:
    """Return the architectures that the NVRTC library supports, such as "sm_75", in ascending order.

    None without NVRTC.
    """
    return tuple(f"sm_{number}" for number in nvrtc().architectures) if nvrtc_version() else ()


def _library(arch: str) -> Nvrtc:
    if not (found := ARCHITECTURE.fullmatch(arch)):
        raise MomagenError("an architecture such as sm_90 or compute_90", arch, "architecture")
    return nvrtc(int(found[2]))


def _key(library: Nvrtc, source: str, name: str, options: Sequence[str]) -> str:
    return cache.key(library.path, str(library), name, source, *options)


def _compiled(library: Nvrtc, source: str, name: str, options: Sequence[str]) -> str:
    """Return the cache entry of a compiled program."""
    if "\0" in source + name + "".join(options):
        raise build_error("the source, its name or an option has a NUL character", name)
    began = time.perf_counter()
    try:
        ptx, cubin, log = library.compile(source.encode(), name, options)
    except NvrtcStatus as refused:
        raise _refusal(library, refused.why, refused.log, name) from None
    seconds = round(time.perf_counter() - began, 4)
    return json.dumps({"ptx": ptx, "cubin": base64.b64encode(cubin).decode(), "log": log, "seconds": seconds})


def _refusal(library: Nvrtc, why: str, log: str, name: str) -> MomagenError:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = ([line for line in lines if "error" in line] or lines)[:ERRORS]
    return MomagenError(f"CUDA C++ that {library} can compile", why, name, "; ".join(errors))
