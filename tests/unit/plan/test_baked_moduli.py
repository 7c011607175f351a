"""A kernel for one modulus takes no more operations than the same kernel for any modulus."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from count_baked import KERNELS, MODULI, TARGETS, has_kernel, spec_of

from momagen.emit import generate
from momagen.isa.soundness.proxies import operations
from momagen.kernels.residues.arith import SIGNED

POINTS, ELEMENTS = 256, 96
PRODUCT = re.compile(r"s?mul|r?fn?m[as]|rmul|redc")
PORTS = {"c": 2, "avx2": 2}
"""On these targets a product counts as two operations, as cores have more ports that add than ports that multiply:
folding by the form of a modulus takes additions instead of products. Vectors of 512 bits have one set of ports."""
CASES = [
    (target, modulus, kernel)
    for target in TARGETS for modulus in MODULI for kernel in KERNELS if has_kernel(modulus, kernel, POINTS)
]  # fmt: skip


@cache
def counted(target: str, modulus: str, kernel: str, *, baked: bool) -> Counter[str]:
    """Return the operations of one transform, or of some elements, by name."""
    return operations(spec_of(target, modulus, kernel, baked=baked, points=POINTS), ELEMENTS)


def cost(target: str, found: Counter[str]) -> int:
    return sum(times * (PORTS.get(target, 1) if PRODUCT.match(op) else 1) for op, times in found.items())


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("target", "modulus", "kernel"), CASES)
def test_one_modulus_takes_no_more_operations_than_any(target: str, modulus: str, kernel: str) -> None:
    baked, others = (counted(target, modulus, kernel, baked=baked) for baked in (True, False))
    assert 0 < cost(target, baked) <= cost(target, others)


@pytest.mark.parametrize("kernel", ["ntt", "intt"])
def test_goldilocks_goes_on_digits_where_these_take_fewer_operations(kernel: str) -> None:
    """Signed words take 25 vector instructions per butterfly; two digits of 52 bits take 23."""
    spec = spec_of("avx512ifma", "goldilocks", kernel, baked=True)
    whole = spec_of("avx512", "goldilocks", kernel, baked=True)
    assert spec.arith.kind != SIGNED and whole.arith.kind == SIGNED


@pytest.mark.parametrize("modulus", ["pallas", "stark252"])
def test_equal_products_by_a_number_are_made_within_each_sum(modulus: str) -> None:
    """A quotient with equal digits has equal products, which cost additions where sums share them."""
    baked, others = (counted("avx512ifma", modulus, "vmul", baked=baked) for baked in (True, False))
    assert baked.total() < others.total()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("modulus", ["goldilocks", "60 bits", "124 bits", "bn254-r", "bls12-381-r"])
def test_a_modulus_that_saves_nothing_is_loaded_from_the_plan(modulus: str, kernel: str) -> None:
    """Compilers write a constant of 64 bits with an instruction of its own wherever it is used."""
    spec = spec_of("c", modulus, kernel, baked=True, points=POINTS)
    if not spec.arith.plain:
        return
    code = generate(spec).source.partition("*/")[2]
    words = [f"{spec.modulus >> at & (1 << 64) - 1:#x}" for at in range(0, spec.width, 64)]
    assert all(code.count(f"UINT64_C({word})") == 1 for word in words)


@pytest.mark.parametrize("modulus", ["stark252", "pallas"])
def test_words_that_are_zero_or_powers_of_two_are_constants(modulus: str) -> None:
    baked, others = (counted("c", modulus, "ntt", baked=baked) for baked in (True, False))
    assert baked.total() < others.total()
