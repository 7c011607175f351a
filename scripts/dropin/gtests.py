"""Test programs of GoogleTest: run them, read their reports, and go on behind a crash."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PASSED, FAILED, LEFT_OUT = "passed", "failed", "left out"
HOURS = 2
"""A program that runs longer has hung."""


@dataclass(frozen=True)
class Outcome:
    """``name`` is Suite.Test as GoogleTest prints it; ``note`` the message of a failure or why it was left out."""

    name: str
    status: str
    seconds: float = 0.0
    note: str = ""

    @property
    def plain(self) -> str:
        """Suite.Test without the names of an instantiation and of its parameter."""
        suite, _, test = self.name.partition(".")
        return f"{suite.rpartition('/')[2]}.{test.partition('/')[0]}"


def parse(report: str) -> list[Outcome]:
    """Tests of a report in GoogleTest's JSON."""
    suites = json.loads(report)["testsuites"]
    return [_test(f"{suite['name']}.{test['name']}", test) for suite in suites for test in suite["testsuite"]]


def _test(name: str, entry: dict[str, object]) -> Outcome:
    seconds = float(str(entry.get("time", "0s")).removesuffix("s"))
    if failures := entry.get("failures"):
        return Outcome(name, FAILED, seconds, str(failures[0]["failure"]))  # type: ignore[index]
    if entry.get("result") == "SKIPPED" or entry.get("status") == "NOTRUN":
        return Outcome(name, LEFT_OUT, seconds, _reason(entry))
    return Outcome(name, PASSED, seconds)


def _reason(entry: dict[str, object]) -> str:
    """GoogleTest gives file and line, then the message."""
    skipped = entry.get("skipped")
    message = str(skipped[0]["message"]) if skipped else "disabled by its name"  # type: ignore[index]
    return message.strip().splitlines()[-1]


def listed(output: str) -> list[str]:
    """Names in the output of ``--gtest_list_tests``."""
    names, suite = [], ""
    for line in output.splitlines():
        name = line.partition("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            suite = name
        elif re.fullmatch(r"  \S+", name):
            names.append(suite + name.strip())
    return names


def run(program: Path, work: Path, omitted: str = "", because: str = "",
        said: Callable[[str], None] = print) -> list[Outcome]:  # fmt: skip
    """All tests of a program; those that match ``omitted`` are counted as left out, one that crashes as failed."""
    left = [Outcome(name, LEFT_OUT, note=because) for name in _list(program, omitted)] if omitted else []
    crashed: list[Outcome] = []
    while True:
        barred = [*filter(None, [omitted]), *(test.name for test in crashed)]
        tests, crash = _once(program, work, f"*-{':'.join(barred)}" if barred else "*")
        if crash is None and not tests:
            raise RuntimeError(f"{program}: expected tests, got none")
        if crash is None:
            return [*tests, *crashed, *left]
        if crash in crashed:
            raise RuntimeError(f"{program}: expected a report, got none ({crash.note})")
        said(f"{program.name}: {crash.name}: {crash.note}")
        crashed.append(crash)


def _list(program: Path, pattern: str) -> list[str]:
    command = [str(program.resolve()), "--gtest_list_tests", f"--gtest_filter={pattern}"]
    return listed(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _once(program: Path, work: Path, pattern: str) -> tuple[list[Outcome], Outcome | None]:
    """Tests that ran, or the one at which the program died."""
    report, log = work / f"{program.name}.json", work / f"{program.name}.log"
    report.unlink(missing_ok=True)
    command = [str(program.resolve()), f"--gtest_filter={pattern}", f"--gtest_output=json:{report.resolve()}"]
    with log.open("w", encoding="utf-8") as file:
        try:
            code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=work, check=False,
                                  timeout=3600 * HOURS).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            code = None
    if report.is_file():
        return parse(report.read_text(encoding="utf-8")), None
    begun = re.findall(r"^\[ RUN      \] (\S+)", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    ending = f"still running after {HOURS} hours" if code is None else f"ended with exit status {code}, no report"
    return [], Outcome(begun[-1] if begun else "before the first test", FAILED, note=ending)
