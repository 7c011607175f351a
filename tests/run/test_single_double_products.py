"""Element-wise products in doubles: any length and alias, edge values, both ends of the moduli, ranges."""

from __future__ import annotations

from itertools import product
from random import Random

import gmpy2
import pytest
from test_blas import check, check_all, moduli

from momagen.emit import generate
from momagen.kernels.elementwise.double_products import MOST_OVER_Q
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import from_words, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled

KINDS = ("vmul", "axpy", "scal")


def compiled(kind: str, bits: int, target: str, **options: str) -> Compiled:
    spec = make_spec(kind, modulus=int(gmpy2.prev_prime(1 << bits)), target=target, options=options)
    source = generate(spec)
    assert "floating-point limb" in " ".join(source.notes)
    return compile_kernel(source)


@pytest.mark.parametrize("bits", [8, 31, 48, 49, 50])
@pytest.mark.parametrize("kind", KINDS)
def test_four_lanes(kind: str, bits: int) -> None:
    check_all(compiled(kind, bits, "avx2"))


@pytest.mark.parametrize(("kind", "bits"), [("vmul", 50), ("axpy", 50), ("scal", 33)])
def test_eight_lanes(kind: str, bits: int) -> None:
    check_all(compiled(kind, bits, "avx512"))


@pytest.mark.parametrize(("taken", "given"), [("2", "1"), ("4", "4"), ("8", "2")])
@pytest.mark.parametrize("kind", KINDS)
def test_ranges(kind: str, taken: str, given: str) -> None:
    """The longest modulus that leaves room for the range of the input."""
    bits = MOST_OVER_Q - {"2": 1, "4": 2, "8": 3}[taken] * (2 if kind == "vmul" else 1)
    check_all(compiled(kind, bits, "avx2", input_factor=taken, output_factor=given))


@pytest.mark.parametrize("bits", [49, 50])
def test_every_pair_of_edges(bits: int) -> None:
    """Around 0, the halves of q, and q, where quotients err most."""
    kernel = compiled("vmul", bits, "avx2")
    for q in list(moduli(kernel))[:2]:
        near = sorted({v for m in (0, 1 << 26, q // 2, q - (1 << 26), q) for v in range(m - 3, m + 4) if 0 <= v < q})
        xs, ys = (list(column) for column in zip(*product(near, near), strict=True))
        z = to_words(xs, 1)
        kernel.plan(q, 0).execute(z, z, to_words(ys, 1), count=len(xs))
        assert from_words(z) == [x * y % q for x, y in zip(xs, ys, strict=True)]


def test_a_baked_modulus() -> None:
    kernel = compiled("axpy", 45, "avx2", bake="yes")
    q = kernel.spec.modulus
    check(kernel, kernel.plan(q, 0), Random(q), 43)


def test_longer_ones_go_on_words_and_say_so() -> None:
    for kind, bits, options, why in (
        ("vmul", 51, {}, "faster than floating-point limbs"), ("axpy", 51, {}, "one double cannot hold"),
        ("vmul", 51, {"input_factor": "2"}, "faster than floating-point limbs"),
        ("vmul", 49, {"input_factor": "2"}, "one floating-point limb"),
    ):  # fmt: skip
        spec = make_spec(kind, modulus=int(gmpy2.prev_prime(1 << bits)), target="avx2", options=options)
        assert why in " ".join(generate(spec).notes)
