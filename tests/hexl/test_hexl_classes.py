"""The classes of kernels under the element-wise functions, in all variants, most of all AVX-512 IFMA.

A CPU without a variant's instructions runs plain-C stand-ins for them. Every length of modulus goes to the kernel that
the C++ layer would choose, with operands below every factor; expected values are Python's integers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from test_hexl_transforms import prime, values

from momagen.api import Kernel
from momagen.clib.kernel_member import KernelMember
from momagen.hexl import package
from momagen.hexl.layer import CLASSED
from momagen.params.roots import primitive_root

pytestmark = pytest.mark.compiles
TARGETS = ("avx512ifma", "avx512", "avx2", "c")
IFMA = TARGETS[0]
SHORTEST, POINTS = 30, 32
LENGTHS = (75, 203)
"""Vectors that take all loops of a kernel, and that end within a register."""
LONGEST = {"vmul": 63, "scal": 61, "axpy": 61, "reduce": 64}
"""Bits of the moduli that HEXL's functions take; they reduce to below 2q as modulo 2q."""
FACTORS = {"vmul": (1, 2, 4), "scal": (1, 2, 4, 8), "axpy": (1, 2, 4, 8), "reduce": (2, 4, 0)}
"""0: any word."""


@cache
def members() -> tuple[KernelMember, ...]:
    return package(TARGETS, max_n=POINTS).library.members


@cache
def kernel(name: str, target: str = IFMA) -> Kernel:
    sources = next(member.sources for member in members() if member.name == name)
    return Kernel(next(source for source in sources if str(source.spec.target) == target))


def chosen(kind: str, bits: int, factor: int) -> KernelMember:
    """The first kernel of the kind that serves moduli of so many bits and operands below factor·q, as in C++."""
    wide = (member for member in members() if str(member.spec.kind) == kind and member.spec.width >= bits)
    return next(m for m in wide if not m.spec.ranges.input or 0 < factor <= m.spec.ranges.input)


def moduli(bits: int) -> Iterator[int]:
    """Both ends of a length, and between; odd, even, and powers of two."""
    yield from (1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1, (1 << bits) - 2)
    yield random.Random(bits).randrange(1 << bits - 1, 1 << bits)


def drawn(top: int, seed: int, count: int = LENGTHS[0]) -> list[int]:
    source = random.Random(seed)
    return [0, 1, top - 1, top // 2, *(source.randrange(top) for _ in range(count - 4))]


def lengths_served(name: str, kind: str, factor: int) -> list[int]:
    """Return the lengths of moduli that the C++ layer gives to the kernel, of operands below factor·q."""
    most = min(LONGEST[kind], 63 - factor // 2) if kind == "vmul" else LONGEST[kind]
    return [bits for bits in range(2, most + 1) if chosen(kind, bits, factor).name == name]


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


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [member.name for member in members() if str(member.spec.kind) in CLASSED])
def test_both_ends_of_every_class(name: str, target: str) -> None:
    kind = next(str(member.spec.kind) for member in members() if member.name == name)
    served = {factor: lengths_served(name, kind, factor) for factor in FACTORS[kind]}
    assert any(served.values())
    for factor, lengths in served.items():
        for bits in {*lengths[:1], *lengths[-1:]}:
            for q in moduli(bits):
                for length in LENGTHS:
                    check(kernel(name, target), kind, q, factor, length)


def check(made: Kernel, kind: str, q: int, factor: int, length: int = LENGTHS[0]) -> None:
    """One call against the definition, and one in place of each vector."""
    top, a = min(factor * q or 1 << 64, 1 << 64), q - 1 - q // 5
    x, y, of_q = drawn(top, 1, length), drawn(top, 2, length)[::-1], made.with_modulus(q)
    right = {
        "vmul": [b * c % q for b, c in zip(x, y, strict=True)], "scal": [a * b % q for b in x],
        "axpy": [(a * b + c) % q for b, c in zip(x, y, strict=True)], "reduce": [b % q for b in x],
    }  # fmt: skip
    operands = {"vmul": (x, y), "scal": (a, x), "axpy": (a, x, y), "reduce": (x,)}
    assert of_q(*operands[kind]) == right[kind], (made.spec.name, q, factor)
    given = [np.array(each, np.uint64) if isinstance(each, list) else each for each in operands[kind]]
    for at in (at for at, each in enumerate(given) if isinstance(each, np.ndarray)):
        place = [each.copy() if isinstance(each, np.ndarray) else each for each in given]
        assert of_q(*place, out=place[at]).tolist() == right[kind], (made.spec.name, q, factor, at)


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
