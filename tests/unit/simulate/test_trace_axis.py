"""The picture of a run has a time axis: round numbers of cycles, and the microseconds at each of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from momagen.rpu.machine.design import load_design
from momagen.simulate.trace import MARGIN, TICKS, WIDTH, picture, tick_step


@pytest.mark.parametrize(("cycles", "step"), [
    (0, 1), (1, 1), (12, 1), (13, 2), (24, 2), (25, 5), (60, 5), (61, 10), (305, 50), (6731, 1000), (240001, 50000),
])  # fmt: skip
def test_steps_are_round_and_few(cycles: int, step: int) -> None:
    assert tick_step(cycles) == step
    assert cycles <= step * TICKS


def test_cycles_and_microseconds_stand_where_they_belong() -> None:
    design, nothing = load_design("rpu-paper"), np.array([], dtype=np.int64)
    run: Any = SimpleNamespace(cycles=300, design=design, microseconds=0.3, started=nothing, holds=nothing)
    texts = [each for each in ElementTree.fromstring(picture([], run)) if each.get("text-anchor") == "middle"]
    rows: dict[str, list[tuple[float, float]]] = {}
    for each in texts:
        rows.setdefault(str(each.get("y")), []).append((float(each.get("x", "")), float(each.text or "")))
    cycles, times = rows.values()
    assert cycles == [(pytest.approx(MARGIN + WIDTH * cycle / 300, abs=0.01), cycle) for cycle in range(0, 301, 50)]
    assert times == [(x, pytest.approx(cycle / design.clock / 1e3, rel=5e-3)) for x, cycle in cycles]
