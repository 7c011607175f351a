"""Reports and sweeps as text: Markdown for readers, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from momagen.bench.report.texts import markdown
from momagen.papers.thresholds import MISS, PASS

from .drawings import DRAWINGS
from .report import ExplorationReport, ReportRow
from .sweep import DesignPoint, SweepGrid

HEAD = ("figure", "section", "what", "paper", "here", "machine", "error", "threshold", "")
PERCENT = "%"
"""The unit of changes, whose errors are stated in percentage points."""
COLUMNS = ("HPLEs", "banks", "cycles", "µs", "mm²", "P/A", "µJ", "Pareto")
ABOUT = """\
# The Ring Processing Unit: the paper's figures and ours

This table compares the figures of the paper (Soni et al., ISPASS 2023) with our simulations and models. Transforms are
negacyclic, of 128 bits, by the paper's algorithm ({flow}), with the schedule `{schedule}`; naive: in the order of the
algorithm. Errors are in per cent of the paper's figure. Figures with a threshold are a PASS or a miss. Areas and
energies are models that are fitted to some of these figures; docs/papers/rpu.md says which. Figure 10 and its rows
compare with momagen's kernel `{target}` on one core of {cpu}; the paper compares with OpenFHE on an AMD EPYC 7502 with
32 cores.

{count}
"""


def report_markdown(of: ExplorationReport) -> str:
    """Return a report with one table, its notes, and the pictures."""
    grid = of.studied[0].study.grid
    about = ABOUT.format(flow=grid.flow, schedule=grid.schedule, target=of.target, cpu=of.cpu, count=counts(of.rows))
    notes = dict.fromkeys(f"- {row.stated.what}: {row.stated.note}" for row in of.rows if row.stated.note)
    names = [each.study.machine.name for each in of.studied]
    pictures = [f"![{name}, {kind}]({name}-{kind}.svg)" for name in names for kind in DRAWINGS]
    return "\n".join([about, markdown("Figures", HEAD, map(cells, of.rows)), "## Notes", "", *notes, "", "## Pictures",
                      "", *pictures, ""])  # fmt: skip


def counts(rows: Sequence[ReportRow]) -> str:
    """Return the number of thresholds that each machine meets."""
    found = []
    for machine in dict.fromkeys(row.machine for row in rows):
        verdicts = [row.verdict for row in rows if row.machine == machine]
        judged = verdicts.count(PASS) + verdicts.count(MISS)
        found.append(f"{machine}: {verdicts.count(PASS)} of {judged} thresholds met")
    return "; ".join(found)


def cells(row: ReportRow) -> tuple[str, ...]:
    """Return the cells of a row of the table."""
    of, unit = row.stated, f" {row.stated.unit}".rstrip()
    error = (
        f"{of.far(row.ours):+.1f} points" if of.unit == PERCENT else "" if row.error is None else f"{row.error:+.1f} %"
    )
    return (of.figure, of.where, of.what, of.text + unit, f"{row.ours:.4g}{unit}", row.machine, error, of.bar,
            row.verdict)  # fmt: skip


def report_json(of: ExplorationReport) -> str:
    """Return the rows, and the sweeps from which they follow, as JSON."""
    sweeps = {each.study.machine.name: sweep_data(each.study.grid, each.points) for each in of.studied}
    cpu = {"cpu": of.cpu, "target": of.target, "nanoseconds": dict(of.studied[0].cpu)}
    return _text({"rows": [row.to_dict() for row in of.rows], "sweeps": sweeps, "cpu": cpu})


def sweep_json(grid: SweepGrid, points: Sequence[DesignPoint]) -> str:
    """Return a sweep as JSON."""
    return _text(sweep_data(grid, points))


def sweep_data(grid: SweepGrid, points: Sequence[DesignPoint]) -> Mapping[str, Any]:
    """Return a sweep as plain data."""
    return {"machine": grid.machine.name, "n": grid.n, "flow": grid.flow, "schedule": grid.schedule,
            "designs": [each.to_dict() for each in points]}  # fmt: skip


def sweep_cells(point: DesignPoint) -> tuple[str, ...]:
    """Return the cells of a row of a sweep's table."""
    return (str(point.hples), str(point.banks), f"{point.cycles:,}", f"{point.microseconds:.2f}", f"{point.mm2:.2f}",
            f"{point.per_area:.2f}", f"{point.microjoules:.2f}", "*" * point.pareto)  # fmt: skip


def _text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
