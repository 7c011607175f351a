"""Speed of light of a whole CPU: what transforms would take if every core ran them as fast as one does alone.

Equation (13) of the MQX paper: t_sol = t_m · c1/c2 · f_m/f_max, where c1 cores at f_m took t_m, and the other CPU has
c2 cores that boost to f_max together. A bound on the time per transform of many independent ones, memory aside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, build_error
from momagen.isa.cores.cpus import Cpu

from .papers import WHOLE, Papers, ReportedSystem


@dataclass(frozen=True)
class MeasuredSeries:
    """Transforms that were measured or projected on one CPU.

    Attributes:
        name: of the implementation ("mqx"). seconds: by points, what one transform takes.
        ghz: the clock meanwhile, f_m. cores: how many worked on it, c1.
    """

    name: str
    seconds: Mapping[int, float]
    ghz: float
    cores: int = 1

    def __post_init__(self) -> None:
        where = f"series {self.name}"
        if not (self.ghz > 0 and self.cores >= 1):
            got = f"{self.ghz} GHz and {self.cores} cores"
            raise MomagenError("a clock above 0 GHz and at least 1 core", got, where)
        if wrong := [(n, t) for n, t in self.seconds.items() if n < 2 or not 0 < t < math.inf]:
            got = f"n = {wrong[0][0]} in {wrong[0][1]} s"
            raise MomagenError("at least 2 points, and a finite time above 0 seconds", got, where)
        if not self.seconds:
            raise build_error("the series has no sizes", where)


def in_cycles(name: str, per_butterfly: Mapping[int, float]) -> MeasuredSeries:
    """The series of one core that takes so many cycles a butterfly, by points: t_m · f_m is a count of cycles, whatever
    the clock, so that port floors and cycles measured elsewhere can be projected too."""
    return MeasuredSeries(name, {n: cycles * butterflies(n) / 1e9 for n, cycles in per_butterfly.items()}, 1.0)


def butterflies(n: int) -> float:
    """Of a transform of n points."""
    return n / 2 * math.log2(n)


def speed_of_light(seconds: float, ghz: float, cpu: Cpu, cores: int = 1) -> float:
    """Equation (13): seconds on all cores of ``cpu`` for what took ``cores`` cores at ``ghz`` so long.

    Raises:
        MomagenError: nobody says how fast the CPU's cores are together.
    """
    return seconds * cores / cpu.cores * ghz / cpu.boost


@dataclass(frozen=True)
class SolTime:
    """One size of a series, projected: ``measured`` and ``seconds`` are of one transform."""

    series: str
    cpu: str
    n: int
    measured: float
    seconds: float

    def row(self) -> dict[str, object]:
        """Plain data, with the nanoseconds of a butterfly."""
        return {**vars(self), "ns_per_butterfly": self.seconds * 1e9 / butterflies(self.n)}


@dataclass(frozen=True)
class SolComparison:
    """A projected series beside what a paper reports.

    Attributes:
        speedup: how many times as long the other takes, the geometric mean over ``sizes``.
        on_par: as many times faster than one of its cores the CPU must be to take as long as the other.
        estimate: "" where it follows from reported times; else the ratios between, where only these are reported.
        paper: the MQX paper's own figure for its MQX on this CPU; None where it has none.
    """

    series: str
    cpu: str
    system: str
    sizes: tuple[int, ...]
    speedup: float
    on_par: float
    estimate: str = ""
    paper: float | None = None

    def row(self) -> dict[str, object]:
        """Plain data."""
        return {**vars(self), "sizes": list(self.sizes)}


def project(series: Iterable[MeasuredSeries], cpus: Sequence[Cpu]) -> list[SolTime]:
    """Every size of every series on every CPU.

    Raises:
        MomagenError: as :func:`speed_of_light`.
    """
    return [
        SolTime(one.name, cpu.name, n, seconds, speed_of_light(seconds, one.ghz, cpu, one.cores))
        for cpu in cpus for one in series for n, seconds in sorted(one.seconds.items())
    ]  # fmt: skip


def compare(times: Sequence[SolTime], cpus: Sequence[Cpu], papers: Papers) -> list[SolComparison]:
    """Every projected series beside every system of the papers for which a time or a chain of ratios is reported."""
    found: list[SolComparison] = []
    for cpu in cpus:
        for name in dict.fromkeys(time.series for time in times if time.cpu == cpu.name):
            own = {time.n: time.seconds for time in times if (time.cpu, time.series) == (cpu.name, name)}
            found += _beside(name, cpu, own, papers)
    return found


def _beside(series: str, cpu: Cpu, own: Mapping[int, float], papers: Papers) -> Iterator[SolComparison]:
    for system in papers.systems.values():
        figure = _speedup(system, own, papers)
        if system.kind in WHOLE and figure:
            speedup, sizes, estimate = figure
            said = papers.ratio(cpu.name, system.name)
            paper, needed = said[0] if said else None, on_par(cpu.cores, speedup)
            yield SolComparison(series, cpu.name, system.name, sizes, speedup, needed, estimate, paper)


def _speedup(
    system: ReportedSystem, own: Mapping[int, float], papers: Papers
) -> tuple[float, tuple[int, ...], str] | None:
    """Over a system, over which sizes, and by which ratios: by its own times, else by those of another one."""
    for known in (system.name, *papers.systems):
        reported = papers.seconds(known)
        sizes = tuple(sorted(own.keys() & reported.keys()))
        chain = papers.through(system.name, known) if sizes else None
        if chain:
            mean = math.exp(sum(math.log(reported[n] / own[n]) for n in sizes) / len(sizes))
            between = "; ".join(f"{row.faster} / {row.slower} = {row.times:g} ({row.source})" for row in chain[1])
            return mean / chain[0], sizes, between
    return None


def on_par(cores: int, speedup: float) -> float:
    """How many times faster than one core all ``cores`` must be for the other's time, where ideal scaling, ``cores``
    times, is ``speedup`` times as fast as the other: the paper's 192 cores and 2.5 times make 77."""
    return cores / speedup
