"""Products of incomplete transforms are proven, and no product with a planted fault is."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest
from support.transforms import written

import momagen as mg
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

ENTRY = "factors_put_entry(factors + 2 + (i - lane) * 2"
WRONG = {
    "the product of other coefficients": ("(u128)x_0 * y_0", "(u128)x_0 * y_1"),
    "a coefficient twice": ("(u128)x_1 * y_0", "(u128)x_0 * y_1"),
    "a product without the factor": ("t12 = (u128)x_1 * t4", "t12 = (u128)x_1 * y_1"),
    "the factor in both products": ("(u128)x_0 * y_0", "(u128)x_0 * t4"),
    "the constant of another coefficient": ("v1_0 = table[0]", "v1_0 = factors[0]"),
    "a quotient of another factor": ("u1_0 = table[1]", "u1_0 = factors[1]"),
    "no scaling": ("t21 = t19 * v0_0", "t21 = t19"),
    "no reduction": ("mg_reduce1(&t24, t23, q_0)", "t24 = t23"),
    "results exchanged": ("z[0] = t24", "z[1] = t24"),
    "one factor less": ("product(z, x, y, c, factors, 8)", "product(z, x, y, c, factors, 7)"),
    "one factor more": ("product(z, x, y, c, factors, 8)", "product(z, x, y, c, factors, 9)"),
    "operands exchanged with the result": ("product(z, x, y, c, factors, 8)", "product(z, x, x, c, factors, 8)"),
    "factors in natural order": ("const size_t e = reversed(i, 3)", "const size_t e = i"),
    "negative factors": ("if ((e & 4) == 0)", "if ((e & 4) != 0)"),
    "another scale": ("i < 128; i++)\n        add(r, r, r, c)", "i < 127; i++)\n        add(r, r, r, c)"),
    "entries of two words apart": (ENTRY, ENTRY.replace("* 2", "* 1")),
    "a vector that is too short": ("z += 16", "z += 8"),
    "a y that may be NULL": ("!(x && y && z)", "!(x && z)"),
    "a root of another order": ("put_powers(powers, g, one, c, 2) == 0", "put_powers(powers, g, one, c, 2) == 7"),
    "an early store into the result": ("const uint64_t x_1 = x[1];", "z[0] = 0; const uint64_t x_1 = x[1];"),
    "a copy onto a part of itself": ("memcpy(power, g, sizeof(uint64_t) * 1);", "memcpy(powers + 1, powers, 16);"),
}


@functools.cache
def files(n: int, bits: int, depth: int, is_negacyclic: bool) -> dict[str, str]:
    """Return the files of a generated product of incomplete transforms by name."""
    with tempfile.TemporaryDirectory() as folder:
        kernel = mg.basemul(n, depth=depth, modulus_bits=bits, target="c", negacyclic=is_negacyclic)
        kernel.save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


@pytest.mark.parametrize(
    ("n", "bits", "depth", "is_negacyclic"),
    [
        (16, 60, 3, False),
        pytest.param(16, 60, 3, True, marks=pytest.mark.thorough),
        pytest.param(16, 60, 2, True, marks=pytest.mark.thorough),
        pytest.param(8, 62, 3, False, marks=pytest.mark.thorough),
        pytest.param(8, 31, 2, False, marks=pytest.mark.thorough),
    ],
)
def test_a_product_is_proven(n: int, bits: int, depth: int, is_negacyclic: bool, tmp_path: Path) -> None:
    result = prove(written(files(n, bits, depth, is_negacyclic), tmp_path))
    assert result.problem == ""
    assert f"modulo X^{n >> depth} - root^e, where e is {'2 rev(j) + 1' if is_negacyclic else 'rev(j)'}" in result.claim
    assert result.elements >= 5 * n


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_product_is_not_proven(name: str, tmp_path: Path) -> None:
    assert prove(written(files(16, 60, 3, False), tmp_path, WRONG[name])).problem
