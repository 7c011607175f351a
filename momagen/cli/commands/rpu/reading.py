"""The input files of ``momagen rpu``: programs, assembly, kernels for any modulus, C with intrinsics."""

from __future__ import annotations

import argparse
from pathlib import Path

from gmpy2 import powmod

from momagen.errors import MomagenError, reason
from momagen.rpu.isa.assembly import assemble
from momagen.rpu.isa.intrinsics import read_intrinsics
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.kernel_text import is_kernel, read_kernel
from momagen.rpu.isa.program import RpuProgram, read_program
from momagen.rpu.isa.table import b512

from .telling import TEXT, C

COUNTING = "sim"
"""The action that needs no contents of memory."""


def read(given: argparse.Namespace) -> RpuProgram:
    """Return the program in the file; for a kernel, the program for --modulus and --root.

    Raises:
        MomagenError: The file is missing, not readable or of another format, or the numbers do not fit the kernel.
    """
    path: Path | None = given.file
    if path is None:
        raise MomagenError("a file", "none", f"rpu {given.action}")
    try:
        if path.suffix not in (TEXT, C):
            return read_program(path.read_bytes(), path.name)
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MomagenError("a readable file", reason(error), str(path)) from None
    if path.suffix == C:
        return RpuProgram(read_intrinsics(text, path.name))
    if not is_kernel(text):
        return RpuProgram(assemble(text, path.name))
    return _filled(read_kernel(text, path.name), given)


def _filled(kernel: RpuKernel, given: argparse.Namespace) -> RpuProgram:
    """Return the program of a kernel for --modulus and --root; without them, a program for counting cycles only."""
    q, root = given.modulus, given.root or 0
    if q is None and given.action != COUNTING:
        asked = "--modulus" + " and --root" * (kernel.n > 0)
        raise MomagenError(f"{asked} for a kernel that supports any modulus", "none", f"rpu {given.action}")
    if q is None:
        return RpuProgram(kernel.instructions, {}, {}, kernel.areas)
    if kernel.towers > 1:
        raise MomagenError("a kernel of one modulus", f"one of {kernel.towers}", "--modulus")
    if not 2 <= q < 1 << b512().machine["bits"] or (kernel.n and not q % 2):
        raise MomagenError(f"{'an odd' if kernel.n else 'a'} modulus from 2 to 2^128 - 1", q, "--modulus")
    if kernel.n and powmod(root, kernel.order // 2, q) != q - 1:
        raise MomagenError(f"a root of order {kernel.order}", root, "--root")
    return kernel.program([q], [root], [[given.scalar % q]] * len(kernel.scalars))
