"""Roofs of TPUs: a case by hand, tables as data, and what explain shows of them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from momagen.cli import main
from momagen.errors import MomagenError
from momagen.explain.counts.needed import ArrayCounts, DigitProduct, StepCount
from momagen.explain.counts.roofs import tpu_roof
from momagen.explain.counts.tpus import Tpu, load_tpu, parse_tpu, tpu_names
from momagen.papers.cross.rates import cross_latencies, cross_rates, cross_sets

CHIP = Tpu("t", "by hand", int8_tops=2, bf16_tops=1, memory_gb_s=1, cores=2, mxus=1, side=4, lanes=2, sublanes=1,
           alus=3, ghz=0.5, vmem_mib=1, ici_links=1, ici_gb_s=1, chips=1)  # fmt: skip
"""10^12 products of 8 bits and half as many of bfloat16, 6·10^9 operations, and 10^9 bytes a second."""


def test_a_roof_by_hand() -> None:
    dense = StepCount("matrix", 600, 900, 160, 400, DigitProduct("int8", 6, 5))
    other = StepCount("matrix", 0, 100, 40, 0, DigitProduct("bfloat16", 3, 10))
    counts = ArrayCounts(10, 80, [dense, other])
    padded = 8 * 8 * 5 * 1e-12 + 4 * 4 * 10 * 2e-12
    roofs = {traffic: tpu_roof(counts, CHIP, traffic, 4) for traffic in ("unfused", "steps", "once")}
    for roof, moved in zip(roofs.values(), (1000, 200, 80), strict=True):
        parts = {"matrix": padded, "vector": 600 / 6e9, "memory": (moved + 400 / 4) / 1e9}
        assert roof.parts == pytest.approx(parts)
    assert {name: roof.bound for name, roof in roofs.items()} == dict.fromkeys(roofs, "memory")
    assert roofs["once"].rate == pytest.approx(1e9 / 180)
    fast = replace(CHIP, memory_gb_s=1000)
    assert tpu_roof(counts, fast).bound == "vector" and tpu_roof(counts, fast).seconds == pytest.approx(1e-7)


def test_an_engine_that_tpus_lack_is_refused() -> None:
    counts = ArrayCounts(1, 8, [StepCount("matrix", 0, 0, 0, 0, DigitProduct("float32", 4, 1))])
    with pytest.raises(MomagenError, match="a TPU engine, one of int8, bfloat16"):
        tpu_roof(counts, CHIP)


def test_every_figure_has_a_source_and_clocks_fit_the_matrix_units() -> None:
    assert tpu_names() == ["v4", "v5e", "v5p", "v6e"]
    for tpu in map(load_tpu, ("v4", "v5e", "v5p")):
        assert tpu.bf16_tops == pytest.approx(2e-3 * tpu.cores * tpu.mxus * tpu.side**2 * tpu.ghz, rel=0.01)
        assert not tpu.assumed()
    assert load_tpu("v6e").assumed() == ["alus", "ghz"]
    assert load_tpu("v5p").vector_operations == pytest.approx(14.3e12, rel=0.01)
    with pytest.raises(MomagenError, match="one of the TPUs v4"):
        load_tpu("v9")


def test_a_row_without_a_figure_or_a_source_is_refused() -> None:
    row = {key: value for key, value in asdict(load_tpu("v4")).items() if key != "name"}
    assert parse_tpu("v4", row) == load_tpu("v4")
    for change, text in (
        ({"ghz": 0}, "a positive number"), ({"sources": {}}, "the source of int8_tops"), ({"more": 1}, "only the keys"),
    ):  # fmt: skip
        with pytest.raises(MomagenError, match=text):
            parse_tpu("v4", {**row, **change})


def test_published_rates_are_of_limbs_on_one_chip() -> None:
    sets = {each.name: each for each in cross_sets()}
    rates = {each.tpu: each for each in cross_rates()}
    assert set(rates) == set(tpu_names())
    assert rates["v6e"].per_chip(sets["A"]) == 14668e3 * 4 / 8 and rates["v6e"].per_chip(sets["D"]) is None
    for one in cross_latencies():
        for which in sets.values():
            found = rates["v4"].per_chip(which)
            if which.log_n == one.log_n and found:
                assert 1 < one.rate / found < 1.3, "both tables say the same if limbs are counted together"


def test_explain_shows_counts_and_roofs(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["explain", "ntt", "--n", "4096", "--modulus-bits", "28", "--negacyclic", "--target"]
    assert main([*ask, "jax_tpu"]) == 0
    text = capsys.readouterr().out
    assert "products on the engine int8" in text and "TPU v6e" in text
    assert main([*ask, "jax_tpu", "--dense", "16", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["counts"]
    assert told["products"] == {"int8": 4096 * 3 * 16 * 16} and len(told["steps"]) == 5
    assert told["roofs"]["v5e"]["once"]["bound"] in ("matrix", "vector", "memory")
    assert main([*ask, "jax", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["counts"]
    assert told["products"] == {} and "roofs" not in told
    assert main([*ask, "c", "--json"]) == 0
    assert "counts" not in json.loads(capsys.readouterr().out)
