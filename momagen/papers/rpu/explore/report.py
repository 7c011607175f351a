"""The paper's figures drawn again, and its stated numbers beside those simulated and modelled here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from momagen.bench.measure.machine import cpu
from momagen.bench.report.kept import KeptRows
from momagen.screen.progress import Report, counted, silent

from .areas import area_figures
from .drawings import draw_all
from .measures import Studied, own_figures, study_figures
from .pool import Step, outcomes
from .processor import nanoseconds, target
from .stated import Stated, stated
from .studies import RpuStudy
from .trial import Outcome

AREA = "area model"
"""The name of the machine in rows that use only the area model, because no run time is needed."""
OWN = "the paper's numbers"
"""The name of the machine in rows that use only other numbers of the paper."""


@dataclass(frozen=True)
class ReportRow:
    """A stated figure, and ours of one machine."""

    stated: Stated
    machine: str
    ours: float

    @property
    def verdict(self) -> str:
        return self.stated.verdict(self.ours)

    @property
    def error(self) -> float | None:
        """Percent."""
        return self.stated.error(self.ours)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        row = self.stated
        return {"key": row.key, "figure": row.figure, "section": row.where, "what": row.what, "unit": row.unit,
                "stated": row.text, "bar": row.bar, "machine": self.machine, "ours": self.ours,
                "error_percent": self.error, "verdict": self.verdict, "note": row.note}  # fmt: skip


@dataclass(frozen=True)
class ExplorationReport:
    """All rows, and what was simulated on each machine. cpu, target: of Figure 10."""

    rows: Sequence[ReportRow]
    studied: Sequence[Studied]
    cpu: str
    target: str

    def draw(self, folder: Path) -> list[Path]:
        """Every figure of every machine."""
        return [path for each in self.studied for path in draw_all(each, folder)]


def make_report(
    studies: Sequence[RpuStudy], jobs: int, kept: KeptRows[Outcome] | None = None, progress: Report = silent
) -> ExplorationReport:
    """Simulate, time the CPU and compare; ``kept`` takes each outcome as it is found, and may have some already.

    Raises:
        MomagenError: a compiler is missing; before anything is simulated.
    """
    sizes = studies[0].sizes
    step = counted(progress, len(sizes) + sum(len(each.trials()) for each in studies))
    cpu_ns, found = nanoseconds(sizes, step), _run(studies, jobs, step, kept)
    studied = [Studied(each, own, cpu_ns) for each, own in zip(studies, found, strict=True)]
    return ExplorationReport(rows_of(studied), studied, cpu(), target())


def _run(
    studies: Sequence[RpuStudy], jobs: int, step: Step, kept: KeptRows[Outcome] | None
) -> list[dict[str, Outcome]]:
    """The trials of all at once; the outcomes of each."""
    names = [each.machine.name for each in studies]
    trials = [[replace(trial, label=f"{name}: {trial.label}") for trial in each.trials()]
              for name, each in zip(names, studies, strict=True)]  # fmt: skip
    found = outcomes([trial for some in trials for trial in some], jobs, step, kept)
    return [{trial.label.removeprefix(f"{name}: "): found[trial.label] for trial in some}
            for name, some in zip(names, trials, strict=True)]  # fmt: skip


def rows_of(studied: Sequence[Studied]) -> list[ReportRow]:
    """In the order of paper.toml, machines side by side."""
    figures: Mapping[str, Mapping[str, float]] = {
        AREA: area_figures(), OWN: own_figures(), **{each.study.machine.name: study_figures(each) for each in studied}
    }  # fmt: skip
    return [ReportRow(row, machine, found[key]) for key, row in stated().items() for machine, found in figures.items()
            if key in found]  # fmt: skip
