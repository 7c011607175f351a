"""Sections of the paper: trials in sequence, and estimates from their times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from momagen.bench.measure.memory import keep_memory
from momagen.he.parameters import HeParameters

from ..energy import efficiencies, energy, others
from ..estimates import ESTIMATES
from ..operators.needs import KERNELS
from ..operators.sections import table8
from ..operators.trials import kernel_trials
from ..published import published
from ..race.contest import ABSENT, MEASURED, Row, race
from ..race.machine import load
from ..race.report import JaxResults
from ..race.trials import JaxTrial, SweepSettings
from . import sweeps
from .tables import efficiency_lines, estimate_lines, head, lines

SWEEPS: Mapping[str, Callable[[SweepSettings], Iterator[JaxTrial]]] = {
    "table5": sweeps.table5, "table6": sweeps.table6, "table7": sweeps.table7, "fig11b": sweeps.fig11b,
    "table8": table8, "table10": sweeps.table10, "fig13": sweeps.fig13,
}  # fmt: skip
SHARE = 0.25
"""The largest part of the machine's memory that a trial may take."""
SMALL: dict[str, Any] = {"set": "quick", "paper": {}}
"""Entries of estimates of small shapes, which have no numbers in the paper."""


class PaperSweep:
    """One run of sections.

    Attributes:
        settings: The options.
        repeat: The largest number of samples.
        results: The results.
        tell: A function that prints a line.
        slow: The contestants of series that took too long, with the seconds of a call.
        rates: The times of kernels, by the name of a parameter set.
    """

    def __init__(self, settings: SweepSettings, repeat: int, results: JaxResults, tell: Callable[[str], None]) -> None:
        self.settings, self.repeat, self.results, self.tell = settings, repeat, results, tell
        self.slow: dict[tuple[str, str], float] = {}
        self.rates: dict[str, Mapping[str, float] | None] = {}

    def run(self, section: str) -> None:
        """Run a section: its rows, or its estimates."""
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

    def trial(self, trial: JaxTrial) -> list[Row]:
        """Run one race and return its rows, with the known numbers next to them."""
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

    def _complete(self, row: Row, trial: JaxTrial) -> None:
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
        """Return the times of kernels, which are measured once for each set."""
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


def _too_large(trial: JaxTrial) -> str:
    """Return the reason why a trial cannot run on this machine; an empty string if it can."""
    room = _memory()
    if room and trial.bytes > room * SHARE:
        return f"takes {trial.bytes / 2**30:.1f} GiB, more than {SHARE:.0%} of {room / 2**30:.1f}"
    return ""


def _memory() -> float | None:
    """Return the bytes of the machine or of its first device, whichever is less; None if they are unknown."""
    import jax

    found = (jax.devices()[0].memory_stats() or {}).get("bytes_limit")
    try:
        host = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return found
    return min(host, found) if found else host


def _absent(trial: JaxTrial, name: str, why: str) -> Row:
    return {"name": name, "kernel": trial.series, "shape": trial.title, "state": ABSENT, "why": why, "batch": trial.per}


def sections(
    names: list[str], settings: SweepSettings, repeat: int, results: JaxResults, tell: Callable[[str], None]
) -> None:
    """Run sections of the paper in order.

    Raises:
        MomagenError: A section lacks a requested size or name.
    """
    keep_memory()
    sweep = PaperSweep(settings, repeat, results, tell)
    for name in names:
        sweep.run(name)
