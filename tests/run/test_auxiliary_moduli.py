"""Conversions between RNS bases with an auxiliary modulus, against integers."""

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
from momagen.kinds.rns.ranges import converted_range
from momagen.params import prime_basis
from momagen.runtime.compiled import function_of

PRIMES = {bits: prime_basis(6, bits, 1) for bits in (28, 40, 50, 60, 62)}
CHAINS = {
    "SEAL": (*PRIMES[60][:4], PRIMES[60][5]), "mixed": (PRIMES[60][0], *PRIMES[40][:3], PRIMES[50][0]),
    "28 bits": PRIMES[28], "50 bits": PRIMES[50], "62 bits": PRIMES[62], "short": (97, 193, 11, 13),
}  # fmt: skip
ODD_GOALS = (65537, 3, PRIMES[40][5], (1 << 20) - 3)
"""Target moduli of any length."""
METHODS = {"shenoy-kumaresan": (*ODD_GOALS, 1 << 20, 2, 6), "montgomery": ODD_GOALS}
"""The methods, with target moduli that they serve."""


def rows(numbers: list[int], moduli: tuple[int, ...]) -> np.ndarray:
    return np.array([[a % q for a in numbers] for q in moduli], np.uint64)


def converted(*args: object, **options: object) -> mg.Kernel:
    found = mg.convert(*args, **options)  # type: ignore[arg-type]
    return found


def drawn(k: mg.Kernel, n: int) -> list[int]:
    """The numbers at both ends of the range and next to 0, and random ones."""
    low, high = converted_range(k.spec)
    near = [*range(low, low + 3), *range(high, high - 3, -1), *range(max(low, -2), 3)]
    rng = Random(n)
    return [*near, *(rng.randrange(low, high + 1) for _ in range(n))][:n]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_the_range_are_converted(method: str, positive: bool, chain: str, target: str) -> None:
    goals = METHODS[method]
    k = converted(CHAINS[chain], to=goals, target=target, method=method, positive=positive)
    assert k.verify()
    for n in (9, 37, 700):
        numbers = drawn(k, n)
        assert np.array_equal(k(rows(numbers, k.moduli)), rows(numbers, goals))


@pytest.mark.parametrize("m", [4, 8, 11, 13])
@pytest.mark.parametrize("positive", [False, True])
def test_the_range_of_a_redundant_modulus_is_sharp(positive: bool, m: int) -> None:
    """All numbers of the range are converted, and next to both ends there are some that are not."""
    base, goals = (3, 5, 7), (101, 4)
    k = converted((*base, m), to=goals, method="shenoy-kumaresan", positive=positive)
    low, high = converted_range(k.spec)
    assert high - low >= prod(base) * (m - len(base)) - 1 and (low == 0) == positive and -low in (0, high)
    numbers = [*range(low - prod(base) * len(base), high + prod(base) * len(base))]
    expected, found = rows(numbers, goals), k(rows(numbers, k.moduli))
    correct = np.all(expected == found, axis=0)
    first, last = -numbers[0] + low, -numbers[0] + high
    assert correct[first : last + 1].all() and not correct[:first].all() and not correct[last + 1 :].all()


def seal_fastbconv_sk(residues: list[int], base: tuple[int, ...], m: int, goals: tuple[int, ...]) -> list[int]:
    """SEAL's RNSTool::fastbconv_sk, operation by operation (native/src/seal/util/rns.cpp)."""
    whole = prod(base)
    shares = [x * pow(whole // q, -1, q) % q for x, q in zip(residues[:-1], base, strict=True)]
    fast = [sum(y * (whole // q) for y, q in zip(shares, base, strict=True)) % p for p in (*goals, m)]
    alpha = (fast.pop() + m - residues[-1]) * pow(whole, -1, m) % m
    signed = alpha - m if alpha > m >> 1 else alpha
    return [(z - signed * whole) % p for z, p in zip(fast, goals, strict=True)]


def test_seal_gives_the_same_residues() -> None:
    """For |a| <= (m - 2·L)·Q/2, which both convert without an error."""
    k = converted(CHAINS["SEAL"], to=PRIMES[50][:3], method="shenoy-kumaresan", target="native")
    *base, m = k.moduli
    end, rng = (m - 2 * len(base)) * prod(base) // 2, Random(1)
    numbers = [end, -end, 0, *(rng.randrange(-end, end) for _ in range(100))]
    x = rows(numbers, k.moduli)
    found = [seal_fastbconv_sk(column, (*base,), m, k.goals) for column in x.T.tolist()]
    assert k(x).T.tolist() == found == rows(numbers, k.goals).T.tolist()


def seal_sm_mrq(residues: list[int], base: tuple[int, ...], goals: tuple[int, ...]) -> list[int]:
    """SEAL's RNSTool::fastbconv_m_tilde and sm_mrq, operation by operation, with m~ = 2^32."""
    whole, power = prod(base), 1 << 32
    shares = [x * power * pow(whole // q, -1, q) % q for x, q in zip(residues, base, strict=True)]
    *fast, last = [sum(y * (whole // q) for y, q in zip(shares, base, strict=True)) % p for p in (*goals, power)]
    r = last * -pow(whole, -1, power) % power
    r -= power * (r >= power >> 1)
    return [(z + r * whole) * pow(power, -1, p) % p for z, p in zip(fast, goals, strict=True)]


def test_seal_gives_the_same_residues_up_to_its_margin() -> None:
    """SEAL's margin is L·Q/2^32 above -Q/2; outside of it both give the residues of the same number."""
    k = converted(PRIMES[60][:4], to=PRIMES[50][:3], method="montgomery", target="native")
    whole, rng = prod(k.moduli), Random(2)
    margin = len(k.moduli) * whole >> 32
    low, high = margin + 1 - whole // 2, converted_range(k.spec)[1]
    numbers = [low, high, 0, *(rng.randrange(low, high + 1) for _ in range(100))]
    x = rows(numbers, k.moduli)
    found = [seal_sm_mrq(column, k.moduli, k.goals) for column in x.T.tolist()]
    assert k(x).T.tolist() == found == rows(numbers, k.goals).T.tolist()


@pytest.mark.parametrize("positive", [False, True])
def test_numbers_within_the_margin_of_a_power_of_two_are_off_by_at_most_the_product(positive: bool) -> None:
    """All numbers modulo Q: those of the range are converted, and some others are off by Q."""
    moduli, goals = (29, 31, 23), (101, 107)
    k = converted(moduli, to=goals, method="montgomery", positive=positive)
    assert k.spec.auxiliary == 64
    (low, high), whole = converted_range(k.spec), prod(moduli)
    assert high - low >= whole * (64 - 3) // 64 - 1 and (low == 0) == positive and -low in (0, high)
    first = 0 if positive else -(whole // 2)
    numbers = [*range(first, first + whole)]
    found, off = k(rows(numbers, k.moduli)).T.tolist(), 0
    for a, column in zip(numbers, found, strict=True):
        known = [[(a + u * whole) % p for p in goals] for u in (0, 1, -1)]
        assert column == known[0] or (column in known and not low <= a <= high)
        off += column != known[0]
    assert off


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("method", METHODS)
def test_rows_anywhere(method: str, threads: int | None) -> None:
    k = converted(CHAINS["mixed"], to=ODD_GOALS, method=method, target="native", threads=threads)
    numbers = drawn(k, 1100)
    x, z = [[*map(np.copy, rows(numbers, moduli))] for moduli in (k.moduli, k.goals)]
    expected = [row.copy() for row in z]
    for row in z:
        row[...] = 0
    pointers = [np.array([row.ctypes.data for row in each], np.uintp) for each in (z, x)]
    execute = function_of(k.compiled, "execute_rows", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], ctypes.c_int)
    assert execute(k.tables.address, pointers[0].ctypes.data, pointers[1].ctypes.data, len(numbers)) == 0
    assert np.array_equal(z, expected)


@pytest.mark.parametrize(("asked", "said"), [
    ({"moduli": [3], "to": [3, 2], "method": "montgomery"}, r"to\[1\]: expected an odd number of at least 3, got 2"),
    ({"moduli": [97, 4], "method": "montgomery"}, r"moduli\[1\]: expected an odd number of at least 3, got 4"),
    ({"moduli": [3, 5, 7, 11], "to": [3], "method": "montgomery", "target": "cuda"}, "is not available on cuda"),
    ({"moduli": [3, 5, 7, 13], "to": [3], "method": "montgomery", "target": "jax"}, "montgomery"),
    ({"moduli": [97, 101, 2]}, r"moduli\[2\]: expected a redundant modulus above 2, the number of the other moduli"),
    ({"moduli": [97]}, "expected at least two moduli, of which the last is redundant"),
    ({"target": "cuda"}, "is not available on cuda; use a target in C"),
    ({"target": "jax"}, "on jax; use a target in C or CUDA and moduli of at most 62 bits"),
    ({"moduli": [97, (1 << 63) - 25]}, "moduli of at most 62 bits"),
], ids=str)  # fmt: skip
def test_wrong_requests_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        mg.convert(**{"moduli": [97, 101, 5], "to": [103], "method": "shenoy-kumaresan", **asked})


BAD = {
    "shenoy-kumaresan": [([97, 89, 2], [103]), ([97], [103]), ([97, 101, 194], [103]), ([97, 89, 97], [103])],
    "montgomery": [([97, 88], [103]), ([97, 89], [102]), ([97, 97], [103])],
}  # fmt: skip
"""Bases that create rejects: an auxiliary modulus that is too small, no other modulus, common factors with one another
or with the auxiliary modulus."""


@pytest.mark.parametrize("method", METHODS)
def test_create_rejects_what_it_does_not_serve(method: str) -> None:
    k = converted([251, 97, 101], to=[103], method=method)
    arguments = [ctypes.c_size_t, ctypes.c_void_p] * 2 + [ctypes.c_void_p]
    create = function_of(k.compiled, "create", arguments, ctypes.c_void_p)
    for bases in BAD[method]:
        why, arrays = ctypes.c_int(), [np.array(basis, np.uint64) for basis in bases]
        assert create(*(each for a in arrays for each in (len(a), a.ctypes.data)), ctypes.addressof(why)) is None
        assert why.value == 1


def test_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = "convert --moduli 0x65,0x67,0x6b --to 0x61,0x40 --method shenoy-kumaresan --positive --threads 2"
    assert main([*wanted.split(), "--output", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out
    header = (tmp_path / "convert3to2_7b_shenoy_kumaresan_positive_c.h").read_text(encoding="utf-8")
    header = " ".join(header.split())
    assert f"momagen {wanted} --target c" in header and "each number a satisfies 0 <= a <= Q*(m - L)." in header
    assert "m <= L)" in header
