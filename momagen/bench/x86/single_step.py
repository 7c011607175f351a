"""The sequence of instructions that a kernel executes, by single-stepping.

Constant-time code executes the same sequence for all data.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from momagen.bench.measure import clock
from momagen.bench.measure.clock import TimedCall
from momagen.bench.measure.kernel import Runnable, kernel_call, placed, random_residues
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, to_words
from momagen.runtime import compile_shared, load


@dataclass(frozen=True)
class Walk:
    """The instructions that one call executes.

    Attributes:
        addresses: A hash of their addresses in order.
        instructions: The number of instructions.
    """

    addresses: int
    instructions: int


def obstacle() -> str:
    """Return the reason why this system does not support single-stepping, or "" if it does."""
    here = sys.platform, platform.machine()
    return "" if here == ("linux", "x86_64") else f"instructions are not followed on {' and '.join(here)}"


def walks(kernel: Runnable, batch: int) -> list[Walk]:
    """Return the instructions of one call for each pair of :func:`vectors`.

    Scalar operands of the call are set to the first element of the first vector.

    Args:
        kernel: The kernel.
        batch: The number of transforms, products or elements in the call.

    Raises:
        MomagenError: The system is not Linux on x86-64.
    """
    spec, found = kernel.compiled.spec, list[Walk]()
    buffers = [placed(random_residues(spec, kernel.tables.modulus, batch, 1), third) for third in range(3)]
    call = kernel_call(kernel, batch, given=(buffers[0], buffers[1], buffers[2]))
    scalars = [word for word in call.keep if isinstance(word, np.ndarray) and len(word) == 1 < batch]
    call.once()  # the first call also binds symbols and gets memory from the system
    for x, y in vectors(spec, kernel.tables.modulus, batch):
        buffers[0][...], buffers[1][...] = x, y
        for scalar in scalars:
            scalar[0] = x[0]
        found.append(walk(call))
    return found


def vectors(spec: Spec, modulus: int, batch: int) -> Iterator[tuple[Words, Words]]:
    """Yield pairs of vectors: all zeros, all q - 1, one of each, and random residues."""
    x = random_residues(spec, modulus, batch, 1)
    least, most = np.zeros_like(x), np.broadcast_to(to_words([modulus - 1], x.shape[1]), x.shape)
    yield from ((least, least), (most, most), (least, most))
    yield from ((x, random_residues(spec, modulus, batch, 2)), (x[::-1], x))


def walk(call: TimedCall) -> Walk:
    """Return the instructions that one call executes."""
    return follow(clock.library().momagen_call, ctypes.byref(call.job))


def follow(function: Any, job: Any) -> Walk:
    """Single-step a C function of one pointer, ``job``, and return the instructions that it executes.

    Raises:
        MomagenError: The system is not Linux on x86-64.
    """
    found = (ctypes.c_uint64 * 2)()
    if reason := obstacle():
        raise MomagenError("Linux on x86-64", reason, "single-stepping")
    _library().momagen_walk(function, job, found)
    return Walk(found[0], found[1])


@functools.cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_name("walk.c").read_text(encoding="utf-8")
    lib = load(compile_shared(source, name="momagen_walk", flags=["-std=c99"]))
    lib.momagen_walk.argtypes, lib.momagen_walk.restype = [ctypes.c_void_p] * 3, None
    return lib
