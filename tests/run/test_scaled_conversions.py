"""Conversions between RNS bases that scale and round, against integers."""

from __future__ import annotations

import ctypes
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.params import prime_basis
from momagen.runtime.compiled import function_of

PRIMES = {bits: prime_basis(6, bits, 1) for bits in (20, 28, 40, 50, 60, 62)}
CHAINS = {
    "SEAL": PRIMES[60][:4], "mixed": (PRIMES[60][0], *PRIMES[40][:3], PRIMES[50][0]), "28 bits": PRIMES[28],
    "50 bits": PRIMES[50], "62 bits": PRIMES[62], "one": PRIMES[50][:1],
}  # fmt: skip
GOALS = {
    "t": (65537,), "power of two": (1 << 32,), "2": (2,), "largest": ((1 << 62) - 1,), "basis": PRIMES[20][:3],
    "even basis": (6, 65537, 1 << 20),
}  # fmt: skip
METHODS = ("exact", "corrected", "fast")
MARGIN = 40


def rows(numbers: list[int], moduli: tuple[int, ...]) -> np.ndarray:
    return np.array([[a % q for a in numbers] for q in moduli], np.uint64)


def converted(*args: object, **options: object) -> mg.Kernel:
    found = mg.convert(*args, scaled=True, **options)  # type: ignore[arg-type]
    return found


def drawn(k: mg.Kernel, n: int) -> list[int]:
    """Numbers at both ends, numbers whose multiples are next to 0 or as near to Q/2 as the method takes, and others."""
    whole, scale, rng = prod(k.moduli), prod(k.goals), Random(n)
    end = whole // 2 - ((whole >> MARGIN) + 1) * (k.spec.method == "corrected")
    remainders = [0, 1, -1, end, -end, end - 1, 1 - end]
    near = [r * pow(scale, -1, whole) % whole for r in remainders]
    found = [*near, 0, 1, whole - 1, *(rng.randrange(whole) for _ in range(n))][:n]
    return [a for a in found if abs((2 * scale * a + whole) % (2 * whole) - whole) <= 2 * end]


def nearest(a: int, scale: int, whole: int) -> int:
    """a·scale/whole to the nearest integer; whole is odd."""
    return (2 * a * scale + whole) // (2 * whole)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("goals", GOALS)
@pytest.mark.parametrize("method", METHODS)
def test_numbers_are_scaled_and_rounded(method: str, goals: str, chain: str, target: str) -> None:
    k = converted(CHAINS[chain], to=GOALS[goals], target=target, method=method)
    assert k.verify()
    whole, scale = prod(k.moduli), prod(k.goals)
    for n in (9, 37, 700):
        numbers = drawn(k, n)
        found = k(rows(numbers, k.moduli))
        if method == "fast":
            for a, column in zip(numbers, found.T.tolist(), strict=True):
                low = a * scale // whole
                assert column in [[(low - u) % p for p in k.goals] for u in range(len(k.moduli))]
        else:
            assert np.array_equal(found, rows([nearest(a, scale, whole) for a in numbers], k.goals))


def seal_decryption(residues: list[int], q: tuple[int, ...], t: int, gamma: int) -> int:
    """SEAL's RNSTool::decrypt_scale_and_round, operation by operation (native/src/seal/util/rns.cpp)."""
    whole = prod(q)
    shares = [x * t * gamma * pow(whole // each, -1, each) % each for x, each in zip(residues, q, strict=True)]
    of_t, of_gamma = [sum(y * (whole // each) for y, each in zip(shares, q, strict=True)) * -pow(whole, -1, p) % p
                      for p in (t, gamma)]  # fmt: skip
    error = of_gamma - gamma if of_gamma > gamma >> 1 else of_gamma
    return (of_t - error) * pow(gamma, -1, t) % t


@pytest.mark.parametrize("t", [2, 65537, 1 << 16, (1 << 40) - 87])
@pytest.mark.parametrize("method", ["exact", "corrected"])
def test_bfv_ciphertexts_are_decrypted(method: str, t: int) -> None:
    """Of messages m the phase is round(Q·m/t) and an error below Q/(2·t); SEAL gives the same messages."""
    q, gamma, rng = PRIMES[60][:3], PRIMES[60][4], Random(t)
    k, whole = converted(q, to=[t], method=method, target="native"), prod(q)
    messages = [0, 1, t - 1, *(rng.randrange(t) for _ in range(100))]
    most = whole // (2 * t) - (whole >> 30) // t - 1
    phases = [nearest(m, whole, t) + rng.choice((-most, most, 0, rng.randrange(-most, most))) for m in messages]
    x = rows(phases, q)
    assert k(x).tolist() == [messages]
    assert [seal_decryption(column, q, t, gamma) for column in x.T.tolist()] == messages


def test_a_modulus_is_switched_as_by_openfhe() -> None:
    """OpenFHE scales an operand by P/Q to the basis P from its residues modulo Q; P may be longer than Q."""
    k = converted(PRIMES[50][:2], to=PRIMES[60][:3], method="corrected")
    whole, scale, rng = prod(k.moduli), prod(k.goals), Random(3)
    numbers = [rng.randrange(whole) for _ in range(100)]
    expected = rows([nearest(a, scale, whole) for a in numbers], k.goals)
    assert np.array_equal(k(rows(numbers, k.moduli)), expected)


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("method", ["exact", "corrected"])
def test_rows_anywhere(method: str, threads: int | None) -> None:
    k = converted(CHAINS["mixed"], to=GOALS["basis"], method=method, target="native", threads=threads)
    numbers = drawn(k, 1100)
    x, z = [[*map(np.copy, rows(numbers, moduli))] for moduli in (k.moduli, k.goals)]
    pointers = [np.array([row.ctypes.data for row in each], np.uintp) for each in (z, x)]
    execute = function_of(k.compiled, "execute_rows", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], ctypes.c_int)
    assert execute(k.tables.address, pointers[0].ctypes.data, pointers[1].ctypes.data, len(numbers)) == 0
    whole, scale = prod(k.moduli), prod(k.goals)
    assert np.array_equal(z, rows([nearest(a, scale, whole) for a in numbers], k.goals))


@pytest.mark.parametrize(("asked", "said"), [
    ({"to": [194]}, "to: expected target moduli that are coprime to the source moduli, got 194"),
    ({"moduli": [97, 4]}, r"moduli\[1\]: expected an odd number of at least 3, got 4"),
    ({"positive": True}, "`scaled=True` cannot be combined with `positive=True`"),
    ({"method": "montgomery"}, "`scaled=True` cannot be combined with `method"),
    ({"target": "cuda"}, "`scaled=True` is not available for"), ({"target": "jax"}, "`scaled=True` is not available"),
    ({"moduli": [97, (1 << 63) - 25]}, "moduli of at most 62 bits"), ({"to": [1]}, r"to\[0\]: expected a number"),
], ids=str)  # fmt: skip
def test_wrong_requests_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        mg.convert(**{"moduli": [97, 101], "to": [103], "scaled": True, **asked})


@pytest.mark.parametrize("method", METHODS)
def test_create_rejects_moduli_with_common_factors(method: str) -> None:
    k = converted([251, 97], to=[103], method=method)
    arguments = [ctypes.c_size_t, ctypes.c_void_p] * 2 + [ctypes.c_void_p]
    create = function_of(k.compiled, "create", arguments, ctypes.c_void_p)
    for bases in (([97, 89], [194]), ([97, 97], [103]), ([97, 89], [103, 89])):
        why, arrays = ctypes.c_int(), [np.array(basis, np.uint64) for basis in bases]
        assert create(*(each for a in arrays for each in (len(a), a.ctypes.data)), ctypes.addressof(why)) is None
        assert why.value == 1


def test_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = "convert --moduli 0x65,0x67 --to 0x10, --method corrected --scaled --threads 2"
    assert main([*wanted.split(), "--output", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out
    header = (tmp_path / "convert2to1_7b_corrected_scaled_c.h").read_text(encoding="utf-8")
    header = " ".join(header.split())
    assert f"momagen {wanted} --target c" in header and "the result is P*a/Q, rounded to the nearest integer" in header
    assert "two moduli q share a factor" in header and "a modulus q shares a factor with a modulus p)" in header
