"""Table VIII as trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...entries import OURS
from ..energy import others
from ..published import Row, figure, published, rows
from ..trials import Settings, Trial
from .operator_integers import parameters
from .operator_trials import OPERATORS, operator_trials


def table8(settings: Settings) -> Iterator[Trial]:
    """Operators by parameters."""
    for row in rows("table8", settings):
        p = parameters(row)
        trials = operator_trials("table8", p, settings.target, OPERATORS, more={"set": row["name"]})
        for name, trial in zip(OPERATORS, trials, strict=True):
            yield replace(trial, paper={OURS: _figures(row, name)})


def _figures(row: Row, operator: str) -> list[dict[str, object]]:
    of = published()["table8"]["of"]
    return [figure(value, "µs", f"{name}, {of}") for name, value in others(row, operator).items()]
