"""Options and fixtures of the whole suite: tiers of tests, golden files, no influence of the caller's settings."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from support import costs, tiers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden/* instead of comparing")
    default = "quick; full for named files; all for named tests"
    parser.addoption("--tier", choices=tiers.TIERS, help=f"tests to run (default: {default})")
    parser.addoption("--renew-costs", action="store_true", help="measure the tests and renew tests/support/costs.toml")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("renew_costs"):
        config.pluginmanager.register(costs.Meter())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hand the tests of a file to one worker."""
    from support.scheduling import FileScheduling  # which needs pytest-xdist

    return FileScheduling(config, log)


def pytest_report_header(config: pytest.Config) -> str:
    return f"tier: {tiers.tier(config)}, MOMAGEN_SEED={tiers.SEED}"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the caller's wisdom and the width of the terminal, which parallel runs pass on."""
    for name in ("MOMAGEN_WISDOM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep progress off standard error, however slow the machine is."""
    monkeypatch.setattr("momagen.screen.progress.EVERY", 3600.0)


@pytest.fixture(autouse=True)
def _no_compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a test that is marked ``pure`` fail if it asks for the result of a compiler, even for a cached one."""
    if request.node.get_closest_marker("pure"):
        for name in ("momagen.runtime.compile._place", "momagen.cuda.nvrtc._library"):
            monkeypatch.setattr(name, _refuse)


def _refuse(*arguments: object) -> None:
    raise AssertionError("a test marked ``pure`` compiles: mark it ``compiles``")


HERE = Path(__file__).parent
OTHERS = pytest.StashKey[set[str]]()
"""The names of the tests of which this tier has no case."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Keep the cases that belong to the tier of this run, before pytest builds an item for each."""
    yield
    calls = metafunc._calls  # the cases of all ``parametrize`` marks and fixtures; pytest has no public name for them
    own = [{mark.name: mark for mark in call.marks} for call in calls] or [{}]
    test, marks = metafunc.definition.nodeid, list(metafunc.definition.iter_markers())
    if chosen := tiers.select(tiers.tier(metafunc.config), test, calls or [None], own, marks):
        calls[:] = chosen if calls else []
    else:
        del calls[1:]
        metafunc.config.stash.setdefault(OTHERS, set()).add(test)
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other tiers, and mark what each of the others needs."""
    others = config.stash.get(OTHERS, set())
    kept = [item for item in items if item.nodeid.partition("[")[0] not in others]
    config.hook.pytest_deselected(items=[*set(items).difference(kept)])
    for item in kept:
        if not any(item.get_closest_marker(need) for need in tiers.NEEDS):
            folder = item.path.relative_to(HERE).parts[0] if item.path.is_relative_to(HERE) else ""
            item.add_marker(tiers.NEEDS_OF_FOLDERS.get(folder, "pure"))
    items[:] = kept
