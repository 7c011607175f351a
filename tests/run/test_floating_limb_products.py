"""Element-wise products on several digits in doubles: any length, alias and range, edge values, both ends of moduli."""

from __future__ import annotations

from itertools import product
from random import Random

import gmpy2
import pytest
from test_blas import check, check_all, moduli

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import from_words, to_words
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled


def compiled(bits: int, target: str, **options: str) -> Compiled:
    q = int(gmpy2.prev_prime(1 << bits))
    source = generate(make_spec("vmul", modulus=q, target=target, options={"limbs": "reduced", **options}))
    assert "floating-point limbs" in " ".join(source.notes)
    return compile_kernel(source)


@pytest.mark.parametrize("bits", [51, 60, 65, 94, 95, 124, 128, 188, 252, 381])
def test_four_lanes(bits: int) -> None:
    check_all(compiled(bits, "avx2", interleave="2"))


@pytest.mark.thorough
@pytest.mark.parametrize("bits", [508, 635, 753, 960])
def test_long_ones(bits: int) -> None:
    check_all(compiled(bits, "avx2", interleave="1"))


@pytest.mark.parametrize("bits", [60, 124, 252])
def test_eight_lanes(bits: int) -> None:
    check_all(compiled(bits, "avx512"))


@pytest.mark.parametrize(("taken", "given"), [("2", "1"), ("4", "4"), ("8", "2")])
def test_ranges(taken: str, given: str) -> None:
    check_all(compiled(124, "avx2", input_factor=taken, output_factor=given))


@pytest.mark.parametrize("bits", [94, 124])
@pytest.mark.parametrize("end", [0, 1])
def test_every_pair_of_edges(bits: int, end: int) -> None:
    """Around 0, the halves of q, q, and powers of the digits, modulo the least q of a length and the largest."""
    kernel = compiled(bits, "avx2")
    q = (1 << bits) - 1 if end else (1 << bits - 1) + 1
    middles = (0, 1 << 42, 1 << 47, 1 << 84, q // 2, q - (1 << 42), q)
    near = sorted({v for m in middles for v in range(m - 3, m + 4) if 0 <= v < q})
    xs, ys = (list(column) for column in zip(*product(near, near), strict=True))
    z = to_words(xs, 2)
    kernel.plan(q, 0).execute(z, z, to_words(ys, 2), count=len(xs))
    assert from_words(z) == [x * y % q for x, y in zip(xs, ys, strict=True)]


@pytest.mark.parametrize("turns", ["1", "2", "3", "4"])
def test_any_length_whatever_goes_together(turns: str) -> None:
    kernel = compiled(100, "avx2", interleave=turns)
    q = next(iter(moduli(kernel)))
    for count in (0, 1, 3, 4, 5, 12, 15, 16, 17, 31, 33):
        check(kernel, kernel.plan(q, 0), Random(count), count)


def test_a_baked_modulus() -> None:
    kernel = compiled(124, "avx2", bake="yes")
    check(kernel, kernel.plan(kernel.spec.modulus, 0), Random(1), 43)


def test_words_where_they_are_asked_for_or_doubles_have_no_room() -> None:
    q = int(gmpy2.prev_prime(1 << 124))
    words = generate(make_spec("vmul", modulus=q, target="avx2", options={"limbs": "full"}))
    assert "was given" in " ".join(words.notes)
    long = int(gmpy2.prev_prime(1 << 1024))
    for target, modulus, options in (
        ("avx2", long, {"limbs": "reduced"}), ("c", q, {"limbs": "reduced"}),
        ("avx2", q, {"limbs": "reduced", "reduction": "montgomery"}),
    ):  # fmt: skip
        with pytest.raises(MomagenError, match=r"doubles|limbs"):
            generate(make_spec("vmul", modulus=modulus, target=target, options=options))
