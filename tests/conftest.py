"""What all tests share: the flag that renews the golden files, and that nobody's wisdom has a say."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden/* anew instead of comparing")


@pytest.fixture(autouse=True)
def _no_wisdom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOMAGEN_WISDOM", raising=False)
