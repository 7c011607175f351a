"""The tiers of the test suite: which cases of which tests a run takes.

=========  =============================================================================================
``quick``  one case of each test, but all cases of tests marked ``whole``; none of ``thorough`` or ``slow``
``rest``   what ``quick`` leaves out of ``full``
``full``   all cases, but one case in k of tests marked ``sampled(k)``, and at most ``MOST`` cases of each
           test in a folder whose tests compile; of a test in ``costs.toml``, only as many cases as take
           ``BUDGET`` seconds; none of ``slow``. Neither limit holds for tests marked ``whole``
``all``    all cases of all tests
=========  =============================================================================================

Single cases may be marked ``thorough``, ``sampled(k)`` or ``slow``, too. A test with only one case that is marked
``sampled(k)`` is in one run in k, and one that takes k times ``BUDGET``, too.
Cases are chosen before pytest builds a test item for each. The choice depends on the seed, which is ``MOMAGEN_SEED`` or
the commit, so that other commits try other cases and a failure can be repeated.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from support import costs

TIERS = ("quick", "rest", "full", "all")
NEEDS = ("pure", "compiles", "device", "study")
"""What a test needs."""
NEEDS_OF_FOLDERS = {"run": "compiles", "hexl": "compiles"}
"""What the tests of a folder need; tests of other folders are ``pure``. A test's own mark comes first."""
MOST = 8
"""The largest number of cases of a test that compiles in ``full``."""
BUDGET = 3.0
"""The processor time of all cases of a test in ``full``, in seconds."""
COSTS = costs.load()
Case = TypeVar("Case")
Marks = Mapping[str, pytest.Mark]
"""Marks by name."""


def _seed() -> int:
    if text := os.environ.get("MOMAGEN_SEED"):
        return int(text)
    command = ["git", "rev-parse", "--short=8", "HEAD"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0  # a source distribution has no commits
    return int(done.stdout, 16)


SEED = _seed()


def tier(config: pytest.Config) -> str:
    """Return the tier of a run: as requested, else ``all`` for tests chosen by name and ``full`` for files."""
    if requested := config.getoption("tier"):
        return str(requested)
    named = config.option.keyword or any("::" in argument for argument in config.args)
    if named or "slow" in config.option.markexpr:
        return "all"
    return "quick" if config.args_source != pytest.Config.ArgsSource.ARGS else "full"


def select(
    tier: str, test: str, cases: Sequence[Case], own: Sequence[Marks], marks: Iterable[pytest.Mark]
) -> list[Case]:
    """Return the cases of one test that belong to a tier, in their order.

    Args:
        tier: one of ``TIERS``.
        test: the name of the test, which makes its choice independent of others.
        cases: all cases of the test.
        own: the marks of each single case.
        marks: the marks of the whole test.
    """
    if tier == "all":
        return list(cases)
    named = {mark.name: mark for mark in marks}
    drawn = test.partition("::")[0] if "alike" in named else test
    order = [i for i in range(len(cases)) if "slow" not in named and "slow" not in own[i]]
    random.Random(f"{SEED} {drawn}").shuffle(order)
    taken = [i for i in order[: _count(test, len(order), named)] if _draw(f"{test} {i}", _share(own[i]))]
    able = [i for i in taken if "thorough" not in named and "thorough" not in own[i]]
    quick = able if "whole" in named else able[:1]
    wanted = {"quick": quick, "full": taken, "rest": {*taken} - {*quick}}[tier]
    return [cases[i] for i in sorted(wanted)]


def _count(test: str, cases: int, named: Marks) -> int:
    """Return how many of its cases the tier ``full`` takes of a test."""
    share = _share(named)
    found = -(-cases // share) if cases > 1 else int(_draw(test, share))
    if "whole" in named:
        return found
    compiles = test.split("/")[1:2] and test.split("/")[1] in NEEDS_OF_FOLDERS
    return min(found, MOST if compiles else cases, _affordable(test))


def _affordable(test: str) -> int:
    """Return how many cases of a test take ``BUDGET`` seconds, rounded up or down so that it does on average."""
    if test not in COSTS:
        return sys.maxsize
    return int(BUDGET / COSTS[test] + random.Random(f"{SEED} {test} budget").random())


def _share(marks: Marks) -> int:
    """Return k for the mark ``sampled(k)``, or 1."""
    return int(marks["sampled"].args[0]) if "sampled" in marks else 1


def _draw(name: str, share: int) -> bool:
    """Return True for one of ``share`` names."""
    return random.Random(f"{SEED} {name}").randrange(share) == 0


def sample(test: str, candidates: Sequence[Case], count: int) -> list[Case]:
    """Return ``count`` of many candidates, for a test that checks each candidate before it becomes a case."""
    return random.Random(f"{SEED} {test}").sample(candidates, min(count, len(candidates)))


def cover(test: str, candidates: Sequence[Case], facets: Callable[[Case], Iterable[object]]) -> list[Case]:
    """Return few of many candidates that together have every facet of all of them.

    Args:
        test: the name of the test, as for :func:`select`.
        candidates: the cases to choose from.
        facets: what a case covers, for instance its kind and its target.
    """
    missing, found = {facet for case in candidates for facet in facets(case)}, list[Case]()
    for case in random.Random(f"{SEED} {test}").sample(candidates, len(candidates)):
        if not missing.isdisjoint(facets(case)):
            missing.difference_update(facets(case))
            found.append(case)
    return found
