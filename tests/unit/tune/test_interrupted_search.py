"""What a search says when it is interrupted: nothing is kept, and which candidate was best so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from momagen.api.native import resolved
from momagen.bench.measure.sample import Spread
from momagen.signals import Ended
from momagen.tune import tuner
from momagen.tune.contest import TrialResult
from momagen.tune.search import Search
from momagen.tune.space import TriedOptions


def never(choice: TriedOptions) -> Any:
    raise AssertionError("nothing is generated")


def trial(value: str, ratio: float | None = None, wrong: bool = False) -> TrialResult:
    spread = None if ratio is None else Spread(ratio, ratio, ratio, 9)
    return TrialResult(TriedOptions().but("radix", value), spread, wrong=wrong)


def test_the_summary_names_the_best_that_was_not_wrong() -> None:
    search = Search(never, [], 1.0)
    assert search.summary() == "0 candidates were tried, and none was timed against the default"
    search.trials = [trial("2")]
    assert search.summary() == "1 candidates were tried, and none was timed against the default"
    search.trials += [trial("4", 1.25), trial("8", 0.9), trial("16", 3.0, wrong=True)]
    best = TriedOptions().but("radix", "4")
    assert search.summary() == (
        f"the best of 2 candidates that were timed is {best}, 1.25 times as fast as the default, not confirmed"
    )


@pytest.mark.parametrize("path", [True, False])
def test_a_signal_says_that_nothing_was_kept(path: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(search: Search) -> None:
        search.trials = [trial("4", 1.25)]
        raise Ended(2)

    monkeypatch.setattr(Search, "run", ended)
    file = tmp_path / "wisdom.json" if path else None
    with pytest.raises(Ended) as caught:
        tuner.tune(resolved("vadd", bits=64), seconds=1.0, path=file)
    (note,) = caught.value.__notes__
    assert note.startswith(f"kept no result: {file} is as before, " if path else "kept no result; the best of 1 ")
    assert note.endswith("1.25 times as fast as the default, not confirmed")
    assert not (tmp_path / "wisdom.json").exists()
