"""docs/reference/orders-and-roots.md: each library's points in its order, by definition, and SymPy by itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import sympy
from sympy.discrete.transforms import ntt as sympy_ntt

import momagen as mg
from momagen.params import known_fields

BN254, BLS = known_fields()["bn254-r"].modulus, known_fields()["bls12-381-r"].modulus
GNARK = {
    5: (BN254, 28, 19103219067921713944291392827692070036145651957329286315305642004821462161904),
    7: (BLS, 32, 10238227357739495823651030575849232062558860180284477541189508159991286009131),
}
"""By generator: the modulus, the two-adicity, and the root of that order which gnark-crypto and arkworks write down."""


def brv(j: int, n: int) -> int:
    return int(f"{j:0{n.bit_length() - 1}b}"[::-1], 2)


def smallest(order: int, q: int) -> int:
    return next(w for w in range(2, q) if pow(w, order // 2, q) == q - 1)


def bit_reversed(root: int, n: int, q: int) -> list[int]:
    return [pow(root, brv(j, n), q) for j in range(n)]


def negacyclic(psi: int, n: int, q: int) -> list[int]:
    """As SEAL, HEXL and FIPS 204 (7.5) have it: value j at psi^(2·brv(j) + 1)."""
    return [pow(psi, 2 * brv(j, n) + 1, q) for j in range(n)]


def natural(root: int, n: int, q: int) -> list[int]:
    return [pow(root, j, q) for j in range(n)]


def two_adic(g: int, n: int) -> int:
    """gnark's and arkworks's root of order n: their root of order 2^s, squared as often as needed."""
    q, s, root = GNARK[g]
    return pow(root, (1 << s) // n, q)


CASES: dict[str, tuple[int, int, dict[str, Any], Callable[[], list[int]]]] = {
    "ours": (16, 97, {}, lambda: bit_reversed(smallest(16, 97), 16, 97)),
    "SEAL, HEXL, OpenFHE": (16, 7681, {"negacyclic": True}, lambda: negacyclic(smallest(32, 7681), 16, 7681)),
    "ML-DSA": (
        256, 8380417, {"negacyclic": True, "root": 1753}, lambda: negacyclic(1753, 256, 8380417),
    ),
    "gnark, BN254": (16, BN254, {"generator": 5}, lambda: bit_reversed(two_adic(5, 16), 16, BN254)),
    "gnark, BLS12-381": (16, BLS, {"generator": 7}, lambda: bit_reversed(two_adic(7, 16), 16, BLS)),
    "arkworks, BN254": (
        16, BN254, {"generator": 5, "order": "natural"}, lambda: natural(two_adic(5, 16), 16, BN254),
    ),
    "arkworks, BLS12-381": (
        16, BLS, {"generator": 7, "order": "natural"}, lambda: natural(two_adic(7, 16), 16, BLS),
    ),
}  # fmt: skip


@pytest.mark.parametrize("library", CASES)
def test_values_are_at_the_points_of_the_library(library: str) -> None:
    n, q, asked, points = CASES[library]
    x = [random.Random(library).randrange(q) for _ in range(n)]
    kernel = mg.ntt(n, modulus=q, **asked)
    expected = [sum(c * pow(point, i, q) for i, c in enumerate(x)) % q for point in points()]
    assert kernel(x) == expected and kernel.points() == points()
    assert kernel.inverse()(expected) == x


@pytest.mark.parametrize("q", [97, 7681, 998244353, 0xFFFFFFFF00000001])
def test_sympy(q: int) -> None:
    x = [random.Random(q).randrange(q) for _ in range(16)]
    kernel = mg.ntt(16, modulus=q, generator=int(sympy.primitive_root(q)), order="natural")
    assert kernel(x) == [int(value) for value in sympy_ntt(x, q)]
