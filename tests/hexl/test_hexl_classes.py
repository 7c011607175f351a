"""The classes of kernels under the element-wise functions, in the variant that was made for them: AVX-512 IFMA.

A CPU without it runs plain-C stand-ins for its instructions. Every length of modulus from 30 bits on goes to the kernel
that the C++ layer would choose, with operands below every factor; expected values are Python's integers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
from test_hexl_transforms import prime, values

from momagen.api import Kernel
from momagen.clib.kernel_member import KernelMember
from momagen.hexl import package
from momagen.hexl.layer import CLASSED
from momagen.params.roots import primitive_root

pytestmark = pytest.mark.compiles
SHORTEST, LENGTH, POINTS = 30, 19, 32
LONGEST = {"vmul": 62, "scal": 61, "axpy": 61, "reduce": 63}
"""Bits of the moduli that HEXL's functions take, or more."""
FACTORS = {"vmul": (1, 2, 4), "scal": (1, 2, 4, 8), "axpy": (1, 2, 4, 8), "reduce": (2, 4, 0)}
"""0: any word."""


@cache
def members() -> tuple[KernelMember, ...]:
    return package(["avx512ifma"], max_n=POINTS).library.members


@cache
def kernel(name: str) -> Kernel:
    return Kernel(next(member.sources[0] for member in members() if member.name == name))


def chosen(kind: str, bits: int, factor: int) -> KernelMember:
    """The first kernel of the kind that serves moduli of so many bits and operands below factor·q, as in C++."""
    wide = (member for member in members() if member.spec.kind == kind and member.spec.width >= bits)
    return next(m for m in wide if not m.spec.ranges.input or 0 < factor <= m.spec.ranges.input)


def moduli(bits: int) -> Iterator[int]:
    """Both ends of a length, and between; odd, even, and powers of two."""
    yield from (1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1, (1 << bits) - 2)
    yield random.Random(bits).randrange(1 << bits - 1, 1 << bits)


def drawn(top: int, seed: int) -> list[int]:
    source = random.Random(seed)
    return [0, 1, top - 1, top // 2, *(source.randrange(top) for _ in range(LENGTH - 4))]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", CLASSED)
def test_every_length_and_factor(kind: str) -> None:
    for bits in range(SHORTEST, LONGEST[kind] + 1):
        for factor in FACTORS[kind]:
            if kind == "vmul" and bits + factor // 2 > 63:
                continue
            found = chosen(kind, bits, factor)
            for q in moduli(bits):
                check(kernel(found.name), kind, q, factor)


def check(made: Kernel, kind: str, q: int, factor: int) -> None:
    """One call against the definition."""
    top, a = min(factor * q or 1 << 64, 1 << 64), q - 1 - q // 5
    x, y, of_q = drawn(top, 1), drawn(top, 2)[::-1], made.with_modulus(q)
    right = {
        "vmul": [b * c % q for b, c in zip(x, y, strict=True)], "scal": [a * b % q for b in x],
        "axpy": [(a * b + c) % q for b, c in zip(x, y, strict=True)], "reduce": [b % q for b in x],
    }  # fmt: skip
    operands = {"vmul": (x, y), "scal": (a, x), "axpy": (a, x, y), "reduce": (x,)}
    assert of_q(*operands[kind]) == right[kind], (made.spec.name, q, factor)


def test_short_moduli_are_reduced_too() -> None:
    """From 15 bits on, the quotient of a word fits one limb; shorter moduli have a separate loop."""
    for bits in range(2, 17):
        for q in moduli(bits):
            check(kernel("reduce51"), "reduce", q, 0)
            check(kernel("mul46x4"), "vmul", q, 4)


@pytest.mark.thorough
@pytest.mark.parametrize("inverse", [False, True])
def test_transforms_of_every_length_of_modulus(inverse: bool) -> None:
    """The largest prime of each length by the first kernel that serves it, of operands below 4q and, back, below 2q."""
    own = [member for member in members() if member.spec.n and member.spec.inverse == inverse]
    for bits in range(SHORTEST, 63):
        q = prime(POINTS, bits)
        found, root = next(m for m in own if m.spec.width >= bits), primitive_root(2 * POINTS, q)
        made = kernel(found.name).at(POINTS).with_modulus(q, root)
        given = [*drawn(found.spec.ranges.input * q, bits), *drawn(q, bits)][:POINTS]
        x, y = (made(given), given) if inverse else (given, made(given))
        assert y == values(x, q, root) if not inverse else [v % q for v in y] == values(x, q, root), (found.name, q)
