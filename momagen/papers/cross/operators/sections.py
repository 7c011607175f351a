"""Table VIII as trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..energy import others
from ..published import Row, figure, published, rows
from ..race.entries import OURS
from ..race.trials import JaxTrial, SweepSettings
from .integers import parameters
from .needs import OPERATORS
from .trials import operator_trials


def table8(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of the operators, row by row of the table."""
    for row in rows("table8", settings):
        p = parameters(row)
        trials = operator_trials("table8", p, settings.target, OPERATORS, more={"set": row["name"]})
        for name, trial in zip(OPERATORS, trials, strict=True):
            yield replace(trial, paper={OURS: _figures(row, name)})


def _figures(row: Row, operator: str) -> list[dict[str, object]]:
    of = published()["table8"]["of"]
    return [figure(value, "µs", f"{name}, {of}") for name, value in others(row, operator).items()]
