"""One race of a figure, whose contestants are built, compared, timed and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from momagen.bench.measure.kernel import unit, units
from momagen.bench.suite.grid import Race
from momagen.bench.suite.sweep import different
from momagen.isa.compare.workload import FloorOf
from momagen.runtime import Compiler, find_compiler
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import silent

from .protocol import Protocol, Timing, follow, protocol_of
from .rows import FigureRow, size_label
from .tiers import BASELINES, TIERS, FigureEntry, Tier, contestant, library

BITS = 124
"""The number of bits of the paper's modulus, in a container of 128 bits."""


@dataclass(frozen=True)
class Request:
    """The contestants of a figure, and how they are measured.

    Attributes:
        tiers: The targets, by name or with options. Each is compared with the next one.
        baselines: The libraries, by their names in `momagen.bench.measure.baselines`.
        cpus: The functions that compute the port floor of a kernel on a CPU, by the name of the CPU:
            ``partial(floor, rates=rates)`` with rates from a sweep, or the floor of a core whose ports are
            known.
        bits: The number of bits of the modulus.
        compiler: The compiler, or None for the best one.
        timed: Whether kernels that this CPU can run are timed. Otherwise all are counted, and there are no
            libraries.
        counted: Whether timed kernels are counted, too.
        rounds: The number of rounds, or None for that of the protocol.
        protocol: The protocol, or None for the paper's protocol for the kind of kernel.
    """

    tiers: Sequence[str | Tier] = TIERS
    baselines: Sequence[str] = BASELINES
    cpus: Mapping[str, FloorOf] = field(default_factory=dict)
    bits: int = BITS
    compiler: Compiler | None = None
    timed: bool = True
    counted: bool = True
    rounds: int | None = None
    protocol: Protocol | None = None

    def of(self, kind: str) -> Protocol:
        """Return the protocol for a kind of kernel."""
        found = self.protocol or protocol_of(kind)
        return found if self.rounds is None else replace(found, rounds=self.rounds)

    def chosen_compiler(self) -> Compiler:
        """Return the compiler of the kernels."""
        return self.compiler or find_compiler()


def race_rows(
    race: Race,
    tiers: Sequence[Tier],
    baselines: Sequence[str],
    compiler: Compiler,
    request: Request,
    progress: Progress = silent,
) -> list[FigureRow]:
    """Return a row for every contestant of a race, tiers first."""
    kind, protocol = race.spec.kind.name, request.of(race.spec.kind.name)
    size = size_label(race.n) if race.spec.kind.has_points else ""
    what, steps = f"{kind}, {size}".rstrip(", "), len(tiers) + len(baselines)
    found: list[FigureEntry] = []
    for tier in tiers:
        progress(len(found) / (steps + protocol.rounds), f"{what}: {tier.name}")
        found.append(contestant(race, tier, compiler, timed=request.timed, counted=request.counted))
    found += [library(race, name, compiler) for name in baselines]
    told = f"{what}: {protocol.rounds} × {protocol.runs} runs each"

    def each(done: int) -> None:
        progress((steps + done) / (steps + protocol.rounds), told)

    each(0)
    timings = timed(race, found, protocol, each)
    wrong = different({each.name: each.entry for each in found})
    return [row(race, each, timings.get(each.name), each.name in wrong, request.cpus) for each in found]


def timed(
    race: Race, found: Sequence[FigureEntry], protocol: Protocol, each: Callable[[int], None]
) -> dict[str, Timing]:
    """Return the times of the contestants that run here, by name."""
    calls = {one.name: one.entry.calls for one in found if one.entry.calls}
    count = units(race.spec, 1 if race.spec.n else race.n)
    return follow(calls, unit(race.spec), count, protocol, each) if calls else {}


def row(race: Race, one: FigureEntry, timing: Timing | None, wrong: bool, cpus: Mapping[str, FloorOf]) -> FigureRow:
    """Return the row of one contestant."""
    floors = {cpu: floor_of(one.work) for cpu, floor_of in cpus.items()} if one.work else {}
    return FigureRow(
        race.spec.kind.name, race.spec.width, race.n, one.name, one.entry.baseline, one.projected, timing, one.work,
        floors, wrong, one.note,
    )  # fmt: skip
