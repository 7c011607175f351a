"""Bad input: std::invalid_argument with what was expected and what was got; nothing is written then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from built import LONGEST, Border, Thrown, Transform, needs_cmake

pytestmark = needs_cmake
X = np.arange(8, dtype=np.uint64)
P63, P62, P61 = 1 << 63, 1 << 62, 1 << 61
MOST63 = "expected a modulus from 2 to 2^63 - 1, got "

REFUSED: dict[str, tuple[str, list[Any], str]] = {
    "sum modulo 1": ("add", ["z", X, X, 8, 1], f"EltwiseAddMod: {MOST63}1"),
    "sum modulo 0": ("add", ["z", X, X, 8, 0], f"EltwiseAddMod: {MOST63}0"),
    "sum modulo 2^63": ("adds", ["z", X, 1, 8, P63], f"EltwiseAddMod: {MOST63}{P63}"),
    "sum with a long number": ("adds", ["z", X, 97, 8, 97], "EltwiseAddMod: expected operand2 below 97, got 97"),
    "difference modulo 1, nothing to do": ("sub", ["z", X, X, 0, 1], f"EltwiseSubMod: {MOST63}1"),
    "difference from nothing": (
        "sub", ["z", None, X, 8, 97], "EltwiseSubMod: expected a vector as operand1, got a null pointer",
    ),
    "difference of nothing": (
        "sub", ["z", X, None, 8, 97], "EltwiseSubMod: expected a vector as operand2, got a null pointer",
    ),
    "difference to nowhere": (
        "subs", [None, X, 1, 8, 97], "EltwiseSubMod: expected a vector for the result, got a null pointer",
    ),
    "product with factor 3": (
        "mult", ["z", X, X, 8, 97, 3], "EltwiseMultMod: expected an input_mod_factor of 1, 2 or 4, got 3",
    ),
    "product with factor 0": (
        "mult", ["z", X, X, 8, 97, 0], "EltwiseMultMod: expected an input_mod_factor of 1, 2 or 4, got 0",
    ),
    "product modulo 1": ("mult", ["z", X, X, 8, 1, 1], "EltwiseMultMod: expected a modulus of at least 2, got 1"),
    "product modulo 2^62, factor 2": (
        "mult", ["z", X, X, 8, P62, 2], f"EltwiseMultMod: expected a modulus below {P62}, got {P62}",
    ),
    "product modulo 2^61, factor 4": (
        "mult", ["z", X, X, 8, P61, 4], f"EltwiseMultMod: expected a modulus below {P61}, got {P61}",
    ),
    "product of nothing": (
        "mult", ["z", X, None, 8, 97, 1], "EltwiseMultMod: expected a vector as operand2, got a null pointer",
    ),
    "multiple modulo 2^61": (
        "fma_", ["z", X, 1, X, 8, P61, 1], f"EltwiseFMAMod: expected a modulus from 2 to 2^61 - 1, got {P61}",
    ),
    "multiple with factor 16": (
        "fma_", ["z", X, 1, X, 8, 97, 16], "EltwiseFMAMod: expected an input_mod_factor of 1, 2, 4 or 8, got 16",
    ),
    "multiple by a long number": (
        "fma_", ["z", X, 194, X, 8, 97, 2], "EltwiseFMAMod: expected arg2 below 194, got 194",
    ),
    "multiple of nothing": (
        "fma_", ["z", None, 1, X, 8, 97, 1], "EltwiseFMAMod: expected a vector as arg1, got a null pointer",
    ),
    "reduction from 3": (
        "reduce", ["z", X, 8, 97, 3, 1],
        "EltwiseReduceMod: expected an input_mod_factor of 1, 2, 4 or the modulus, got 3",
    ),
    "reduction to 4": (
        "reduce", ["z", X, 8, 97, 97, 4], "EltwiseReduceMod: expected an output_mod_factor of 1 or 2, got 4",
    ),
    "reduction modulo 2^63": ("reduce", ["z", X, 8, P63, P63, 1], f"EltwiseReduceMod: {MOST63}{P63}"),
    "comparison 8": (
        "cmpadd", ["z", X, 8, 8, 1, 1], "EltwiseCmpAdd: expected a comparison from 0 (EQ) to 7 (TRUE), got 8",
    ),
    "conditional sum of nothing": (
        "cmpadd", ["z", None, 8, 0, 1, 1], "EltwiseCmpAdd: expected a vector as operand1, got a null pointer",
    ),
    "conditional difference by the modulus": (
        "cmpsub", ["z", X, 8, 97, 0, 1, 97], "EltwiseCmpSubMod: expected diff below 97, got 97",
    ),
    "conditional difference modulo 1": ("cmpsub", ["z", X, 8, 1, 0, 1, 0], f"EltwiseCmpSubMod: {MOST63}1"),
    "inverse of 0": (
        "inverse_mod", ["z", 0, 97], "InverseMod: expected a number that is coprime to the modulus, got 0",
    ),
    "inverse modulo 0": ("inverse_mod", ["z", 1, 0], "InverseMod: expected a modulus of at least 1, got 0"),
    "product of a long number": ("multiply_mod", ["z", 97, 1, 97], "MultiplyMod: expected x below 97, got 97"),
    "power modulo 0": ("pow_mod", ["z", 2, 2, 0], "PowMod: expected a modulus of at least 1, got 0"),
    "65 bits": ("reverse_bits", ["z", 1, 65], "ReverseBits: expected a width of at most 64 bits, got 65"),
    "remainder modulo 0": ("reduce128", ["z", 1, 1, 0], "BarrettReduce128: expected a modulus of at least 1, got 0"),
    "quotient by 0": (
        "multiply_factor", ["z", 0, 64, 0], "DivideUInt128UInt64Lo: expected a divisor of at least 1, got 0",
    ),
    "root of order 3": (
        "some_root", ["z", 3, 97],
        "GeneratePrimitiveRoot: expected a degree that is a power of two and at least 2, got 3",
    ),
    "root that there is not": (
        "least_root", ["z", 64, 97], "GeneratePrimitiveRoot: expected a modulus that is 1 modulo the degree, got 97",
    ),
    "root modulo a composite": (
        "least_root", ["z", 64, 65 * 129 * 64 * 2 + 1], "GeneratePrimitiveRoot: expected a prime modulus, got ",
    ),
    "no primes": ("primes", ["z", 0, 20, 1, 1], "GeneratePrimes: expected at least one prime to look for, got 0"),
    "too many primes": (
        "primes", ["z", 8, 3, 1, 4], "GeneratePrimes: expected fewer primes to look for, or a larger bit_size, got 8",
    ),
    "primes of 65 bits": ("primes", ["z", 1, 64, 1, 1], "GeneratePrimes: expected a bit_size below 64, got 64"),
    "primes for length 3": (
        "primes", ["z", 1, 20, 1, 3], "GeneratePrimes: expected an ntt_size that is a power of two, got 3",
    ),
    "primes for a long transform": (
        "primes", ["z", 1, 3, 1, 8], "GeneratePrimes: expected an ntt_size below 2^bit_size, got 8",
    ),
}  # fmt: skip

UNMADE = {
    "no points": ((1, 97, 0), "NTT: expected a degree that is a power of two from 2 to 2^9, got 1"),
    "three points": ((3, 97, 0), "NTT: expected a degree that is a power of two from 2 to 2^9, got 3"),
    "too many points": (
        (2 * LONGEST, 12289, 0), "NTT: expected a degree that is a power of two from 2 to 2^9, got 1024",
    ),
    "even modulus": ((8, 96, 0), "NTT: expected a modulus that is 1 modulo 2 * degree, got 96"),
    "modulus 1": ((8, 1, 0), "NTT: expected a prime modulus, got 1"),
    "composite modulus": ((8, 17 * 97, 0), "NTT: expected a prime modulus, got 1649"),
    "modulus without a root": ((32, 97, 0), "NTT: expected a modulus that is 1 modulo 2 * degree, got 97"),
    "modulus of 63 bits": ((8, (1 << 62) + 1, 0), f"NTT: expected a modulus below 2^62, got {(1 << 62) + 1}"),
    "root of a lower order": (
        (8, 97, 96), "NTT: expected a root of unity of order 2 * degree below the modulus, got 96",
    ),
    "root of a higher order": (
        (8, 97, 28), "NTT: expected a root of unity of order 2 * degree below the modulus, got 28",
    ),
    "root above the modulus": (
        (8, 97, 8 + 97), "NTT: expected a root of unity of order 2 * degree below the modulus, got 105",
    ),
}  # fmt: skip

MISUSED = {
    "forward factor 3": (("forward", 3, 1), "ComputeForward: expected an input_mod_factor of 1, 2 or 4, got 3"),
    "forward output 2": (("forward", 1, 2), "ComputeForward: expected an output_mod_factor of 1 or 4, got 2"),
    "inverse factor 4": (("inverse", 4, 1), "ComputeInverse: expected an input_mod_factor of 1 or 2, got 4"),
    "inverse output 4": (("inverse", 1, 4), "ComputeInverse: expected an output_mod_factor of 1 or 2, got 4"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_functions_refuse(border: Border, case: str) -> None:
    name, given, text = REFUSED[case]
    z = np.full(8, 7, np.uint64)
    with pytest.raises(Thrown) as error:
        border(name, *[z if isinstance(item, str) else item for item in given])
    assert str(error.value).startswith(f"invalid_argument {text}")
    assert z.tolist() == [7] * 8


@pytest.mark.parametrize("case", UNMADE)
def test_transforms_that_cannot_be(border: Border, case: str) -> None:
    given, text = UNMADE[case]
    with pytest.raises(Thrown) as error:
        Transform(border, *given)
    assert str(error.value) == f"invalid_argument {text}"


@pytest.mark.parametrize("case", MISUSED)
def test_factors_that_transforms_have_not(border: Border, case: str) -> None:
    given, text = MISUSED[case]
    with pytest.raises(Thrown) as error:
        Transform(border, 8, 97).run(given[0], X, *given[1:])
    assert str(error.value) == f"invalid_argument NTT::{text}"


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_null_pointers_and_empty_objects(border: Border, direction: str) -> None:
    name = f"NTT::Compute{direction.capitalize()}"
    ntt, empty = Transform(border, 8, 97), Transform(border)
    with pytest.raises(Thrown, match=f"{name}: expected a vector for the result, got a null pointer"):
        border(direction, ntt.handle, None, X, 1, 1)
    with pytest.raises(Thrown, match=f"{name}: expected a vector as operand, got a null pointer"):
        border(direction, ntt.handle, X.copy(), None, 1, 1)
    with pytest.raises(Thrown, match=f"{name}: expected an NTT with a degree and a modulus, got an empty one"):
        border(direction, empty.handle, X.copy(), X, 1, 1)
    assert empty.numbers() == [0, 0, 0]
    with pytest.raises(Thrown, match="NTT::GetRootOfUnityPowers: expected an NTT with a degree and a modulus"):
        empty.table(0)


def test_nothing_to_do_needs_no_vectors(border: Border) -> None:
    border("add", None, None, None, 0, 97)
    border("adds", None, None, 1, 0, 97)
    border("mult", None, None, None, 0, 97, 4)
    border("fma_", None, None, 1, None, 0, 97, 8)
    border("reduce", None, None, 0, 97, 97, 1)
    border("cmpadd", None, None, 0, 2, 1, 1)
    border("cmpsub", None, None, 0, 97, 2, 1, 1)
