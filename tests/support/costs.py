"""The processor time that tests take: what ``costs.toml`` states of long ones, and how it is renewed.

``pytest -n logical --tier full --renew-costs`` measures the tests that it runs, and keeps what the file states of
others.
"""

from __future__ import annotations

import os
import tomllib
from collections import defaultdict
from collections.abc import Generator
from itertools import groupby
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("costs.toml")
LEAST, SHORTEST = 2.0, 0.01
"""A test is listed if its cases took at least ``LEAST`` seconds together, and ``SHORTEST`` seconds on average."""
HEADER = "# The mean processor time of one case, in seconds, of tests that take long; see tests/support/costs.py.\n"


def load() -> dict[str, float]:
    """Return the seconds that one case of each listed test takes, by the name of the test."""
    files = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {f"{path}::{test}": cost for path, tests in files.items() for test, cost in tests.items()}


def _processor_time() -> float:
    """Return the seconds that this process and the processes that it waited for have computed."""
    return sum(os.times()[:4])


class Meter:
    """A plugin of pytest that measures the calls of tests, without their fixtures, and renews ``costs.toml``."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, list[float]](list)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        before = _processor_time()
        try:
            yield
        finally:
            item.user_properties.append(("seconds", _processor_time() - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seconds[report.nodeid.partition("[")[0]].append(float(dict(report.user_properties)["seconds"]))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            FILE.write_text(renewed(load(), self.seconds), encoding="utf-8")


def renewed(listed: dict[str, float], seconds: dict[str, list[float]]) -> str:
    """Return the text of the file after a run.

    Args:
        listed: what the file stated before.
        seconds: the seconds of each case that ran, by the name of its test.
    """
    long = {test: sum(each) / len(each) for test, each in seconds.items() if test in listed or sum(each) >= LEAST}
    rows = sorted((test, cost) for test, cost in (listed | long).items() if cost >= SHORTEST)
    text = HEADER
    for path, tests in groupby(rows, key=lambda row: row[0].partition("::")[0]):
        text += f'\n["{path}"]\n' + "".join(f"{test.partition('::')[2]} = {cost:.2f}\n" for test, cost in tests)
    return text
