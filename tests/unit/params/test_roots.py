"""Roots of unity against the definition."""

from __future__ import annotations

import pytest
import sympy

from momagen.params import check_order, check_root, default_prime, known_fields, primitive_root


def _smallest(order: int, q: int) -> int:
    return next(w for w in range(1, q) if sympy.n_order(w, q) == order)


@pytest.mark.parametrize("q", [3, 5, 17, 97, 193, 257, 641, 769, 3329, 7681, 12289])
def test_smallest_root_by_definition(q: int) -> None:
    order = 1
    while (q - 1) % order == 0:
        assert primitive_root(order, q) == _smallest(order, q)
        order *= 2


@pytest.mark.parametrize("order, q, root", [(256, 3329, 17), (512, 8380417, 1753)])
def test_roots_of_the_standards(order: int, q: int, root: int) -> None:
    """FIPS 203 (ML-KEM) and FIPS 204 (ML-DSA) fix these roots, each the smallest of its order."""
    assert primitive_root(order, q) == root


@pytest.mark.parametrize("bits", [128, 384, 768])
def test_smallest_of_all_conjugates(bits: int) -> None:
    order, q = 1024, default_prime(bits, 4096)
    root = primitive_root(order, q)
    assert pow(root, order // 2, q) == q - 1
    assert root == min(pow(root, i, q) for i in range(1, order, 2))


@pytest.mark.slow
def test_root_of_order_2_to_the_23() -> None:
    q = default_prime(768, 2**22)
    root = primitive_root(2**23, q)
    assert pow(root, 2**22, q) == q - 1
    step = power = root
    for _ in range(2**22 - 1):
        power = power * step % q * step % q
        assert power > root


def test_check_root_accepts_exact_orders() -> None:
    q = known_fields()["goldilocks"].modulus
    check_root(1753635133440165772, 2**32, q)  # Plonky2's generator of the subgroup of order 2^32
    check_root(1, 1, q)
    check_root(q - 1, 2, q)
    check_root(2**48, 4, q)  # 2^96 = −1 (mod goldilocks)


@pytest.mark.parametrize("name", ["goldilocks", "babybear", "curve25519", "mnt4-753-r"])
def test_check_order_up_to_the_two_adicity(name: str) -> None:
    field = known_fields()[name]
    check_order(2**field.two_adicity, field.modulus, negacyclic=False)
    check_order(2 ** (field.two_adicity - 1), field.modulus, negacyclic=True)
