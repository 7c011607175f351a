"""One race of a figure: its contestants built, compared, timed and counted."""

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
"""Of the paper's modulus, in a container of 128."""


@dataclass(frozen=True)
class Request:
    """What takes part in a figure, and how it is measured.

    Attributes:
        tiers: targets, by name or with options; each is set against the next. baselines: libraries, by their names in
            `momagen.bench.measure.baselines`.
        cpus: by name, what the port floor of a kernel is on it: ``partial(floor, rates=rates)`` with rates from a
            sweep, or the floor of a core that is known by its ports.
        bits: of the modulus. compiler: None for the best one.
        timed: whether what this CPU can run is timed; else all is counted, and there are no libraries.
        counted: whether what is timed is counted, too.
        rounds: of the protocol; None for its own. protocol: another one than the paper's for the kernel.
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
        """The protocol for a kind of kernel."""
        found = self.protocol or protocol_of(kind)
        return found if self.rounds is None else replace(found, rounds=self.rounds)

    def chosen_compiler(self) -> Compiler:
        """What kernels are compiled with."""
        return self.compiler or find_compiler()


def race_rows(
    race: Race,
    tiers: Sequence[Tier],
    baselines: Sequence[str],
    compiler: Compiler,
    request: Request,
    progress: Progress = silent,
) -> list[FigureRow]:
    """A row for every contestant of a race, tiers first."""
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
    """The times of those that run here, by name."""
    calls = {one.name: one.entry.calls for one in found if one.entry.calls}
    count = units(race.spec, 1 if race.spec.n else race.n)
    return follow(calls, unit(race.spec), count, protocol, each) if calls else {}


def row(race: Race, one: FigureEntry, timing: Timing | None, wrong: bool, cpus: Mapping[str, FloorOf]) -> FigureRow:
    """What is known of a contestant."""
    floors = {cpu: floor_of(one.work) for cpu, floor_of in cpus.items()} if one.work else {}
    return FigureRow(
        race.spec.kind.name, race.spec.width, race.n, one.name, one.entry.baseline, one.projected, timing, one.work,
        floors, wrong, one.note,
    )  # fmt: skip
