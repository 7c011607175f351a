"""The paper's figures as simulated here, and its stated numbers next to simulated and modelled ones."""

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
"""The name of the machine in rows that only use the area model, which need no runtime."""
OWN = "the paper's numbers"
"""The name of the machine in rows that only use other numbers of the paper."""


@dataclass(frozen=True)
class ReportRow:
    """A stated number, and the number for one machine here.

    Attributes:
        stated: The stated number.
        machine: The name of the machine.
        ours: The number here.
    """

    stated: Stated
    machine: str
    ours: float

    @property
    def verdict(self) -> str:
        """The verdict of the stated number's threshold."""
        return self.stated.verdict(self.ours)

    @property
    def error(self) -> float | None:
        """The relative error in per cent, or None if it is not defined."""
        return self.stated.error(self.ours)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data for JSON."""
        row = self.stated
        return {"key": row.key, "figure": row.figure, "section": row.where, "what": row.what, "unit": row.unit,
                "stated": row.text, "bar": row.bar, "machine": self.machine, "ours": self.ours,
                "error_percent": self.error, "verdict": self.verdict, "note": row.note}  # fmt: skip


@dataclass(frozen=True)
class ExplorationReport:
    """All rows of a report, and the simulations from which they follow.

    Attributes:
        rows: The rows.
        studied: The studies with their results.
        cpu: The name of the CPU for Figure 10.
        target: The target of momagen's kernel for Figure 10.
    """

    rows: Sequence[ReportRow]
    studied: Sequence[Studied]
    cpu: str
    target: str

    def draw(self, folder: Path) -> list[Path]:
        """Write every figure of every machine, and return the paths."""
        return [path for each in self.studied for path in draw_all(each, folder)]


def make_report(
    studies: Sequence[RpuStudy], jobs: int, kept: KeptRows[Outcome] | None = None, progress: Report = silent
) -> ExplorationReport:
    """Simulate all studies, time this CPU, and return the comparison with the paper.

    Args:
        studies: The studies.
        jobs: The number of trials that run at the same time.
        kept: A store that keeps each outcome as soon as it is found, and that may contain outcomes of an
            earlier run; or None.
        progress: A function that reports progress.

    Raises:
        MomagenError: There is no compiler. The error is raised before the first simulation.
    """
    sizes = studies[0].sizes
    step = counted(progress, len(sizes) + sum(len(each.trials()) for each in studies))
    cpu_ns, found = nanoseconds(sizes, step), _run(studies, jobs, step, kept)
    studied = [Studied(each, own, cpu_ns) for each, own in zip(studies, found, strict=True)]
    return ExplorationReport(rows_of(studied), studied, cpu(), target())


def _run(
    studies: Sequence[RpuStudy], jobs: int, step: Step, kept: KeptRows[Outcome] | None
) -> list[dict[str, Outcome]]:
    """Run the trials of all studies together, and return the outcomes of each study."""
    names = [each.machine.name for each in studies]
    trials = [[replace(trial, label=f"{name}: {trial.label}") for trial in each.trials()]
              for name, each in zip(names, studies, strict=True)]  # fmt: skip
    found = outcomes([trial for some in trials for trial in some], jobs, step, kept)
    return [{trial.label.removeprefix(f"{name}: "): found[trial.label] for trial in some}
            for name, some in zip(names, trials, strict=True)]  # fmt: skip


def rows_of(studied: Sequence[Studied]) -> list[ReportRow]:
    """Return the rows in the order of paper.toml, with the rows of all machines for a number next to each other."""
    figures: Mapping[str, Mapping[str, float]] = {
        AREA: area_figures(), OWN: own_figures(), **{each.study.machine.name: study_figures(each) for each in studied}
    }  # fmt: skip
    return [ReportRow(row, machine, found[key]) for key, row in stated().items() for machine, found in figures.items()
            if key in found]  # fmt: skip
