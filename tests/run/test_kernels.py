"""Kernels of all kinds, sizes and widths, generated, compiled, and verified against gmpy2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import momagen as mg
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.targets import load_target

# size, then modulus or bits, then options
TRANSFORMS: list[tuple[int, dict[str, Any]]] = [
    (2, {"bits": 128}),
    (4, {"modulus": 17, "negacyclic": True}),
    (8, {"bits": 128, "order": "natural"}),
    (16, {"bits": 12}),
    (16, {"modulus": "97", "inverse": True}),
    (32, {"modulus": "secp256k1-n"}),
    (32, {"modulus": "secp256k1-n", "inverse": True, "negacyclic": True}),
    (32, {"bits": 753, "inverse": True}),
    (64, {"bits": 97 + 4, "negacyclic": True}),
    (64, {"bits": 1024}),
    (128, {"modulus": "koalabear", "inverse": True, "order": "natural"}),
    (256, {"modulus": "goldilocks"}),
    (256, {"modulus": "goldilocks", "inverse": True, "negacyclic": True}),
    (256, {"modulus": "bn254-r"}),
    (256, {"modulus": "bls12-381-r", "inverse": True}),
    (512, {"bits": 66, "negacyclic": True, "order": "natural"}),
    (1024, {"bits": 64}),
    (1024, {"bits": 128, "inverse": True, "negacyclic": True, "order": "natural"}),
    (2048, {"bits": 256}),
    (4096, {"bits": 128}),
]
SAMPLE = [
    (n, options, target)
    for n, options in TRANSFORMS
    for target in ("c", "avx2", "avx512")
    if target == "c" or options.get("bits", 0) <= 512  # what compiles for over ten seconds is slow
]
CHOICES: list[tuple[int, dict[str, Any]]] = [
    (64, {"bits": 128, "radix": 2}),
    (64, {"bits": 128, "radix": 16, "inverse": True}),
    (64, {"bits": 128, "reduction": "lazy"}),
    (64, {"bits": 128, "reduction": "montgomery", "negacyclic": True}),
    (64, {"modulus": "bls12-381-r", "reduction": "tight", "inverse": True}),
    (32, {"bits": 256, "multiply": "karatsuba"}),
    (32, {"bits": 128, "multiply": "karatsuba_words", "reduction": "montgomery"}),
    (64, {"bits": 128, "algorithm": "stockham"}),
    (128, {"bits": 128, "algorithm": "pease", "order": "natural"}),
]
RANGES: list[tuple[int, int, int, dict[str, Any]]] = [
    (2, 8, 2, {"bits": 128}),
    (64, 4, 4, {"bits": 128}),
    (64, 2, 1, {"bits": 64, "inverse": True}),
    (64, 8, 8, {"bits": 64, "inverse": True, "negacyclic": True}),
    (64, 1, 2, {"bits": 128, "inverse": True}),
    (32, 2, 2, {"modulus": "bls12-381-r"}),
    (32, 2, 2, {"modulus": "bls12-381-r", "inverse": True}),
    (64, 4, 2, {"bits": 128, "reduction": "montgomery"}),
    (64, 2, 4, {"bits": 128, "reduction": "montgomery", "inverse": True}),
    (64, 8, 4, {"bits": 128, "reduction": "tight", "inverse": True}),
    (64, 4, 1, {"bits": 128, "reduction": "tight"}),
    (1024, 4, 4, {"bits": 64}),
    (1024, 2, 2, {"bits": 64, "inverse": True}),
    (128, 2, 4, {"bits": 128, "algorithm": "stockham", "order": "natural"}),
    (128, 4, 2, {"bits": 128, "algorithm": "pease", "order": "natural", "inverse": True}),
    (64, 8, 8, {"bits": 256, "order": "natural", "algorithm": "ring"}),
    (16, 4, 8, {"bits": 381 + 4}),
    (64, 16, 16, {"bits": 128, "inverse": True}),
]
"""Size, input_factor, output_factor, options."""
WIDTHS: list[dict[str, Any]] = [
    {"modulus": 3},
    {"bits": 12},
    {"modulus": "mersenne31"},
    {"modulus": "goldilocks"},
    {"bits": 97 + 4},
    {"bits": 128},
    {"modulus": "curve25519"},
    {"modulus": "secp256k1-p"},
    {"modulus": "bls12-381-p"},
    {"modulus": "ed448"},
]
WIDER: list[dict[str, Any]] = [{"bits": 768}, {"bits": 1024}]
PRODUCTS: list[tuple[int, dict[str, Any]]] = [
    (2, {"bits": 16}),
    (16, {"modulus": "97", "negacyclic": True}),
    (64, {"modulus": "goldilocks"}),
    (256, {"bits": 128, "negacyclic": True}),
    (32, {"bits": 384}),
    (32, {"modulus": "secp256k1-n"}),
    (4096, {"bits": 64, "negacyclic": True}),
]
FAST = ("c", "avx2", "avx512")
LARGE = [(1 << k, bits, target) for k in (20, 22) for bits in (128, 256, 384, 768) for target in FAST]
TARGETS = ("c", "c64", "avx2", "avx512")
BLAS_SAMPLE = [
    (kind, options)
    for i, kind in enumerate(ANY_MODULUS)
    for j, options in enumerate(WIDTHS)
    if i < 4 or (i + j) % 3 == 0  # the others at every third width
]


def name_of(value: object) -> str:
    if isinstance(value, dict):
        return "-".join(f"{k}={v}" for k, v in value.items())
    return getattr(value, "__name__", None) or str(value)


def demand_right(kernel: mg.Kernel) -> None:
    report = kernel.verify(seed=1)
    assert report.ok, str(report)
    assert report.values > 0
    assert len(report.moduli) > 1 or kernel.modulus < 128  # where hardly any other has the root
    factor = kernel.spec.ranges.input
    largest = f"all {factor}q - 1" if factor > 1 else "all q - 1"
    assert {largest, "all 0", "words of all ones"} <= set(report.edges) or str(kernel.spec.kind) in ANY_MODULUS


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "options", "target"), SAMPLE, ids=name_of)
def test_transform(n: int, options: dict[str, Any], target: str) -> None:
    demand_right(mg.ntt(n, target=target, **options))


@pytest.mark.parametrize(("n", "options"), CHOICES, ids=name_of)
def test_choice(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, **options))


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "options"), [TRANSFORMS[5], TRANSFORMS[14], TRANSFORMS[19]], ids=name_of)
def test_transform_in_plain_words(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target="c64", **options))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["c", "avx512"])
@pytest.mark.parametrize(("n", "taken", "given", "options"), RANGES, ids=name_of)
def test_ranges(n: int, taken: int, given: int, options: dict[str, Any], target: str) -> None:
    demand_right(mg.ntt(n, target=target, input_factor=taken, output_factor=given, **options))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("n", "taken", "given", "options"),
    [
        (64, 4, 2, {"bits": 64}),
        (64, 8, 8, {"bits": 128, "negacyclic": True, "target": "avx512"}),
        (32, 2, 2, {"modulus": "bls12-381-r", "target": "avx512"}),
        (32, 2, 4, {"bits": 66, "negacyclic": True}),
    ],
    ids=name_of,
)
def test_ranges_of_products(n: int, taken: int, given: int, options: dict[str, Any]) -> None:
    demand_right(mg.polymul(n, input_factor=taken, output_factor=given, **options))


def smallest(order: int, q: int) -> int:
    """By the definition: the smallest w with w^(order/2) = -1."""
    return next(w for w in range(2, q) if pow(w, order // 2, q) == q - 1)


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize(
    ("make", "options"),
    [
        (mg.ntt, {}),
        (mg.ntt, {"inverse": True}),
        (mg.ntt, {"order": "natural"}),
        (mg.ntt, {"algorithm": "pease", "order": "natural", "inverse": True}),
        (mg.polymul, {}),
    ],
    ids=name_of,
)
def test_root_given_or_smallest(make: Callable[..., mg.Kernel], options: dict[str, Any], negacyclic: bool) -> None:
    n, q = 16, 7681
    order = 2 * n if negacyclic else n
    least = make(n, modulus=q, negacyclic=negacyclic, **options)
    assert least.root == smallest(order, q)
    root = pow(least.root, order - 3, q)
    given = make(n, modulus=q, root=root, negacyclic=negacyclic, **options)
    assert given.root == root != least.root
    demand_right(given)
    x = [list(range(1, n + 1))] * (2 if make is mg.polymul else 1)
    assert (given(*x) == least(*x)) is (make is mg.polymul)  # a product does not depend on the root, a spectrum does


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "options"), BLAS_SAMPLE, ids=name_of)
def test_blas(kind: str, options: dict[str, Any]) -> None:
    target = TARGETS[(ANY_MODULUS.index(kind) + WIDTHS.index(options)) % len(TARGETS)]
    demand_right(mg.blas(kind, target=target, **options))


@pytest.mark.parametrize(("n", "options"), PRODUCTS, ids=name_of)
def test_product(n: int, options: dict[str, Any]) -> None:
    demand_right(mg.polymul(n, target=TARGETS[PRODUCTS.index((n, options)) % len(TARGETS)], **options))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["avx2", "avx512"])
@pytest.mark.parametrize("kind", ["ntt", "polymul", *ANY_MODULUS])
def test_emulated(kind: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU without the target's features."""
    monkeypatch.setenv("MOMAGEN_DISABLE", ",".join(load_target(target).features))
    make = {"ntt": lambda: mg.ntt(256, bits=256, inverse=True, target=target),
            "polymul": lambda: mg.polymul(64, bits=128, negacyclic=True, target=target)}  # fmt: skip
    kernel = make.get(kind, lambda: mg.blas(kind, bits=128, target=target))()
    assert kernel.emulated
    demand_right(kernel)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ANY_MODULUS)
@pytest.mark.parametrize("options", [*WIDTHS, *WIDER], ids=name_of)
def test_blas_everywhere(kind: str, options: dict[str, Any], target: str) -> None:
    demand_right(mg.blas(kind, target=target, **options))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("n", "options"), [*TRANSFORMS, *CHOICES], ids=name_of)
def test_transform_everywhere(n: int, options: dict[str, Any], target: str) -> None:
    for inverse in (False, True):
        demand_right(mg.ntt(n, target=target, **{**options, "inverse": inverse}))


@pytest.mark.slow
@pytest.mark.parametrize("bits", range(8, 400, 7))
def test_every_width(bits: int) -> None:
    for target in ("c", "avx2", "avx512"):
        demand_right(mg.ntt(16, bits=max(bits, 13), inverse=bits % 2 == 0, target=target))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "bits", "target"), LARGE)
def test_large_transform(n: int, bits: int, target: str) -> None:
    report = mg.ntt(n, bits=bits, target=target).verify()
    assert report.ok, str(report)
    assert {"definition", "inverse∘forward", "convolution theorem"} == set(report.methods) - {"in place"}


@pytest.mark.slow
def test_large_product() -> None:
    demand_right(mg.polymul(1 << 20, bits=128, target="avx512"))
