"""The registration of the kind of the tests, for one test at a time, because other tests go through all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from momagen.kinds import registry
from momagen.program.notation import texts

from . import squares

TESTS = Path(__file__).resolve().parents[1]
MODULE = "support.squares"


def forget() -> None:
    """Undo the registration."""
    del registry._KINDS["square"], texts()["run_square"]


forget()


@pytest.fixture
def square(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the kind during a test, also for child processes."""
    monkeypatch.setenv(registry.VARIABLE, MODULE)
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    squares.register_square()
    yield
    forget()
