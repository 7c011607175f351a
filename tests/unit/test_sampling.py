"""The mark ``sampled``: a run takes its share of the cases, another seed other ones, and the slow run what is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TEST = "tests/unit/kernels/test_butterfly_codelets.py::test_codelet"


SHARE = 5
"""One case of the test in so many is in every run."""


def taken(marks: str, seed: int, *arguments: str) -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", marks, *(arguments or (TEST,))]
    environment = {**os.environ, "MOMAGEN_SEED": str(seed)}
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, env=environment, check=True)
    return {line for line in done.stdout.splitlines() if line.startswith(TEST)}


def test_a_share_in_every_run() -> None:
    every, first, other = taken("", 1), taken("not slow", 1), taken("not slow", 2)
    assert len(first) == len(other) == -(-len(every) // SHARE) and first != other
    assert taken("slow", 1) == every - first


def test_a_case_asked_for_by_name_is_taken() -> None:
    left = min(taken("slow", 1))
    assert taken("not slow", 1, left) == {left}


def test_cases_chosen_by_a_word_are_all_taken() -> None:
    assert taken("not slow", 1, TEST, "-k", "749") == {case for case in taken("", 1) if "749" in case} != set()
