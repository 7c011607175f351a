"""Conversions between bases and division by a modulus as kernels in C, against integers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.kernels.rns.methods import EVERYWHERE
from momagen.kinds.modular.typed import ConversionMethod, DivisionMethod
from momagen.params import prime_basis
from momagen.runtime.compiled import function_of
from momagen.runtime.features import missing_features
from momagen.runtime.native import candidates

PRIMES = {bits: prime_basis(3, bits, 1) for bits in (20, 28, 31, 40, 50, 60, 62)}
COLUMNS = 1100
"""More than two blocks, of which the last is not full."""
TARGETS = [(target, bits) for target in ("c", "avx2", "avx512ifma") for bits in (31, 50, 60, 63)]


def rows(numbers: list[int], moduli: tuple[int, ...]) -> np.ndarray:
    return np.array([[a % q for a in numbers] for q in moduli], np.uint64)


def numbers_of(whole: int, seed: int) -> list[int]:
    """From -(Q - 1)/2 to (Q - 1)/2, those at the ends and next to 0 among them."""
    rng, half = Random(seed), (whole - 1) // 2
    near = [sign * (half - i) for i in range(8) for sign in (1, -1)] + [*range(-3, 4)]
    return [*near, *(rng.randrange(whole) - half for _ in range(COLUMNS - len(near)))]


def converted(*args: object, **options: object) -> mg.Kernel:
    found = mg.convert(*args, **options)  # type: ignore[arg-type]
    return found


@pytest.mark.thorough
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("target", "bits"), TARGETS)
def test_rows_come_to_another_basis_and_are_divided(target: str, bits: int) -> None:
    """By one thread and by several: exactly, up to one multiple of Q for all rows, and rounded."""
    if target not in map(str, candidates()):
        pytest.skip(f"no {target}")
    k = converted(4, to=3, modulus_bits=bits, target=target, threads=3)
    whole = prod(k.moduli)
    numbers = numbers_of(whole, bits)
    x = rows(numbers, k.moduli)
    assert np.array_equal(k(np.stack([x, x]))[1], rows(numbers, k.goals))
    k.threads = 1
    assert k.threads == 1 and np.array_equal(k(x), rows(numbers, k.goals))
    rough = converted(k.moduli, to=k.goals, target=target, exact=False)(x)
    for column, a in zip(rough.T.tolist(), numbers, strict=True):
        assert column in [[(a % whole + u * whole) % p for p in k.goals] for u in range(4)]
    r = mg.rescale(k.moduli, target=target, threads=2)
    d = k.moduli[-1]
    assert np.array_equal(r(x), rows([(a + d // 2) // d for a in numbers], r.goals))


WAYS = [method for method in get_args(ConversionMethod) if method not in EVERYWHERE]
"""The methods for moduli of at most 62 bits."""
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-fsyntax-only"]


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [28, 50, 60, 63])
@pytest.mark.parametrize("target", ["c", "avx2"])
def test_compilers_warn_of_nothing(target: str, bits: int, tmp_path: Path) -> None:
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    short = bits <= 62
    ways = [("exact", False), ("fast", False), *[("exact", True), *product(WAYS, [False, True])] * short]
    moduli = prime_basis(5, bits, 1)
    bases = {"moduli": moduli[3:], "to": moduli[:3], "target": target}
    kernels = [converted(**bases, method=method, positive=positive) for method, positive in ways]
    others: list[mg.Kernel] = [*kernels, mg.rescale(moduli[::-1], target=target)]
    if short:
        methods = get_args(DivisionMethod)
        others += [mg.moddown(moduli, drop=2, method=method, target=target) for method in methods]
        others += [converted(**bases, method=method, scaled=True) for method in methods]
        others += [mg.keyswitch(moduli, target=target, outputs=n, input_factor=4) for n in (1, 2, 4)]
    for kernel in others:
        kernel.save(tmp_path)
        done = subprocess.run(["gcc", *STRICT, f"{kernel.name}.c"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


CHAINS = {
    "SEAL": (PRIMES[60][0], PRIMES[40][0], PRIMES[40][1], PRIMES[60][1]),
    "OpenFHE": (PRIMES[60][0], PRIMES[50][0], PRIMES[50][1], PRIMES[60][1]),
    "short": (PRIMES[28][0], PRIMES[28][1], PRIMES[20][0]), "longest": (PRIMES[62][0], PRIMES[20][0], PRIMES[31][0]),
}  # fmt: skip
OTHERS = (1 << 32, 2, 6, 65537, PRIMES[50][2], PRIMES[60][2])
"""Target moduli of any length, powers of two among them."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("asked", [{}, {"positive": True}, {"method": "corrected"}, {"method": "fast"},
                                   {"method": "corrected", "positive": True}], ids=str)  # fmt: skip
def test_chains_of_several_lengths(asked: dict[str, Any], chain: str, target: str) -> None:
    """Compiled for this CPU, or with stand-ins for the instructions; more columns than a block, and a few more."""
    k = converted(CHAINS[chain], to=OTHERS, target=target, **asked)
    assert k.verify()
    whole = prod(k.moduli)
    margin = whole >> 39 if k.spec.corrected else 0
    rng, positive = Random(chain), k.spec.positive
    low, high = (0, whole - margin) if positive else (margin - whole // 2, whole // 2 - margin)
    numbers = [low, high - 1, *(rng.randrange(low, high) for _ in range(331))]
    found = k(rows(numbers, k.moduli))
    if k.spec.method == "fast":
        shares = [whole // q for q in k.moduli]
        numbers = [sum(a * pow(s, -1, q) % q * s for q, s in zip(k.moduli, shares, strict=True)) for a in numbers]
    assert np.array_equal(found, rows(numbers, k.goals))


@pytest.mark.parametrize("bits", [50, 52, 53, 54])
def test_quotients_of_factors_around_the_length_of_a_double(bits: int) -> None:
    """MQX multiplies whole words, whose quotients are doubles only for factors that a double holds."""
    for positive in (False, True):
        assert converted(5, to=2, modulus_bits=bits, target="mqx", method="corrected", positive=positive).verify()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("chain", CHAINS)
def test_chains_are_divided_by_their_last_modulus(chain: str, target: str) -> None:
    k = mg.rescale(CHAINS[chain], target=target)
    whole, d, rng = prod(k.moduli), k.moduli[-1], Random(chain)
    for count in (1, 37, 700):
        numbers = [whole - 1, *(rng.randrange(whole) for _ in range(count))]
        x = rows(numbers, k.moduli)
        assert np.array_equal(k(x), rows([(a + d // 2) // d for a in numbers], k.goals))
        execute = function_of(k.compiled, "execute", [ctypes.c_void_p] * 3 + [ctypes.c_size_t], ctypes.c_int)
        assert execute(k.tables.address, x.ctypes.data, x.ctypes.data, len(numbers)) == 0  # in place
        assert np.array_equal(x[:-1], rows([(a + d // 2) // d for a in numbers], k.goals))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512", "avx512ifma", "mqx"])
@pytest.mark.parametrize("chain", CHAINS)
def test_quotients_of_chains_are_rounded_down(chain: str, target: str) -> None:
    k = mg.rescale(CHAINS[chain], rounding="floor", target=target)
    whole, d, rng = prod(k.moduli), k.moduli[-1], Random(chain)
    numbers = [0, d // 2 + 1, d - 1, d, 2 * d - 1, whole - d, whole - 1, *(rng.randrange(whole) for _ in range(100))]
    assert np.array_equal(k(rows(numbers, k.moduli)), rows([a // d for a in numbers], k.goals))
    assert k.verify() and "rounded down" in repr(k)


BASES = [(1, 20), (1, 61), (2, 31), (3, 61), (8, 50), (8, 61), (17, 20), (17, 50), (17, 61)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
@pytest.mark.parametrize(("count", "bits"), BASES)
def test_conversions_are_exact_at_the_edges(count: int, bits: int, target: str) -> None:
    """At 0, the ends and the middle, and where the digits of a number, in mixed radices, are those of half the product
    but for one or for some of the lowest."""
    if target not in map(str, candidates()):
        pytest.skip(f"no {target}")
    k = converted(count, to=2, modulus_bits=bits, target=target)
    shuffled = Random(bits).sample(k.moduli, count)
    k = converted(shuffled, to=k.goals, target=target)
    whole, part = prod(k.moduli), 1
    numbers = [*range(4), *(whole - 1 - i for i in range(4)), *(whole // 2 + i for i in range(-8, 10))]
    for q in sorted(k.moduli):
        numbers += [whole // 2 + sign * part * i for i in (1, q // 2, q - 1) for sign in (1, -1)]
        part *= q
    numbers = [a % whole for a in numbers]
    expected = rows([a - whole * (a > whole // 2) for a in numbers], k.goals)
    assert np.array_equal(k(rows(numbers, k.moduli)), expected)


def test_moduli_of_other_lengths_in_lists() -> None:
    k = converted([97, 193, 257], to=[65537, 113, 1009], target="c")
    assert k([[96], [192], [256]]) == [[65536], [112], [1008]] and k.verify()
    r = mg.rescale([193, 257, 97])
    assert r([[50], [50], [50]]) == [[1], [1]] and r([[0], [0], [0]]) == [[0], [0]]
    assert r.verify() and not k([[], [], []])[0]


def test_verification_finds_wrong_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel in (converted(3, to=2, modulus_bits=50, target="c"), mg.rescale(3, modulus_bits=50)):
        right = kernel.caller

        def wrong(operands: Any, out: None, right: Callable[..., list[list[int]]] = right) -> list[list[int]]:
            first, *others = right(operands, out)
            return [[*first[:-1], first[-1] ^ 1], *others]

        monkeypatch.setattr(kernel, "_caller", wrong)
        assert not kernel.verify()


def test_create_refuses_what_it_does_not_serve() -> None:
    """Codes of C: no moduli, even ones, common factors, and rows too long to be residues."""
    k = converted([101, 103], to=[107], target="c")
    arguments = [ctypes.c_size_t, ctypes.c_void_p] * 2 + [ctypes.c_void_p]
    create = function_of(k.compiled, "create", arguments, ctypes.c_void_p)
    why = ctypes.c_int()

    def code(q: list[int], p: list[int]) -> int:
        both = [np.array(basis or [1], np.uint64) for basis in (q, p)]
        given = [each for basis, array in zip((q, p), both, strict=True) for each in (len(basis), array.ctypes.data)]
        assert create(*given, ctypes.addressof(why)) is None
        return why.value

    bad = [([], [107]), ([101], []), ([100, 103], [107]), ([99, 33], [107]), ([101, 103], [1]), ([101], [1 << 40 | 1])]
    assert {code(q, p) for q, p in bad} == {1}
    assert create(2, None, 1, None, ctypes.addressof(why)) is None and why.value == 4


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: mg.convert(3, to=2, modulus_bits=64, target="c"), "moduli: expected moduli up to"),
    (
        lambda: mg.convert(3, to=2, modulus_bits=80, target="c"),
        "moduli of at most 64 bits on targets in C",
    ),
    (
        lambda: mg.convert(3, to=2, modulus_bits=50, target="c32"),
        "target: expected a target in C with words of 64 bits",
    ),
    (
        lambda: mg.convert(3, to=2, modulus_bits=50, target="c", engine="words"),
        "`engine` does not apply to targets in C or CUDA",
    ),
    (
        lambda: mg.convert(3, to=2, modulus_bits=28, threads=2, target="jax"),
        "`threads` is available only on targets in C",
    ),
    (lambda: mg.convert([101], to=[97], method="fastest"), "method: expected one of exact, corrected, "),
    (lambda: mg.convert([101], to=[97], method="exact", exact=False), '`method="exact"` cannot be combined with'),
    (
        lambda: mg.convert([101], to=[97], method="fast", positive=True),
        '`positive=True` cannot be combined with `method="fast"`',
    ),
    (lambda: mg.convert([101], to=[97], method="corrected", target="jax"), '`method="corrected"` is not available for'),
    (
        lambda: mg.convert(65, to=1, modulus_bits=50, method="corrected"),
        "moduli: expected at most 64 moduli with method corrected",
    ),
    (lambda: mg.convert([101], to=[1]), r"to\[0\]: expected a number of at least 2, got 1"),
    (lambda: mg.convert([100], to=[97]), r"moduli\[0\]: expected an odd number"),
    (lambda: mg.rescale(3, modulus_bits=28, target="jax"), "target: rescale is not available on jax"),
    (lambda: mg.rescale([9, 3]), "moduli: expected pairwise coprime moduli"),
    (lambda: mg.rescale([9]), "moduli: expected at least two moduli"),
    (lambda: mg.rescale(3), "their width is missing"),
    (lambda: mg.rescale([9, 5])([[1], [5]]), r"x\[1\]: expected residues below 5, got 5"),
    (lambda: mg.rescale([9, 5])([1, 2]), r"x: expected integers of shape \(…, 2, n\)"),
    (lambda: mg.rescale([9, 5]).threads, "generate it with the option `threads`"),
]


@pytest.mark.parametrize(("ask", "said"), REFUSED)
def test_what_is_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        ask()


def test_the_default_target_is_c_and_native_is_the_best_of_64_bit_words(tmp_path: Path) -> None:
    kernels = [mg.convert(3, to=2, modulus_bits=50), mg.rescale([193, 257, 97])]
    assert [str(kernel.spec.target) for kernel in kernels] == ["c", "c"]
    best = [mg.convert(3, to=2, modulus_bits=50, target="native"), mg.rescale([193, 257, 97], target="native")]
    assert {kernel.spec.target.word for kernel in best} == {64}
    assert all(not missing_features(kernel.spec.target.features) for kernel in best)
    assert all(kernel.verify() for kernel in best)
    with pytest.raises(MomagenError, match="is a proxy build, whose results are incorrect by design"):
        mg.convert(3, to=2, modulus_bits=50, target="mqx:proxy")


def test_headers_say_which_moduli_are_served_and_nothing_of_momagen_verify() -> None:
    kernels = [mg.convert(3, to=2, modulus_bits=50), mg.rescale([193, 257, 97])]
    served = ["odd moduli q and any moduli p, all below 2^50", "moduli from 2 to 2^9 - 1"]
    for said, kernel in zip(served, kernels, strict=True):
        for text in (kernel.source.partition("*/")[0], kernel.header):
            assert f"Supports {said}" in text and "momagen verify" not in text and "every q below" not in text


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "--moduli", "3", "--to", "2", "--modulus-bits", "50", "--target", "c",
                 "--output", str(tmp_path), "--threads", "2"]) == 0  # fmt: skip
    new = tmp_path / "new" / "folder"
    assert main(["rescale", "--moduli", "101,103", "--target", "native", "--output", str(new)]) == 0
    assert all(sorted(path.suffix for path in each.glob("*.*")) == [".c", ".h", ".json"] for each in (tmp_path, new))
    assert main(["convert", "--moduli", "101,103", "--to", "97,89", "--output", str(new / "c"), "--json"]) == 0
    assert (new / "c" / "convert2to2_7b_c.c").is_file()
    assert main(["rescale", "--moduli", "3"]) == 2
    assert main(["rescale", "--moduli", "101,103", "--output", str(new / "c" / "convert2to2_7b_c.c")]) == 2
    assert capsys.readouterr().out.count("verified: PASS") == 2
    assert main(["verify", str(new)]) == 0 and capsys.readouterr().out.count("PASS") == 2


def test_methods_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every method generates and verifies a kernel that is named after it; two names of one method are the same."""
    bases = ["convert", "--moduli", "101,103", "--to", "97,63", "--target", "c", "--output", str(tmp_path)]
    asked = {"exact": [], "positive": ["--method", "exact", "--positive"], "alias": ["--approximate"],
             **{method: ["--method", method] for method in (*WAYS, "fast")}}  # fmt: skip
    for options in asked.values():
        assert main([*bases, "--no-bench", *options]) == 0
    assert capsys.readouterr().out.count("PASS") == len(asked)
    ends = ("", "_fast", "_positive", *(f"_{method.replace('-', '_')}" for method in WAYS))
    assert sorted(path.name for path in tmp_path.glob("*.c")) == sorted(f"convert2to2_7b{end}_c.c" for end in ends)
    assert main([*bases, "--approximate", "--method", "corrected"]) == 2
    assert "cannot be combined with exact=False (--approximate)" in capsys.readouterr().err
