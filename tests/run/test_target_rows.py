"""Every row of every target: compiled, run on edge and random words, and compared with the operation's meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from momagen.isa.soundness.battery import COUNT, check, trials
from momagen.runtime import missing_features
from momagen.runtime.native import in_c
from momagen.targets import Spelling, load_target, names

STOOD_IN = [name for name in names() if load_target(name).standins]


@pytest.mark.parametrize("name", [*map(str, in_c())])
def test_rows_on_this_processor(name: str) -> None:
    target = load_target(name)
    if missing := missing_features(target.features):
        pytest.skip(f"this processor has no {', '.join(missing)}")
    assert min(check(target).values()) >= COUNT * target.lanes


@pytest.mark.thorough
@pytest.mark.parametrize("name", STOOD_IN)
def test_rows_on_stand_ins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target(name)
    monkeypatch.setenv("MOMAGEN_DISABLE", ",".join(target.features))
    assert set(check(target)) >= set(target.ops) | set(target.instructions)


def test_a_wrong_row_is_caught() -> None:
    """The battery itself: a signed comparison with its arguments exchanged."""
    target = load_target("c64")
    broken = replace(target, ops={**target.ops, "lt": Spelling(("(uint64_t)({b} < {a})",))})
    assert {trial.row.op for trial in trials(broken) if not trial.right} == {"lt"}
