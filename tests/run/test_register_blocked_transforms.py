"""Transforms of residues that fit a digit, a word or a double: compiled, and verified against gmpy2."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.emit import generate
from momagen.kinds.modular.make_spec import make_spec
from momagen.targets import load_target

Case = tuple[int, dict[str, Any]]
WAYS: list[dict[str, Any]] = [
    {"inverse": inverse, "negacyclic": negacyclic} for inverse in (False, True) for negacyclic in (False, True)
]
SHORT: list[Case] = [
    (n, {"bits": bits, "layout": "u64", **way}) for n in (64, 128) for bits in (16, 48, 54, 56) for way in WAYS
]
LONG: list[Case] = [
    (256, {"bits": 53, "inverse": True}), (512, {"bits": 54}), (512, {"bits": 54, "inverse": True}),
    (1024, {"bits": 54}), (2048, {"bits": 54, "inverse": True, "negacyclic": True}), (2048, {"bits": 51}),
    (4096, {"bits": 54, "negacyclic": True}), (4096, {"bits": 54, "inverse": True}), (8192, {"bits": 52}),
    (16384, {"bits": 54}), (32768, {"bits": 54, "inverse": True}), (65536, {"bits": 54}),
    (1 << 17, {"bits": 53, "inverse": True, "negacyclic": True}), (1 << 18, {"bits": 54}),
]  # fmt: skip
"""Passes of columns of one step and of two, and up to three passes."""
WORDS: list[Case] = [
    *((64, {"bits": bits, **way}) for bits in (57, 62, 65) for way in WAYS),
    *((128, {"bits": 64, **way}) for way in WAYS),
    (256, {"bits": 65, "inverse": True}), (512, {"bits": 63, "negacyclic": True}), (1024, {"bits": 64}),
    (2048, {"bits": 64, "inverse": True}), (4096, {"bits": 64, "quotients": "table"}), (8192, {"bits": 58}),
    (16384, {"bits": 64}), (32768, {"bits": 64, "inverse": True, "negacyclic": True}),
    (1 << 18, {"bits": 64, "inverse": True}),
]  # fmt: skip
DOUBLES: list[Case] = [
    *((n, {"modulus_bits": bits, **way}) for n in (16, 64, 128) for bits in (49, 50) for way in WAYS),
    (32, {"modulus_bits": 30, "layout": "u64"}), (256, {"modulus_bits": 48, "inverse": True}),
    (512, {"modulus_bits": 50}), (1024, {"modulus_bits": 50, "order": "natural"}),
    (2048, {"modulus_bits": 50, "inverse": True}), (4096, {"modulus_bits": 50, "negacyclic": True}),
    (1 << 17, {"modulus_bits": 50}), (1 << 18, {"modulus_bits": 50, "inverse": True, "negacyclic": True}),
    (4096, {"modulus_bits": 50, "inverse": True, "order": "natural"}),
]  # fmt: skip

SIGNED: list[Case] = [
    *((n, {"modulus_bits": bits, **way}) for n in (8, 16, 64) for bits in (51, 60, 61) for way in WAYS),
    (1024, {"modulus_bits": 60, "negacyclic": True}), (8192, {"modulus_bits": 61, "inverse": True}),
    (4096, {"modulus_bits": 55, "order": "natural"}), (65536, {"modulus_bits": 60, "negacyclic": True}),
    (32, {"modulus_bits": 60, "columns": 5}), (64, {"modulus_bits": 61, "columns": 4, "inverse": True}),
    (128, {"modulus_bits": 60, "input_factor": 4, "output_factor": 2}),
    (128, {"modulus_bits": 60, "input_factor": 8, "output_factor": 4, "inverse": True}),
    (128, {"modulus_bits": 59, "input_factor": 16, "output_factor": 16}),
    (64, {"modulus_bits": 60, "depth": 4}), (64, {"modulus_bits": 60, "coset": 7}),
]  # fmt: skip


def demand_right(kernel: mg.Kernel, held: str = "limbs: 1 integer limb of radix 2^52") -> None:
    report = kernel.verify(seed=1)
    assert report.ok, str(report)
    assert report.values > 0
    assert held in " ".join(kernel.generated.notes)


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "options"), [*SHORT, *LONG], ids=str)
def test_transform(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target="avx512ifma", **options))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "options"), WORDS, ids=str)
@pytest.mark.parametrize("target", ["avx512", "avx512ifma"])
def test_transform_of_words(n: int, target: str, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target=target, **options), "limbs: 64-bit words")


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("n", "options"), DOUBLES, ids=str)
@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_transform_of_doubles(n: int, target: str, options: dict[str, Any]) -> None:
    n = max(n, load_target(target).lanes ** 2)
    demand_right(mg.ntt(n, target=target, **options), "limbs: 1 floating-point limb of radix 2^52")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("n", "options"), SIGNED, ids=str)
def test_transform_of_signed_words(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target="avx2", **options), "limbs: 64-bit words, with quotients from 32-bit products")


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("bits", "taken"), [(60, 16), (61, 8)])
def test_inputs_that_leave_no_sign(bits: int, taken: int, inverse: bool) -> None:
    """Up to 2^64, which signed words do not hold."""
    kernel = mg.ntt(64, modulus_bits=bits, target="avx2", input_factor=taken, inverse=inverse)
    assert kernel.verify(seed=1).ok


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_longest_words(way: dict[str, Any]) -> None:
    demand_right(mg.ntt(64, bits=66, target="avx512ifma", **way), "limbs: 64-bit words")
    assert mg.ntt(64, bits=66, target="avx512", **way).verify(seed=1).ok


@pytest.mark.slow
@pytest.mark.parametrize(("n", "options"), [(1 << 20, {"bits": 54, **way}) for way in WAYS], ids=str)
def test_long_transform(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target="avx512ifma", **options))


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("factors", [("4", "2"), ("8", "8"), ("1", "4"), ("2", "1")], ids=str)
@pytest.mark.parametrize("bits", [54, 48])
def test_ranges_of_a_chain_of_kernels(bits: int, factors: tuple[str, str], inverse: bool) -> None:
    taken, given = factors
    demand_right(
        mg.ntt(128, bits=bits, target="avx512ifma", inverse=inverse, input_factor=taken, output_factor=given)
    )


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("given", ["2", "4", "8"])
@pytest.mark.parametrize("bits", [20, 33, 40, 44, 46, 48])
def test_a_longer_range_of_results_takes_no_more_operations(bits: int, given: str, inverse: bool) -> None:
    """Values that are known modulo 2^52 become numbers at the end, whatever range they are in."""
    make = partial(mg.ntt, 256, modulus_bits=bits, target="avx512ifma", inverse=inverse, input_factor="4")
    shortest, longer = make(output_factor="1"), make(output_factor=given)
    demand_right(longer)
    assert sum(longer.operations.values()) <= sum(shortest.operations.values())


@pytest.mark.parametrize("factors", [("4", "2"), ("2", "8"), ("8", "1")], ids=str)
@pytest.mark.parametrize("inverse", [False, True])
def test_ranges_of_words(factors: tuple[str, str], inverse: bool) -> None:
    taken, given = factors
    kernel = mg.ntt(128, bits=64, target="avx512ifma", inverse=inverse, input_factor=taken, output_factor=given)
    demand_right(kernel, "limbs: 64-bit words")


@pytest.mark.parametrize(("bits", "target"), [(54, "avx512ifma"), (64, "avx512ifma"), (64, "avx2")])
def test_there_is_no_least_modulus(bits: int, target: str) -> None:
    """The builds for 50 bits and for 60 serve 257."""
    q, root, x = 257, pow(3, 256 // 64, 257), np.arange(64, dtype=np.uint64).reshape(64, 1)
    y = np.zeros_like(x)
    mg.ntt(64, bits=bits, target=target).compile().plan(q, root).execute(y, x, count=1)
    assert y[:, 0].tolist() == mg.ntt(64, modulus=q, root=root, target="c")(x[:, 0].tolist())


@pytest.mark.parametrize("options", [{"reduction": "lazy"}, {"radix": 4}], ids=str)
def test_what_asks_for_another_way_gets_it(options: dict[str, Any]) -> None:
    kernel = mg.ntt(64, bits=54, target="avx512ifma", **options)
    assert kernel.verify(seed=1).ok and "of radix 2^" not in " ".join(kernel.generated.notes)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("bits", "n"), [(54, 64), (54, 128), (48, 1024), (54, 4096), (64, 64), (60, 512), (64, 16384)])
def test_natural_order(bits: int, n: int, inverse: bool) -> None:
    """By way of memory that a plan keeps: several at a time, and calls at once of threads that share a plan."""
    kernel = mg.ntt(n, bits=bits, target="avx512ifma", order="natural", inverse=inverse)
    demand_right(kernel, "limbs: 64-bit words" if bits > 56 else "limbs: 1 integer limb of radix 2^52")
    rng = np.random.default_rng(bits)
    x = rng.integers(0, 1 << bits - 5, (8, n, 1), dtype=np.uint64)
    wanted = mg.ntt(n, modulus=kernel.modulus, root=kernel.root, target="c", order="natural", inverse=inverse)(x)
    assert np.array_equal(kernel(x), wanted)
    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(y, z) for y, z in zip(pool.map(kernel, x), wanted, strict=True))


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize(("bits", "factors"), [(54, ("4", "2")), (54, ("1", "8")), (64, ("2", "8")), (64, ("8", "1"))])
def test_product_of_polynomials(bits: int, factors: tuple[str, str], negacyclic: bool) -> None:
    taken, given = factors
    kernel = mg.polymul(
        128, bits=bits, target="avx512ifma", negacyclic=negacyclic, input_factor=taken, output_factor=given
    )
    notes = " ".join(kernel.generated.notes)
    assert kernel.verify(seed=1).ok and "2 integer limbs" not in notes
    assert ("limbs: 64-bit words" in notes) == (bits == 64)


@pytest.mark.parametrize("inverse", [False, True])
def test_natural_order_by_half_words(inverse: bool) -> None:
    demand_right(mg.ntt(256, bits=64, target="avx512", order="natural", inverse=inverse), "limbs: 64-bit words")


def test_too_few_points_for_a_tile() -> None:
    kernel = mg.ntt(8, bits=54, target="avx512ifma")
    assert kernel.verify(seed=1).ok and "of radix 2^" not in " ".join(kernel.generated.notes)


@pytest.mark.parametrize("bits", [67, 68])
def test_a_modulus_too_long_says_so(bits: int) -> None:
    source = generate(make_spec("ntt", n=64, bits=bits, target="avx512ifma"))
    notes = "; ".join(source.notes)
    assert f"a modulus of {bits - 4} bits leaves no headroom in a word" in notes and "2 integer limbs of" in notes


def test_words_or_digits() -> None:
    """Two digits are there to be asked for."""
    kernel = mg.ntt(64, bits=64, target="avx512ifma", limbs="reduced")
    assert kernel.verify(seed=1).ok and "2 integer limbs of radix 2^52" in " ".join(kernel.generated.notes)
