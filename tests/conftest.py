"""What all tests share: the golden files' flag, a sample of many cases, and that the caller's settings have no say."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from datetime import date

import pytest

SEED = int(os.environ.get("MOMAGEN_SEED", date.today().toordinal()))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden/* anew instead of comparing")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wisdom, and no width of a terminal, which parallel runs hand on."""
    for name in ("MOMAGEN_WISDOM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep progress off standard error, however slow the machine is."""
    monkeypatch.setattr("momagen.screen.progress.EVERY", 3600.0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked ``sampled(k)``, one case in k stays, at least one; the others are slow. Who chooses cases by -k
    gets all that they chose."""
    if config.option.keyword:
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for test, found in cases.items():
        (share,) = found[0].get_closest_marker("sampled").args  # type: ignore[union-attr]
        for item in random.Random(f"{SEED} {test}").sample(found, len(found) - -(-len(found) // share)):
            item.add_marker("slow")
