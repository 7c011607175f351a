"""Products of several vectors in turns: any length, over their own vectors, whatever holds residues; and refusals."""

from __future__ import annotations

from random import Random

import pytest
from test_blas import check, compiled, moduli

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.values import OPTIONS

TURNS = OPTIONS["interleave"]
KERNELS = [
    ("vmul", 50, "avx512ifma"), ("axpy", 60, "avx512ifma"), ("scal", 62, "avx512ifma"), ("vmul", 124, "avx512ifma"),
    ("axpy", 61, "avx512"), ("vmul", 50, "avx512"), ("axpy", 40, "avx2"), ("axpy", 188, "avx2"),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "bits", "target"), KERNELS, ids=str)
@pytest.mark.parametrize("turns", TURNS)
def test_any_length(kind: str, bits: int, target: str, turns: str) -> None:
    kernel, rng = compiled(kind, bits, target, {"interleave": turns}), Random(bits)
    group = int(turns) * (4 if target == "avx2" else 8)
    for q in moduli(kernel):
        plan = kernel.plan(q, 0)
        for count in (0, 1, group - 1, group, group + 1, 3 * group + 13):
            check(kernel, plan, rng, count)


@pytest.mark.parametrize("reduction", ["tight", "montgomery"])
def test_words_by_another_reduction(reduction: str) -> None:
    kernel = compiled("axpy", 60, "avx512ifma", {"reduction": reduction, "interleave": "3"})
    check(kernel, kernel.plan(next(moduli(kernel)), 0), Random(1), 61)


@pytest.mark.parametrize(("kind", "bits", "target"), [("axpy", 50, "avx512ifma"), ("vmul", 60, "avx512")])
def test_long_vectors_of_one_word_are_asked_for_ahead(kind: str, bits: int, target: str) -> None:
    """What is asked for behind their ends is never read."""
    kernel = compiled(kind, bits, target, {})
    assert "__builtin_prefetch" in generate(kernel.spec).source
    check(kernel, kernel.plan(next(moduli(kernel)), 0), Random(bits), 50_003)
    for other in (make_spec(kind, bits=128, target=target), make_spec("vadd", bits=bits, target=target)):
        assert "__builtin_prefetch" not in generate(other).source


@pytest.mark.parametrize("target", ["avx512ifma", "avx2"])
@pytest.mark.parametrize(("kind", "bits"), [("scal", 50), ("vmul", 50), ("cmpadd", 60)])
def test_short_vectors_have_a_loop_of_their_own(kind: str, bits: int, target: str) -> None:
    """Both loops are correct: all groups, some vectors and some elements are left; vectors fit the cache or do not."""
    kernel = compiled(kind, bits, target, {})
    found = "group < n / 4" in generate(kernel.spec).source
    assert found == (kind == "cmpadd" or target == "avx512ifma")
    for count in (1, 31, 32, 33, 3 * 32 + 13, 2_051, 3_072, 3_080, 5_003):
        check(kernel, kernel.plan(next(moduli(kernel)), 0), Random(count), count)


def test_sums_of_products_ask_sooner_and_no_such_loop_is_unrolled_unasked() -> None:
    """From 1920 and 5461 rounds of three vectors of 64 bytes on: 360 KiB, and a mebibyte."""
    for kind, rounds in (("axpy", 1920), ("vmul", 5461)):
        source = generate(make_spec(kind, bits=54, target="avx512ifma")).source
        assert f"long_ = n > {rounds};" in source and 'Pragma("GCC unroll 1")' in source
        source = generate(make_spec(kind, bits=54, target="avx512ifma", options={"unroll": "4"})).source
        assert 'Pragma("GCC unroll 4")' in source and 'Pragma("GCC unroll 1")' not in source


def test_it_is_told() -> None:
    source = generate(make_spec("vmul", bits=64, target="avx512ifma"))
    assert any("8 vectors interleaved" in note for note in source.notes)
    source = generate(make_spec("vmul", bits=128, target="avx512ifma"))
    assert any("6 vectors interleaved" in note for note in source.notes)
    source = generate(make_spec("vmul", bits=128, target="avx512ifma", options={"interleave": "1"}))
    assert not any("interleaved" in note for note in source.notes)


@pytest.mark.parametrize(
    ("kind", "bits", "target"), [("vmul", 128, "c"), ("vmul", 512, "avx512ifma"), ("axpy", 1024, "avx2")]
)
def test_refused_where_no_vectors_are_in_registers(kind: str, bits: int, target: str) -> None:
    with pytest.raises(MomagenError, match=r"`interleave` applies only to products of vectors"):
        generate(make_spec(kind, bits=bits, target=target, options={"interleave": "4"}))
    assert generate(make_spec(kind, bits=bits, target=target, options={"interleave": "1"}))
