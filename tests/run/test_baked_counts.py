"""The instructions of kernels for one modulus, as compiled, against those of the same kernels for any modulus."""

from __future__ import annotations

import pytest
from count_baked import count_pair

from momagen.bench.x86.assembly import disassembler
from momagen.runtime import find_compiler

NOISE = 1.005
"""Compilers allocate registers differently where a bound or an order differs."""
PAIRS = [
    ("c", "60 bits", "intt"), ("c", "124 bits", "ntt"), ("c", "mersenne31", "axpy"), ("c", "goldilocks", "axpy"),
    ("avx512ifma", "goldilocks", "intt"), ("avx512ifma", "babybear", "vmul"), ("avx512ifma", "pallas", "vmul"),
]  # fmt: skip
"""Pairs of which the kernel for one modulus was once the slower one."""


@pytest.mark.compiles
@pytest.mark.sampled(3)
@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.parametrize(("target", "modulus", "kernel"), PAIRS)
def test_one_modulus_takes_no_more_cycles_of_the_ports_than_any(target: str, modulus: str, kernel: str) -> None:
    pair = count_pair(target, modulus, kernel, find_compiler())
    assert pair.cycles < NOISE and pair.instructions < NOISE
