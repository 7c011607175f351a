"""The section of everyday use: what it makes of what it measured, and that it measures at all; no bar is held here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.api import overhead
from momagen.bench.measure.clock import Reading
from momagen.bench.suite import everyday

pytestmark = pytest.mark.compiles


def row(kernel: str, n: int, median: float) -> dict[str, Any]:
    return {"kernel": kernel, "n": n, "median": median, "low": median - 1, "high": median + 1, "count": 5}


def test_a_call_is_as_slow_as_its_slowest_size() -> None:
    rows = [row("a", 2, 4.0), row("b", 2, 3.0), row("a", 16, 11.0), row("b", 16, 2.0)]
    slow, quick = everyday._calls(rows)
    assert (slow.value, slow.low, slow.ok, slow.note) == (
        11.0,
        10.0,
        False,
        "µs above the kernel at n = 2: 4.0, 16: 11.0",
    )
    assert (quick.name, quick.value, quick.ok) == ("call of b", 3.0, True)


def test_a_process_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(everyday.STARTS, "import momagen", (["-c", "import momagen; 1 / 0"], 0.15))
    found = everyday._started("import momagen")
    assert found.ok is False and found.error and "ZeroDivisionError" in found.note


def test_what_the_kernel_takes_is_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "timed", lambda call, count: 7.5)
    assert overhead.above(lambda: None, lambda calls: Reading(3000.0, None))().ns == 4500.0


@pytest.mark.parametrize("width", overhead.WIDTHS)
@pytest.mark.parametrize("kind", overhead.MAKERS)
def test_the_operands_that_are_timed_fit(kind: str, width: str) -> None:
    bits, words = overhead.WIDTHS[width]
    k = overhead.made(kind, 16, bits)
    given = overhead.operands(k, 16, words)
    (vector,) = {x.shape for x in given if isinstance(x, np.ndarray)}
    assert k(*given).shape == (vector if kind != "dot" else vector[1:]) == (16, k.words)[kind == "dot" :]
    assert all(x.dtype == words for x in given if isinstance(x, np.ndarray))


def test_the_check_that_is_timed_is_the_one_of_calls() -> None:
    run = mg.blas("vneg", modulus=17).caller.run
    assert run.within(0, np.array([[16]], np.uint64))() and not run.within(0, np.array([[17]], np.uint64))()
