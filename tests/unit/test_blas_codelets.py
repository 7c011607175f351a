"""BLAS codelets against the definition, interpreted on whole integers and on words, with every interval checked."""

from __future__ import annotations

import random
from collections.abc import Callable

import gmpy2
import pytest

from momagen.ir import run
from momagen.kernels.arith import Arith
from momagen.kernels.blas import MEANING, Elementwise, default_product, elementwise, lanes_for, montgomery_product
from momagen.kernels.spec import BLAS
from momagen.lower import lower
from momagen.targets import load_target

WIDTHS = (2, 12, 60, 61, 64, 97, 124, 128, 192, 255, 256, 381, 512)
PRODUCTS = ("barrett", "montgomery")
CHOICES = [*((kind, "") for kind in BLAS if kind != "vmul"), *(("vmul", product) for product in PRODUCTS)]


def primes(bits: int) -> list[int]:
    """The smallest and the largest of ``bits`` bits."""
    return sorted({int(gmpy2.next_prime((1 << bits - 1) | 1)) if bits > 2 else 3, int(gmpy2.prev_prime(1 << bits))})


def constants(arith: Arith, q: int, a: int) -> dict[str, int]:
    """All that a codelet may ask for, by definition."""
    r = 1 << arith.held
    scaled = a * r % q if arith.kind == "montgomery" else a
    mu = (1 << 2 * q.bit_length() + 3) // q
    return {"q": q, "qi": pow(q, -1, r), "mu": mu, "square": r * r % q, "v0": scaled, "u0": (a << arith.held) // q}


def check(codelet: Elementwise, arith: Arith, q: int, meaning: Callable[[int, int, int], int]) -> None:
    """``meaning(a, x, y)`` on edges and random residues, on whole integers and on the words of two targets."""
    rng = random.Random(q)
    blocks = [codelet.block, *(lower(codelet.block, load_target(target)) for target in ("c", "avx512"))]
    for _ in range(12):
        a, x, y = (rng.choice((0, 1, q - 1, rng.randrange(q), rng.randrange(q))) for _ in range(3))
        inputs = {"x": x, "y": y, **constants(arith, q, a)}
        for block in blocks:
            assert run(block, {name: inputs[name] for name in block.inputs})["z"] == meaning(a, x, y)


def defined(kind: str, q: int) -> Callable[[int, int, int], int]:
    return lambda a, x, y: MEANING[kind](q, a, x, y) if kind == "axpy" else MEANING[kind](q, x, y)


def reduced(q: int, factor: int) -> Callable[[int, int, int], int]:
    return lambda a, x, y: x * y * factor % q


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize(("kind", "product"), CHOICES)
def test_codelets(kind: str, product: str, bits: int) -> None:
    arith = Arith(bits)
    for q in primes(bits):
        check(elementwise(kind, arith, product), arith, q, defined(kind, q))


@pytest.mark.parametrize("scheme", ["about", "lazy", "tight", "montgomery"])
def test_every_scheme_of_axpy(scheme: str) -> None:
    arith = Arith(124, 64, scheme)
    for q in primes(124):
        check(elementwise("axpy", arith), arith, q, defined("axpy", q))


@pytest.mark.parametrize("bits", WIDTHS)
def test_montgomery_product_lacks_a_factor(bits: int) -> None:
    arith = Arith(bits)
    for q in primes(bits):
        check(montgomery_product(arith), arith, q, reduced(q, pow(2, -arith.held, q)))


@pytest.mark.parametrize("q", [2**64 - 2**32 + 1, 2**127 - 1, 2**255 - 19], ids=hex)
@pytest.mark.parametrize(("kind", "product"), CHOICES)
def test_baked_modulus(kind: str, product: str, q: int) -> None:
    arith = Arith(q.bit_length(), modulus=q)
    codelet = elementwise(kind, arith, product)
    assert not {"q", "qi", "mu", "square"} & set(codelet.block.inputs)
    check(codelet, arith, q, defined(kind, q))


def test_default_product() -> None:
    chosen = {bits: default_product(Arith(bits)) for bits in (60, 61, 64, 124, 125, 128, 188, 189, 256)}
    assert [bits for bits, product in chosen.items() if product == "montgomery"] == [61, 64, 125, 128]


def test_three_words_cost_three_words() -> None:
    """A 192-bit product, held in 256-bit operations, has no fourth word; Barrett's constant has a short one."""
    counts = {
        bits: lower(elementwise("vmul", Arith(bits), "barrett").block, load_target("c")).counts()["mul"]
        for bits in (188, 192, 252)
    }
    assert counts[188] < counts[192] < counts[252]


def test_sums_of_many_words_stay_out_of_lanes() -> None:
    words = {count: lanes_for("vadd", Arith(64 * count - 4), 8) for count in (1, 3, 4, 5, 6, 8, 12, 16)}
    assert [count for count, lanes in words.items() if lanes == 1] == [5, 6, 12]
    assert lanes_for("vmul", Arith(380), 8) == lanes_for("axpy", Arith(380), 8) == 8
