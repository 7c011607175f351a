"""Kernels on the rows of a basis: no branch on data as compiled, and the same instructions whatever the data."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest

import momagen as mg
from momagen.bench.measure import clock
from momagen.bench.measure.machine import families
from momagen.bench.x86.assembly import disassembler, inspect
from momagen.bench.x86.single_step import Walk, obstacle, walk
from momagen.runtime import Compiler, compile_shared
from momagen.runtime.compiled import function_of
from momagen.runtime.native import candidates
from momagen.targets import load_target

ASKED = {
    "exact": lambda bits, target: mg.convert(3, to=2, modulus_bits=bits, target=target),
    "approximate": lambda bits, target: mg.convert(3, to=2, modulus_bits=bits, target=target, exact=False),
    "corrected": lambda bits, target: mg.convert(3, to=2, modulus_bits=bits, target=target, method="corrected"),
    "shenoy-kumaresan": lambda bits, target: mg.convert(
        4, to=2, modulus_bits=bits, target=target, method="shenoy-kumaresan"
    ),
    "montgomery": lambda bits, target: mg.convert(3, to=2, modulus_bits=bits, target=target, method="montgomery"),
    "scaled": lambda bits, target: mg.convert(
        3, to=[1 << 16], modulus_bits=bits, target=target, method="corrected", scaled=True
    ),
    "rescale": lambda bits, target: mg.rescale(3, modulus_bits=bits, target=target),
    "moddown": lambda bits, target: mg.moddown(3, drop=2, modulus_bits=bits, target=target, scale=65537),
}  # fmt: skip
KEYSWITCH = {
    "keyswitch": lambda bits, target: mg.keyswitch(3, modulus_bits=bits, target=target),
    "keyswitch of larger digits": lambda bits, target: mg.keyswitch(
        3, modulus_bits=bits, target=target, input_factor=4, outputs=1
    ),
}  # fmt: skip
TARGETS = [target for target in ("c", "avx2", "avx512ifma") if target in map(str, candidates())]
CASES = list(product(ASKED, (50, 61), TARGETS))
COMPILED = list(product([*ASKED, *KEYSWITCH], (28, 50, 61), TARGETS))
ARRAYS = {"execute": (4,), "execute_rows": (1, 2, 3, 4)}
"""The positions of arguments of key switching that are arrays of pointers or columns; conversions have fewer."""
N = 21
"""Columns: no whole number of vectors."""


@pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
@pytest.mark.sampled(6)
@pytest.mark.parametrize("compiler", families().values(), ids=str)
@pytest.mark.parametrize("function", ARRAYS)
@pytest.mark.parametrize(("way", "bits", "target"), COMPILED)
def test_no_branch_depends_on_residues(
    way: str, bits: int, target: str, function: str, compiler: Compiler
) -> None:
    k = {**ASKED, **KEYSWITCH}[way](bits, target)
    flags = ["-std=c99", *load_target(target).flags]
    path = compile_shared(k.source, name=k.name, flags=flags, includes={f"{k.name}.h": k.header}, compiler=compiler)
    arrays = [at for at in ARRAYS[function] if way in KEYSWITCH or (at < 3 and function == "execute_rows")]
    found = inspect(path, f"{k.name}_{function}", arrays=arrays)
    assert found.branches == 0 and found.loops > 1


def columns(numbers: list[int], moduli: tuple[int, ...]) -> np.ndarray:
    return np.array([[numbers[i % len(numbers)] % q for i in range(N)] for q in moduli], np.uint64)


@pytest.mark.skipif(bool(obstacle()), reason=obstacle())
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("way", "bits", "target"), CASES)
def test_no_instruction_depends_on_residues(way: str, bits: int, target: str) -> None:
    """Zeros, the largest number, numbers at half of the product, on both sides of it, and any."""
    k = ASKED[way](bits, target)
    whole = prod(k.spec.moduli)
    x, z = np.zeros((len(k.spec.moduli), N), np.uint64), np.zeros((len(k.goals), N), np.uint64)
    execute = function_of(k.compiled, "execute", [], None)
    call = clock.make_call("transform", execute, k.tables.address, z=z, x=x, count=N)
    call.once()
    found = list[Walk]()
    for numbers in ([0], [whole - 1], [whole // 2], [whole // 2 + 1], [pow(3, i, whole) for i in range(99, 99 + N)]):
        x[...] = columns(numbers, k.spec.moduli)
        found.append(walk(call))
    assert len(set(found)) == 1 and found[0].instructions > 500
