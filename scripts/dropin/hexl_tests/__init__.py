"""HEXL's unit tests without HEXL's private headers: a project that needs only an installed package.

Every test stays and is counted. One that calls only private functions has its body replaced by ``GTEST_SKIP`` and the
reason; private functions that others call beside public ones are stood in for by ``standins.hpp``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..files import put
from ..gtests import LEFT_OUT, Outcome
from .rewrite import PUBLIC, REASONS, REDIRECTED, rewrite

HERE = Path(__file__).parent
HEADERS = ("test/include/test/test-util.hpp", "test/include/test/test-ntt-util.hpp", "hexl/util/util-internal.hpp")
"""Of HEXL's sources: what the tests share; random vectors and comparisons, written on public headers alone."""

REDIRECTED_TITLE = "HEXL tests of …Native, public functions called"


def write(source: Path, target: Path) -> Path:
    """Write the project; files that would not change keep their time. ``kinds.json`` says what each test is."""
    kinds: dict[str, str] = {}
    for path in sorted((source / "test").glob("*.cpp")):
        text, of = rewrite(path.read_text(encoding="utf-8"))
        kinds |= of
        put(target / path.name, text)
    for name in HEADERS:
        put(target / "include" / name.removeprefix("test/include/").removeprefix("hexl/"), (source / name).read_text())
    for path in (HERE / "standins.hpp", HERE / "CMakeLists.txt"):
        put(target / path.name, path.read_text(encoding="utf-8"))
    put(target / "kinds.json", json.dumps(kinds, indent=1))
    return target


def split(tests: Iterable[Outcome], source: Path, title: str) -> dict[str, list[Outcome]]:
    """By row of the table: those whose …Native calls ``standins.hpp`` sends to the public functions have their own.

    What is left out stays so where already the set-up of its fixture fails.
    """
    kinds = json.loads((source / "kinds.json").read_text(encoding="utf-8"))
    rows: dict[str, list[Outcome]] = {title: [], REDIRECTED_TITLE: []}
    for test in tests:
        kind = kinds.get(test.plain, PUBLIC)
        left = replace(test, status=LEFT_OUT, note=kind) if kind in REASONS.values() else test
        rows[REDIRECTED_TITLE if kind == REDIRECTED else title].append(left)
    return rows
