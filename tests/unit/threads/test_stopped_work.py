"""Work on all cores that fails: programs end that other threads start only after the failure."""

from __future__ import annotations

import threading
import time

import pytest

from momagen import threads
from momagen.processes import run
from momagen.threads import GoOn, side_by_side

LONG = 30
"""Seconds that a program would run."""


def test_a_program_that_begins_after_the_failure_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 2)
    begun, ended = threading.Event(), threading.Event()

    def work(item: int, go_on: GoOn) -> None:
        if item == 0:
            begun.wait()
            raise ValueError("the first one fails")
        begun.set()
        time.sleep(0.3)  # until the other has failed
        run(["sleep", str(LONG)])
        ended.set()

    start = time.monotonic()
    with pytest.raises(ValueError, match="the first one fails"):
        list(side_by_side(work, [0, 1]))
    assert ended.is_set() and time.monotonic() - start < LONG / 2
