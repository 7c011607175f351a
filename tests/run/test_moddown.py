"""Division by the product of the last moduli of an RNS basis, against integers."""

from __future__ import annotations

import ctypes
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from support.switching import check_divided, dividends, rows

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.params import prime_basis
from momagen.runtime.compiled import address, function_of

PRIMES = {bits: prime_basis(4, bits, 1) for bits in (20, 28, 40, 50, 60, 61)}
BASES = {
    "CKKS": ((*PRIMES[60][:1], *PRIMES[40][:3], *PRIMES[60][1:3]), 2), "28 bits": (PRIMES[28], 3),
    "50 bits": (PRIMES[50], 2), "one divisor": (PRIMES[50], 1), "61 bits": ((*PRIMES[20][:2], *PRIMES[61][:2]), 2),
    "all but one": ((*PRIMES[60][:1], *PRIMES[50], *PRIMES[28]), 8),
}  # fmt: skip
METHODS = ("exact", "corrected", "fast")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma"])
@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("s", "t"), [(1, 1), (1, 2), (1, 65537), (65537, 1), ((1 << 62) - 57, 3), (1 << 32, 1)])
def test_numbers_are_divided_by_all_methods(s: int, t: int, method: Any, basis: str, target: str) -> None:
    moduli, drop = BASES[basis]
    k = mg.moddown(moduli, drop=drop, method=method, scale=s, plaintext_modulus=t, target=target)
    assert k.verify()
    for n in (1, 37, 700):
        numbers = dividends(k, n)
        found = k(rows(numbers, k.moduli))
        check_divided(k, numbers, found)
        if t > 1 and s == 1:  # what BGV needs: the quotient times P is a modulo t, for a quotient of the right size
            check_plaintexts(k, numbers, found)


def check_plaintexts(k: mg.Kernel, numbers: list[int], found: np.ndarray) -> None:
    """Rebuild the quotients from their residues, around the real quotients, and compare a and P times it modulo t."""
    t, divisor, whole = k.spec.plaintext_modulus, k.spec.divisor, prod(k.goals)
    weights = [whole // q * pow(whole // q, -1, q) for q in k.goals]
    for a, column in zip(numbers, found.T.tolist(), strict=True):
        value = sum(int(x) * w for x, w in zip(column, weights, strict=True)) % whole
        near = a // divisor
        quotient = near + (value - near + whole // 2) % whole - whole // 2
        if whole > 4 * t * (k.spec.drop + 1):
            assert (quotient * divisor - a) % t == 0


@pytest.mark.parametrize("s", [1, 2, 65537, 97 * PRIMES[50][2], (1 << 62) - 1])
@pytest.mark.parametrize("method", ["exact", "corrected"])
def test_rounding_is_to_the_nearest_integer(method: Any, s: int) -> None:
    """Also if the scale shares a factor with a divisor."""
    k = mg.moddown(PRIMES[50], drop=2, method=method, scale=s)
    divisor = k.spec.divisor
    numbers = [sign * a for sign in (1, -1) for a in dividends(k, 100)]
    nearest = [(2 * s * a + divisor) // (2 * divisor) for a in numbers]
    assert np.array_equal(k(rows(numbers, k.moduli)), rows(nearest, k.goals))


def test_bfv_products_are_scaled_to_either_part_of_the_basis() -> None:
    """Of a number modulo Q·P, as OpenFHE's ScaleAndRound: round(t·a/P) modulo Q, and round(t·a/Q) modulo P by the same
    kernel, which gets the rows in the order of its basis."""
    q, p, t, rng = PRIMES[60][:3], PRIMES[50][:3], 65537, Random(5)
    whole = prod(q) * prod(p)
    numbers = [rng.randrange(whole) - whole // 2 for _ in range(50)]
    for stay, divisors in ((q, p), (p, q)):
        k = mg.moddown((*stay, *divisors), drop=3, scale=t, target="native")
        nearest = [(2 * t * a + prod(divisors)) // (2 * prod(divisors)) for a in numbers]
        assert np.array_equal(k(rows(numbers, k.moduli)), rows(nearest, stay))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", [None, 2])
def test_rows_anywhere_and_results_in_place(threads: int | None, method: Any) -> None:
    moduli, drop = BASES["CKKS"]
    k = mg.moddown(moduli, drop=drop, method=method, target="native", threads=threads)
    numbers = dividends(k, 1100)
    x = [row.copy() for row in rows(numbers, k.moduli)]
    pointers = np.array([address(row) for row in x], np.uintp)
    execute = function_of(k.compiled, "execute_rows", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], ctypes.c_int)
    assert execute(k.tables.address, address(pointers), address(pointers), len(numbers)) == 0
    check_divided(k, numbers, np.array(x[:-drop]))


@pytest.mark.parametrize(("asked", "text"), [
    ({"drop": 3}, "from 1 to 2 of the 3 moduli"), ({"drop": 0}, "drop"), ({"method": "best"}, "one of exact, "),
    ({"moduli": [97, 194]}, "pairwise coprime moduli"), ({"plaintext_modulus": 202}, "shares no factor"),
    ({"scale": 0}, r"scale: expected a number from 1 to 2\^62 - 1, got 0"), ({"scale": 1 << 62}, "scale: expected"),
    ({"plaintext_modulus": 0}, "plaintext_modulus"), ({"moduli": [97, 4], "method": "exact"}, "an odd number"),
    ({"target": "jax"}, "target in C"), ({"moduli": [97, (1 << 62) + 1]}, "62 bits"),
], ids=str)  # fmt: skip
def test_wrong_requests_are_refused(asked: dict[str, Any], text: str) -> None:
    with pytest.raises(MomagenError, match=text):
        mg.moddown(**{"moduli": [97, 193, 101], **asked})


def test_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["--drop", "2", "--method", "fast", "--scale", "5", "--plaintext-modulus", "3", "--threads", "2"]
    assert main(["moddown", "--moduli", "97,193,257", *wanted, "--output", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out
    header = " ".join((tmp_path / "moddown3to1_9b_fast_c.h").read_text(encoding="utf-8").split())
    assert f"momagen moddown --moduli 0x61,0xc1,0x101 {' '.join(wanted)} --target c" in header
    assert "BAD_SIZE (drop is not from 1 to moduli - 1)" in header
    assert main(["moddown", "--moduli", "97,193", "--drop", "2"]) == 2
    assert "drop: expected from 1 to 1 of the 2 moduli, got 2" in capsys.readouterr().err
