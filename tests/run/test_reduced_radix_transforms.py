"""Transforms in tiles, on digits with slack: compiled, and verified against gmpy2."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.plan.tiles import tiles
from momagen.targets import load_target

Case = tuple[str, int, dict[str, Any]]
IFMA: list[Case] = [
    ("avx512ifma", 64, {"bits": 57, "limbs": "reduced"}),
    ("avx512ifma", 64, {"bits": 58, "inverse": True, "limbs": "reduced"}),
    ("avx512ifma", 64, {"modulus": "goldilocks", "negacyclic": True}),
    ("avx512ifma", 64, {"bits": 757}),
    ("avx512ifma", 128, {"bits": 128, "negacyclic": True}),
    ("avx512ifma", 128, {"bits": 385, "inverse": True}),
    ("avx512ifma", 256, {"modulus": "bls12-381-r", "inverse": True, "negacyclic": True}),
    ("avx512ifma", 256, {"modulus": "bn254-r"}),
    ("avx512ifma", 512, {"bits": 200, "inverse": True}),
    ("avx512ifma", 1024, {"bits": 128}),
    ("avx512ifma", 1024, {"bits": 66, "inverse": True, "negacyclic": True, "limbs": "reduced"}),
    ("avx512ifma", 4096, {"bits": 128}),
    ("avx512ifma", 4096, {"bits": 128, "inverse": True}),
    ("avx512ifma", 8192, {"bits": 64, "negacyclic": True, "limbs": "reduced"}),
]
CENTRED: list[Case] = [
    ("avx512ifma", 64, {"modulus": "bn254-r"}),
    ("avx512ifma", 128, {"modulus": "bls12-381-r"}),
    ("avx512ifma", 256, {"modulus": "bls12-381-r", "negacyclic": True, "order": "natural"}),
    ("avx512ifma", 512, {"modulus": "bn254-r", "quotients": "computed"}),
    ("avx512ifma", 1024, {"modulus": "bls12-381-r", "storage": "words", "levels": 2, "input_factor": "2"}),
    ("avx512ifma", 4096, {"modulus": "bls12-381-r", "output_factor": "2"}),
    ("avx512ifma", 8192, {"bits": 103, "negacyclic": True, "input_factor": "4"}),
    ("avx512ifma", 16384, {"bits": 155}),
    ("avx512ifma", 2048, {"bits": 414}),
]
"""Products around zero; passes of few bits begin with a reduction."""
PACKED: list[Case] = [
    ("avx512ifma", 64, {"bits": 57}),
    ("avx512ifma", 64, {"bits": 128, "inverse": True}),
    ("avx512ifma", 128, {"bits": 256, "negacyclic": True, "order": "natural"}),
    ("avx512ifma", 256, {"bits": 385, "inverse": True, "negacyclic": True}),
    ("avx512ifma", 64, {"bits": 768, "input_factor": "4", "output_factor": "2"}),
    ("avx512ifma", 1024, {"bits": 128}),
    ("avx512ifma", 1024, {"modulus": "bn254-r", "inverse": True, "order": "natural"}),
]
NATURAL: list[Case] = [
    ("avx2", 16, {"bits": 256}),
    ("avx2", 32, {"bits": 256, "inverse": True}),
    ("avx2", 1024, {"bits": 300}),
    ("avx2", 512, {"bits": 640, "inverse": True, "negacyclic": True}),
    ("avx2", 16384, {"bits": 128, "inverse": True}),
    ("avx512ifma", 64, {"bits": 1024, "inverse": True}),
    ("avx512ifma", 128, {"bits": 64, "inverse": True, "limbs": "reduced"}),
    ("avx512ifma", 8192, {"bits": 128}),
]
DOUBLES: list[Case] = [
    ("avx2", 16, {"bits": 256}),
    ("avx2", 16, {"bits": 36, "inverse": True}),
    ("avx2", 16, {"bits": 256, "inverse": True}),
    ("avx2", 16, {"bits": 128, "inverse": True}),
    ("avx2", 64, {"bits": 40, "negacyclic": True}),
    ("avx2", 128, {"modulus": "bls12-381-r", "inverse": True, "negacyclic": True}),
    ("avx2", 256, {"bits": 385, "negacyclic": True}),
    ("avx2", 1024, {"bits": 128, "inverse": True}),
    ("avx2", 1024, {"bits": 88, "inverse": True}),
    ("avx2", 2048, {"bits": 88, "inverse": True, "negacyclic": True}),
    ("avx2", 512, {"bits": 165}),
    ("avx2", 4096, {"bits": 128, "negacyclic": True}),
    ("avx2", 16384, {"bits": 128}),
    ("avx2", 16384, {"bits": 128, "inverse": True, "negacyclic": True}),
    ("avx2", 32, {"bits": 960}),
    ("avx512", 64, {"bits": 128}),
    ("avx512", 128, {"bits": 100, "negacyclic": True}),
    ("avx512", 4096, {"bits": 128, "negacyclic": True}),
    ("avx512", 256, {"modulus": "bn254-r", "inverse": True}),
    ("avx512", 8192, {"bits": 85, "inverse": True}),
]
WIDE: list[Case] = [
    ("avx512ifma", n, {"bits": bits, "inverse": inverse})
    for bits in (70, 109, 128, 160, 213, 256, 300, 385, 508, 512)
    for n, inverse in ((64, True), (2048, False), (16384, True))
]
WIDE += [
    (target, n, {"bits": bits, "inverse": inverse}) for target in ("avx2", "avx512") for inverse in (False, True)
    for bits in (24, 40, 75, 90, 109, 128, 132, 200, 256, 385, 757) for n in (64, 2048, 16384)
]  # fmt: skip
PREFETCHING: list[Case] = [
    ("avx2", 1024, {"bits": 128}),
    ("avx2", 1024, {"bits": 256, "inverse": True, "order": "natural"}),
    ("avx2", 4096, {"bits": 128, "inverse": True, "negacyclic": True, "storage": "words"}),
    ("avx512", 1024, {"bits": 128}),
    ("avx512ifma", 4096, {"bits": 128, "inverse": True}),
    ("avx512ifma", 4096, {"bits": 128, "twiddles": "packed", "interleave_butterflies": True}),
]
RESTING: list[tuple[str, int, int, Literal["bitrev", "natural"]]] = [
    ("avx512ifma", 512, 128, "natural"), ("avx512ifma", 4096, 256, "bitrev"), ("avx512ifma", 1024, 104, "bitrev"),
    ("avx512ifma", 512, 192, "natural"), ("avx512ifma", 1024, 1024, "bitrev"), ("avx2", 1024, 128, "natural"),
    ("avx2", 1024, 52, "natural"), ("avx2", 4096, 256, "bitrev"),
]  # fmt: skip
"""Of two levels at a time, two passes of columns or more."""
LARGE: list[Case] = [
    ("avx512ifma", 1 << 16, {"bits": 128, "inverse": True}), ("avx512ifma", 1 << 20, {"bits": 128}),
    ("avx2", 1 << 16, {"bits": 128, "inverse": True}), ("avx2", 1 << 20, {"bits": 128}), ("avx2", 256, {"bits": 1024}),
    ("avx512ifma", 256, {"bits": 1024, "inverse": True}), ("avx512ifma", 1024, {"bits": 1024}),
]  # fmt: skip


def demand_right(kernel: mg.Kernel) -> None:
    report = kernel.verify(seed=1)
    assert report.ok, str(report)
    assert report.values > 0
    assert re.search(r"\d (floating-point|integer) limbs? of", " ".join(kernel.generated.notes))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "n", "options"), [*IFMA, *DOUBLES], ids=str)
def test_transform(target: str, n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target=target, **options))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("target", "n", "options"), CENTRED, ids=str)
def test_products_around_zero(target: str, n: int, options: dict[str, Any]) -> None:
    kernel = mg.ntt(n, target=target, **options)
    assert "with each limb times -" in kernel.source
    demand_right(kernel)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "n", "options"), PACKED, ids=str)
def test_packed_twiddles(target: str, n: int, options: dict[str, Any]) -> None:
    kernel = mg.ntt(n, target=target, twiddles="packed", **options)
    assert packs(kernel.source)
    demand_right(kernel)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "n", "options"), PREFETCHING, ids=str)
def test_prefetched_tables(target: str, n: int, options: dict[str, Any]) -> None:
    kernel = mg.ntt(n, target=target, prefetch=True, levels=2, **options)
    assert "prefetches" in kernel.source
    demand_right(kernel)


def stores_words_between_passes(kernel: mg.Kernel) -> bool:
    """Return whether a pass before the last one writes full-radix words."""
    return any(each.writes.split(",")[0] in ("t", "y") for each in kernel.plan.passes[:-1])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("target", "n", "bits", "order"), RESTING)
def test_residues_rest_in_words(
    target: str, n: int, bits: int, order: Literal["bitrev", "natural"], inverse: bool
) -> None:
    kernel = mg.ntt(n, bits=bits, target=target, inverse=inverse, order=order, storage="words", levels=2)
    assert stores_words_between_passes(kernel)
    demand_right(kernel)


@pytest.mark.parametrize("n", [64, 4096])
def test_residues_rest_between_two_passes(n: int) -> None:
    with pytest.raises(MomagenError, match=f"two passes over columns, .* a transform of {n} points has fewer"):
        mg.ntt(n, bits=128, target="avx512ifma", storage="words")


def test_residues_rest_in_words_where_blocks_are_large() -> None:
    for n, rests in ((1 << 16, False), (1 << 17, True)):
        assert stores_words_between_passes(mg.ntt(n, bits=128, target="avx512ifma")) == rests
        assert not stores_words_between_passes(mg.ntt(n, bits=128, target="avx2"))


def packs(source: str) -> bool:
    """Whether a table has residues in words."""
    assert "put_entry(" in source
    return re.search(r" limbs? of 64 bits", " ".join(source.split())) is not None


def test_twiddles_are_packed_where_their_table_is_long() -> None:
    """From 3 MiB on where residues have three digits, 2^16 · 48 bytes; from 12 where they have six, 2^17 · 96."""
    for bits, first in ((260, 1 << 17), (128, 1 << 16)):
        for n in (first // 2, first):
            assert packs(mg.ntt(n, bits=bits, target="avx512ifma").source) == (n == first)
            assert not packs(mg.ntt(n, bits=bits, target="avx512ifma", twiddles="whole").source)


def test_packed_twiddles_need_room() -> None:
    """149 bits and the multiples of q of sixteen levels fill three digits: by default, quotients then come from the
    table, and where they shall be packed there is a digit more."""
    for options, digits, packed in (({}, 3, False), ({"twiddles": "packed"}, 4, True)):
        kernel = mg.ntt(1 << 16, bits=153, target="avx512ifma", **options)
        assert packs(kernel.source) == packed and f"limbs: {digits} integer limbs" in kernel.generated.notes[0]


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "bits"), [(4096, 256), (64, 154), (1 << 16, 153)])
def test_a_nearly_exact_quotient_saves_a_digit(n: int, bits: int) -> None:
    kernel = mg.ntt(n, bits=bits, target="avx512ifma")
    assert f"limbs: {-(-bits // 52)} integer limbs" in kernel.generated.notes[0]
    demand_right(kernel)


def test_packed_twiddles_say_where_quotients_come_from() -> None:
    with pytest.raises(MomagenError, match='`quotients` cannot be combined with `twiddles="packed"`'):
        mg.ntt(64, bits=128, target="avx512ifma", twiddles="packed", quotients="table")
    assert not packs(mg.ntt(1 << 15, bits=128, target="avx512ifma", quotients="table").source)


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "n", "options"), NATURAL, ids=str)
def test_natural_order(target: str, n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target=target, order="natural", **options))


PRODUCTS: list[Case] = [
    ("avx2", 16, {"bits": 256}),
    ("avx2", 128, {"bits": 384, "negacyclic": True}),
    ("avx2", 16384, {"bits": 128}),
    ("avx2", 64, {"bits": 257, "input_factor": "4", "output_factor": "2"}),
    ("avx512ifma", 64, {"bits": 70, "negacyclic": True}),
    ("avx512ifma", 128, {"bits": 128}),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "n", "options"), PRODUCTS, ids=str)
def test_products_of_polynomials(target: str, n: int, options: dict[str, Any]) -> None:
    demand_right(mg.polymul(n, target=target, **options))


@pytest.mark.sampled(4)
@pytest.mark.thorough
@pytest.mark.parametrize(("m_in", "m_out"), [(8, 1), (1, 2), (2, 4), (4, 8)])
@pytest.mark.parametrize("inverse", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize(
    ("target", "n", "bits"),
    [("avx2", 64, 256), ("avx2", 64, 40), ("avx2", 128, 53), ("avx512ifma", 128, 128), ("avx512ifma", 64, 72)],
)
def test_ranges(target: str, n: int, bits: int, inverse: bool, m_in: int, m_out: int) -> None:
    factors = {"input_factor": str(m_in), "output_factor": str(m_out)}
    demand_right(mg.ntt(n, bits=bits, target=target, inverse=inverse, **factors))  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "n", "options"), [*WIDE, *LARGE], ids=str)
def test_more_transforms(target: str, n: int, options: dict[str, Any]) -> None:
    demand_right(mg.ntt(n, target=target, **options))


@pytest.mark.parametrize(("target", "inverse"), [("avx512", False), ("avx512ifma", False), ("avx512ifma", True)])
def test_through_standins(target: str, inverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU without the instructions."""
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f,avx512dq,avx512ifma")
    demand_right(mg.ntt(64, bits=130, target=target, inverse=inverse))


@pytest.mark.parametrize("options", [{"reduction": "lazy"}], ids=str)
def test_what_asks_for_another_way_gets_it(options: dict[str, str]) -> None:
    kernel = mg.ntt(64, bits=128, target="avx512ifma", **options)  # type: ignore[arg-type]
    assert kernel.verify(seed=1).ok and "limbs of radix" not in " ".join(kernel.generated.notes)


def test_too_few_points_for_a_tile() -> None:
    kernel = mg.ntt(32, bits=128, target="avx512ifma")
    assert kernel.verify(seed=1).ok and "limbs of radix" not in " ".join(kernel.generated.notes)


def test_a_modulus_too_small_for_the_build_is_refused() -> None:
    kernel = mg.ntt(64, bits=128, target="avx512ifma")
    with pytest.raises(MomagenError, match="modulus"):
        kernel.compile().plan(257, 9)


@pytest.mark.parametrize("log_n", range(6, 25))
def test_levels_add_up(log_n: int) -> None:
    """Every level is done once, a column tile fits the first cache, and strides halve as they must."""
    for vector in (64, 192, 512, 1280):
        plan, depth = tiles(1 << log_n, load_target("avx512"), vector), 0
        for one in plan.columns:
            assert one.depth == depth and one.stride == 1 << log_n - depth - one.levels and one.stride >= 64
            assert one.rows * vector <= 24 << 10 or one.levels == 2
            depth += one.levels
        assert not plan.columns or plan.rows.group <= plan.columns[-1].rows
        assert plan.rows.depth == depth == log_n - 6 and plan.rows.blocks % plan.rows.group == 0


@pytest.mark.thorough
@pytest.mark.parametrize("target, bits, wide", [
    ("avx512ifma", 200, False), ("avx512ifma", 256, True), ("avx512", 384, False), ("avx512", 640, True),
])  # fmt: skip
def test_constants_of_wide_stages_are_read_where_they_are_used(target: str, bits: int, wide: bool) -> None:
    """From as many digits on as the target says; the loads stand behind a fence in the inner loop."""
    for inverse in (False, True):
        kernel = mg.ntt(64, bits=bits, target=target, inverse=inverse)
        assert ("MG_AGAIN(tw);" in kernel.source) == wide
        assert kernel.verify().ok
