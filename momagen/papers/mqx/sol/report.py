"""Speed-of-light projections as tables, as data for programs, and as plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from momagen.bench.report.figure import number
from momagen.isa.cores.cpus import Cpu
from momagen.plots import renderer
from momagen.plots.looks import Look, look
from momagen.plots.picture import Curve, Panel, Picture, size_text
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
    """Projections and comparisons.

    Attributes:
        cpus: The CPUs.
        times: The projected times.
        comparisons: The comparisons with reported results.
        papers: The results of papers.
    """

    cpus: tuple[Cpu, ...]
    times: tuple[SolTime, ...]
    comparisons: tuple[SolComparison, ...]
    papers: Papers

    def to_dict(self) -> dict[str, object]:
        """Return the projections as plain data for JSON."""
        systems = [vars(system) for system in self.papers.systems.values() if system.kind in WHOLE]
        return {
            "cpus": [cpu.row() for cpu in self.cpus],
            "times": [time.row() for time in self.times],
            "comparisons": [comparison.row() for comparison in self.comparisons],
            "reported": {"systems": systems, "times": [vars(time) for time in self.papers.times],
                         "ratios": [vars(ratio) for ratio in self.papers.ratios]},
        }  # fmt: skip


def speeds_of_light(series: Sequence[MeasuredSeries], cpus: Sequence[Cpu], papers: Papers) -> SpeedOfLight:
    """Return every series on every CPU, with comparisons to every system of the papers.

    Raises:
        MomagenError: The clock of a CPU with all cores active is unknown.
    """
    times = project(series, cpus)
    return SpeedOfLight(tuple(cpus), tuple(times), tuple(compare(times, cpus, papers)), papers)


def tables(found: SpeedOfLight) -> list[ReportTable]:
    """Return the tables: microseconds per transform by size, and for each CPU the speed-ups over reported results."""
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
    """Write sol.KIND: microseconds over size on logarithmic axes, with a panel for each CPU.

    Reported systems are hollow and grey.

    Raises:
        MomagenError: The format is unknown, or matplotlib is missing.
    """
    renderer.check(kind)
    panels = [_panel(found, cpu, "µs per transform" * (at == 0)) for at, cpu in enumerate(found.cpus)]
    return renderer.write(Picture(TITLE, panels, least=2, shared=True), folder / f"sol.{kind}")


def _panel(found: SpeedOfLight, cpu: Cpu, up: str) -> Panel:
    curves = []
    for at, series in enumerate(_series(found)):
        own = {time.n: time.seconds for time in found.times if (time.cpu, time.series) == (cpu.name, series)}
        curves.append(_curve(series, own, look(at)))
    reported = [(system.title, found.papers.seconds(system.name)) for system in found.papers.systems.values()]
    for at, (title, times) in enumerate((title, times) for title, times in reported if times):
        curves.append(_curve(title, times, look(at, other=True)))
    ticks = {n: size_text(int(n), short=True) for n in sorted({n for curve in curves for n in curve.x})}
    title = f"{cpu.title}: {cpu.cores} cores, {cpu.boost:g} GHz"
    return Panel("n", up, title, curves, ticks=ticks, base=2, logarithmic=True)


def _curve(label: str, seconds: Mapping[int, float], style: Look) -> Curve:
    return Curve(label, [*seconds], [each * 1e6 for each in seconds.values()], style)
