"""The section on the stopwatch: what its kernel computes, and which figures it gives. No bar is held here."""

from __future__ import annotations

import numpy as np
import pytest

from momagen.bench.measure.kernel import residues
from momagen.bench.measure.stopwatch import LENGTH, OFF, RING, WAYS, contestants, stopwatch
from momagen.kinds.modular.make_spec import make_spec

pytestmark = pytest.mark.compiles


def test_the_branchy_sum_is_a_sum() -> None:
    q = make_spec("vadd", bits=64).modulus
    ring, _, units = contestants()["ring"]
    ring.once()
    x, y = (residues(1, q, LENGTH * RING, seed).ravel()[-LENGTH:] for seed in (1, 2))
    z = ring.keep[1]
    assert isinstance(z, np.ndarray) and units == LENGTH * RING
    assert z.ravel().tolist() == [(int(a) + int(b)) % q for a, b in zip(x, y, strict=True)]
    assert 0.4 < np.mean(x.astype(float) + y.astype(float) >= q) < 0.6  # as good as a coin


def test_every_way_is_compared_with_the_ring() -> None:
    figures = list(stopwatch(3, 60.0))
    compared = [figure.name.split(" / ")[0] for figure in figures if "ring" in figure.name]
    assert compared == [f"branchy sum, {way}" for way in WAYS]
    assert [figure.limit for figure in figures] == [None, None, OFF, None, OFF]
    assert all(figure.value is not None and figure.samples == 3 for figure in figures)
