"""Runs sections of the paper: trials one after another, and what is estimated from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from momagen.he.parameters import HeParameters

from ..contest import ABSENT, MEASURED, Row, race
from ..machine import load
from ..report import Results
from . import sweeps
from .energy import efficiencies, energy, others
from .he.estimates import ESTIMATES
from .he.operator_sections import table8
from .he.operator_trials import KERNELS, kernel_trials
from .published import published
from .tables import efficiency_lines, estimate_lines, head, lines
from .trials import Settings, Trial

SWEEPS: Mapping[str, Callable[[Settings], Iterator[Trial]]] = {
    "table5": sweeps.table5, "table6": sweeps.table6, "table7": sweeps.table7, "fig11b": sweeps.fig11b,
    "table8": table8, "table10": sweeps.table10, "fig13": sweeps.fig13,
}  # fmt: skip
SHARE = 0.25
"""Of the memory of the machine that a trial may take."""
SMALL: dict[str, Any] = {"set": "quick", "paper": {}}
"""What estimates of small shapes say: the paper's figures are of others."""


class Sweep:
    """One run of sections.

    Attributes:
        slow: contestants of series that took too long. rates: of kernels, by the name of a set.
    """

    def __init__(self, settings: Settings, repeat: int, results: Results, tell: Callable[[str], None]) -> None:
        self.settings, self.repeat, self.results, self.tell = settings, repeat, results, tell
        self.slow: dict[tuple[str, str], float] = {}
        self.rates: dict[str, Mapping[str, float] | None] = {}

    def run(self, section: str) -> None:
        """A section: its rows, or its estimates."""
        self.tell(f"\n{section}\n")
        if section in SWEEPS:
            self.tell("\n".join(head()))
            for trial in SWEEPS[section](self.settings):
                self.trial(trial)
        else:
            found = [*ESTIMATES[section](self.settings, self._rates_of)]
            if self.settings.quick:
                found = [each | SMALL for each in found]
            self.results.told.setdefault("estimates", []).extend(found)
            self.tell("\n".join(estimate_lines(found)))
        if section == "table8":
            found = [*efficiencies()]
            self.results.told["efficiencies"] = {"power": published()["power"], "rows": found}
            self.tell("\n".join(["", *efficiency_lines(found)]))
        self.results.write()

    def trial(self, trial: Trial) -> list[Row]:
        """One race, with what is known beside it."""
        left = {name: self.slow[trial.series, name] for name in trial.makers if (trial.series, name) in self.slow}
        makers = {name: maker for name, maker in trial.makers.items() if name not in left}
        why = _too_large(trial)
        rows = [_absent(trial, name, why or f"left out: a smaller one took {took:.2g} s a call")
                for name, took in left.items()]  # fmt: skip
        if why:
            rows += [_absent(trial, name, why) for name in makers]
        elif makers:
            rows += race(trial.problem(), makers, self.repeat, self.settings.seconds, trial.first)
        order = [*trial.makers]
        rows.sort(key=lambda row: order.index(row["name"]))
        for row in rows:
            self._complete(row, trial)
        self.results.add(rows)
        self.tell("\n".join(lines(rows)))
        return rows

    def _complete(self, row: Row, trial: Trial) -> None:
        name, settings = row["name"], self.settings
        row |= {"section": trial.section, "title": trial.title, "target": settings.target, "per": trial.per,
                "paper": [] if settings.quick else [*trial.paper.get(name, ())], **trial.more}  # fmt: skip
        count = trial.counts.get(name)
        row["needs"] = count() if count else None
        if row["state"] != MEASURED:
            return
        row |= {"rate": trial.per * 1e6 / row["median_us"], "load": load()}
        if row["median_us"] > settings.seconds * 1e6:
            self.slow[trial.series, name] = row["median_us"] / 1e6
        if settings.watts and trial.section == "table8" and not settings.quick:
            (of,) = (each for each in published()["table8"]["row"] if each["name"] == row["set"])
            operator = trial.series.rpartition(" ")[2]
            row["energy"] = energy(row["median_us"], settings.watts, others(of, operator))

    def _rates_of(self, p: HeParameters) -> Mapping[str, float] | None:
        """Measured once for a set."""
        if p.name not in self.rates:
            self.tell("\n".join(head()))
            found = {}
            for trial in kernel_trials("kernels", p, self.settings.target, more={"set": p.name}):
                (row,) = self.trial(trial)
                if row["state"] == MEASURED:
                    found[row["kernel"]] = row["median_us"] * 1e3 / trial.per
                else:
                    self.tell(f"no estimates of set {p.name}: {row['kernel']} is {row['state']}")
            self.rates[p.name] = found if len(found) == len(KERNELS) else None
            self.tell("")
        return self.rates[p.name]


def _too_large(trial: Trial) -> str:
    """Why it cannot be run here; "": it can."""
    room = _memory()
    if room and trial.bytes > room * SHARE:
        return f"takes {trial.bytes / 2**30:.1f} GiB, more than {SHARE:.0%} of {room / 2**30:.1f}"
    return ""


def _memory() -> float | None:
    """Bytes of the machine or of its first device, whichever is less; None: not known."""
    import jax

    found = (jax.devices()[0].memory_stats() or {}).get("bytes_limit")
    try:
        host = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return found
    return min(host, found) if found else host


def _absent(trial: Trial, name: str, why: str) -> Row:
    return {"name": name, "kernel": trial.series, "shape": trial.title, "state": ABSENT, "why": why, "batch": trial.per}


def sections(names: list[str], settings: Settings, repeat: int, results: Results, tell: Callable[[str], None]) -> None:
    """Run sections of the paper in order.

    Raises:
        MomagenError: sizes that a section has not.
    """
    sweep = Sweep(settings, repeat, results, tell)
    for name in names:
        sweep.run(name)
