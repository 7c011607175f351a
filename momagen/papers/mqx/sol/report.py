"""Speed of light as tables, as data for programs, and as a plot."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from momagen.bench.report import plot
from momagen.bench.report.figure import number
from momagen.isa.cores.cpus import Cpu
from momagen.screen.tables import ReportTable, number_table

from .papers import WHOLE, Papers
from .speed_of_light import MeasuredSeries, SolComparison, SolTime, compare, project

TITLE = "speed of light: every core at the all-core boost, Equation (13)"
EXPLAINED = """\
Times of one transform if all cores of the CPU ran as fast as the measured core, each on separate transforms: a lower
bound, which memory and power may prevent. The second table compares it with times that papers report: geometric means
of the speed-ups over the sizes that both have; ≈ marks systems for which only ratios are reported. In brackets: how
many times faster than one of its cores the CPU must be to match the system. paper: the speed-up that the MQX paper
states."""


@dataclass(frozen=True)
class SpeedOfLight:
    """Projections, and what they are compared with."""

    cpus: tuple[Cpu, ...]
    times: tuple[SolTime, ...]
    comparisons: tuple[SolComparison, ...]
    papers: Papers

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        systems = [vars(system) for system in self.papers.systems.values() if system.kind in WHOLE]
        return {
            "cpus": [cpu.row() for cpu in self.cpus],
            "times": [time.row() for time in self.times],
            "comparisons": [comparison.row() for comparison in self.comparisons],
            "reported": {"systems": systems, "times": [vars(time) for time in self.papers.times],
                         "ratios": [vars(ratio) for ratio in self.papers.ratios]},
        }  # fmt: skip


def speeds_of_light(series: Sequence[MeasuredSeries], cpus: Sequence[Cpu], papers: Papers) -> SpeedOfLight:
    """Every series on every CPU, beside every system of the papers.

    Raises:
        MomagenError: a CPU whose cores' common clock nobody states.
    """
    times = project(series, cpus)
    return SpeedOfLight(tuple(cpus), tuple(times), tuple(compare(times, cpus, papers)), papers)


def tables(found: SpeedOfLight) -> list[ReportTable]:
    """Microseconds of a transform by size; then, for each CPU, how many times faster it is than what papers report."""
    return [_times(found), *(_beside(found, cpu) for cpu in found.cpus)]


def _times(found: SpeedOfLight) -> ReportTable:
    sizes = sorted({time.n for time in found.times})
    result = number_table([f"{n:,}" for n in sizes], title=f"{TITLE}: µs per transform")
    at = {(time.cpu, time.series, time.n): number(time.seconds * 1e6) for time in found.times}
    for cpu, series in product(found.cpus, _series(found)):
        result.add_row(f"{cpu.title}, {series}", *(at.get((cpu.name, series, n), "–") for n in sizes))
    for system in found.papers.systems.values():
        if reported := found.papers.seconds(system.name):
            cells = (number(reported[n] * 1e6) if n in reported else "–" for n in sizes)
            result.add_row(system.title, *cells, style="dim")
    return result


def _beside(found: SpeedOfLight, cpu: Cpu) -> ReportTable:
    names = _series(found)
    result = number_table([*names, "paper"], title=f"{cpu.title}: × faster than")
    result.add_column("sizes; ratios between", overflow="fold")
    for system in found.papers.systems.values():
        rows = {one.series: one for one in found.comparisons if (one.cpu, one.system) == (cpu.name, system.name)}
        if rows:
            one = next(iter(rows.values()))
            cells = (_faster(rows[name]) if name in rows else "–" for name in names)
            sizes = dict.fromkeys(", ".join(f"{n:,}" for n in row.sizes) for row in rows.values())
            note = "; ".join(filter(None, [" or ".join(sizes), one.estimate]))
            result.add_row(system.title, *cells, number(one.paper), note)
    return result


def _faster(one: SolComparison) -> str:
    return f"{'≈ ' * bool(one.estimate)}{number(one.speedup)} ({number(one.on_par)})"


def _series(found: SpeedOfLight) -> list[str]:
    return list(dict.fromkeys(time.series for time in found.times))


def draw(found: SpeedOfLight, folder: Path, kind: str) -> Path:
    """Write sol.KIND: microseconds over size, both logarithmic, a panel for each CPU; reported systems hollow and grey.

    Raises:
        MomagenError: an unknown format, or matplotlib is missing.
    """
    plot.check(kind)
    figure = importlib.import_module("matplotlib.figure").Figure(
        figsize=(plot.PANEL[0] * max(len(found.cpus), 2), plot.PANEL[1]), layout="constrained"
    )
    axes = figure.subplots(1, len(found.cpus), sharey=True, squeeze=False)[0]
    for cpu, ax in zip(found.cpus, axes, strict=True):
        _panel(ax, found, cpu)
    axes[0].set_ylabel("µs per transform")
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(TITLE, fontsize=10)
    path = folder / f"sol.{kind}"
    figure.savefig(path, dpi=150, bbox_inches="tight")
    return path


def _panel(ax: Any, found: SpeedOfLight, cpu: Cpu) -> None:
    for at, series in enumerate(_series(found)):
        own = {time.n: time.seconds for time in found.times if (time.cpu, time.series) == (cpu.name, series)}
        style = {"color": plot.COLOURS[at % len(plot.COLOURS)], "marker": plot.MARKERS[at % len(plot.MARKERS)]}
        ax.plot(list(own), [seconds * 1e6 for seconds in own.values()], label=series, markersize=5, **style)
    reported = [(system, found.papers.seconds(system.name)) for system in found.papers.systems.values()]
    for at, (system, times) in enumerate((system, times) for system, times in reported if times):
        style = {"color": plot.GREYS[at % len(plot.GREYS)], "marker": plot.MARKERS[-1 - at % len(plot.MARKERS)]}
        dashed = {"linestyle": "--", "linewidth": 1.2, "fillstyle": "none"}
        ax.plot(list(times), [t * 1e6 for t in times.values()], label=system.title, **style, **dashed)
    sizes = sorted({n for line in ax.get_lines() for n in line.get_xdata()})
    ax.set_xscale("log", base=2)
    plot.scale_up(ax)
    ax.set_xticks(sizes, [plot.size_text(int(n), short=True) for n in sizes])
    ax.minorticks_off()
    ax.set_xlabel("n")
    ax.set_title(f"{cpu.title}: {cpu.cores} cores, {cpu.boost:g} GHz", fontsize=10)
    ax.grid(True, color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)
