"""The speed of light of a whole CPU: the time of transforms if every core ran them as fast as one core does alone.

Equation (13) of the MQX paper is t_sol = t_m · c1/c2 · f_m/f_max, where c1 cores at the clock f_m took t_m,
and the other CPU has c2 cores that run at f_max together. It is a bound on the time per transform of many
independent ones, without the effects of memory.
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
        name: The name of the implementation, such as "mqx".
        seconds: The seconds of one transform, by points.
        ghz: The clock f_m during the measurement.
        cores: The number c1 of cores that worked on a transform.

    Raises:
        MomagenError: There are no sizes, or a number is out of its range.
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
    """Return the series of one core with the given cycles per butterfly, by points.

    The product t_m · f_m is a number of cycles at any clock, so that port floors and cycles of other machines
    can be projected, too.
    """
    return MeasuredSeries(name, {n: cycles * butterflies(n) / 1e9 for n, cycles in per_butterfly.items()}, 1.0)


def butterflies(n: int) -> float:
    """Return the number of butterflies in a transform of n points."""
    return n / 2 * math.log2(n)


def speed_of_light(seconds: float, ghz: float, cpu: Cpu, cores: int = 1) -> float:
    """Return the seconds on all cores of ``cpu`` by Equation (13).

    Args:
        seconds: The measured seconds.
        ghz: The clock during the measurement.
        cpu: The CPU.
        cores: The number of cores of the measurement.

    Raises:
        MomagenError: The clock of the CPU with all cores active is unknown.
    """
    return seconds * cores / cpu.cores * ghz / cpu.boost


@dataclass(frozen=True)
class SolTime:
    """The projection of one size of a series.

    Attributes:
        series: The name of the series.
        cpu: The name of the CPU.
        n: The number of points.
        measured: The measured seconds of one transform.
        seconds: The projected seconds of one transform.
    """

    series: str
    cpu: str
    n: int
    measured: float
    seconds: float

    def row(self) -> dict[str, object]:
        """Return the projection as plain data, with the nanoseconds of a butterfly."""
        return {**vars(self), "ns_per_butterfly": self.seconds * 1e9 / butterflies(self.n)}


@dataclass(frozen=True)
class SolComparison:
    """A comparison of a projected series with a result that a paper reports.

    Attributes:
        series: The name of the series.
        cpu: The name of the CPU.
        system: The name of the other system.
        sizes: The numbers of points that both have.
        speedup: The time of the other system over that of the series, as the geometric mean over ``sizes``.
        on_par: The speed-up over one of its cores at which the CPU takes as long as the other system.
        estimate: The ratios by which the comparison is estimated, or "" if it follows from reported times.
        paper: The speed-up that the MQX paper states for its MQX on this CPU, or None.
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
        """Return the comparison as plain data."""
        return {**vars(self), "sizes": list(self.sizes)}


def project(series: Iterable[MeasuredSeries], cpus: Sequence[Cpu]) -> list[SolTime]:
    """Return the projections of every size of every series on every CPU.

    Raises:
        MomagenError: The clock of a CPU with all cores active is unknown.
    """
    return [
        SolTime(one.name, cpu.name, n, seconds, speed_of_light(seconds, one.ghz, cpu, one.cores))
        for cpu in cpus for one in series for n, seconds in sorted(one.seconds.items())
    ]  # fmt: skip


def compare(times: Sequence[SolTime], cpus: Sequence[Cpu], papers: Papers) -> list[SolComparison]:
    """Return the comparisons of all series with the systems for which a time or a chain of ratios is reported."""
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
    """Return the speed-up over a system, the sizes, and the ratios by which it is estimated, or None.

    It follows from times of the system or, if there are none, from those of another system.
    """
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
    """Return the speed-up of all ``cores`` over one core at which they take as long as the other system.

    With ideal scaling, ``cores`` times, they would be ``speedup`` times as fast as the other system. The
    paper's 192 cores and 2.5 times yield 77.
    """
    return cores / speedup
