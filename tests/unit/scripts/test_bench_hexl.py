"""How `scripts/bench_hexl.py` judges the samples of a race."""

from __future__ import annotations

import random

import bench_hexl
import pytest
from bench_hexl import Cell, interval, judged

SAME = (1.0, 0.99, 1.01)


def cell(ratio: tuple[float, float, float], bits: int = 60, memory: float = 10.0) -> Cell:
    ns = {"ours": 100.0 * ratio[0], "HEXL 0": 100.0, bench_hexl.MEMORY: memory}
    return Cell("call", bits, 1024, ns, ratio, SAME, 64)


@pytest.mark.parametrize(
    ("found", "faults"),
    [
        (cell((1.05, 1.04, 1.06)), ["slower"]),
        (cell((1.005, 1.002, 1.008)), []),  # within the control
        (cell((0.95, 0.94, 0.96)), []),
        (cell((0.95, 0.94, 0.96), bits=46), ["short of 0.85"]),
        (cell((0.95, 0.94, 0.96), bits=46, memory=97.0), []),  # HEXL is as fast as memory
        (cell((0.80, 0.79, 0.81), bits=46), []),
    ],
)
def test_a_cell_misses_the_bars_that_it_should(found: Cell, faults: list[str]) -> None:
    assert found.faults() == faults


def test_the_interval_encloses_the_median() -> None:
    drawn = random.Random(1)
    middle, low, high = interval([drawn.gauss(1.0, 0.05) for _ in range(400)])
    assert 0.98 < low < middle < high < 1.02


def test_the_faster_original_counts_and_uneven_blocks_are_dropped() -> None:
    samples = {
        "ours": [(1.0, 1.0)] * 20 + [(1.0, 9.0)] * 5, "HEXL 0": [(2.0, 2.0)] * 25, "HEXL 0, again": [(2.0, 2.0)] * 25,
        "HEXL 1": [(1.25, 1.25)] * 25, "HEXL 1, again": [(1.25, 1.25)] * 25,
    }  # fmt: skip
    found = judged("call", 50, 1024, samples)
    assert found.ratio[0] == pytest.approx(0.8) and found.control[0] == 1 and found.blocks == 20
