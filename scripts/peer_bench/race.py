"""One race: ours beside a peer or another target of ours, checked, then timed in turn in one process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from momagen.bench.measure.clock import QUIET, Reading, TimedCall, latency, usual
from momagen.bench.measure.kernel import calls_per_sample, sampler, summary
from momagen.bench.measure.sample import LEAST_ROUNDS, Spread, interleave, ratio
from momagen.errors import MomagenError

from .sides import WrongValues, ours, theirs
from .tables import Peer, PeerRace


@dataclass(frozen=True)
class Outcome:
    """What a race found; cycles (nanoseconds where this machine's clock is unknown) per butterfly.

    Attributes:
        ratio: our time over theirs, by rounds in which neither shared the core.
        ok: whether the bar is met; None where there is none.
        note: what values both leave, and why something is missing. failed: ours or theirs is wrong.
    """

    name: str
    n: int
    target: str
    rival: str
    unit: str = ""
    butterflies: int = 0
    ours: Spread | None = None
    theirs: Spread | None = None
    ratio: Spread | None = None
    most: float | None = None
    reach: float | None = None
    ok: bool | None = None
    note: str = ""
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Limits:
    """Samples of each contestant at most, and seconds for those of all; ``patience``: seconds for more of them, while
    fewer than half of the rounds that were asked for had the core to themselves."""

    repetitions: int = 101
    seconds: float = 3.0
    patience: float = 0.0


@dataclass
class Core:
    """The core that runs all races; ``best``: its best pace so far, which is that without other threads, if it ever was
    without."""

    best: float = 0.0

    def see(self, readings: dict[str, list[Reading]]) -> None:
        """Learn from the samples of a race."""
        self.best = max(self.best, usual([reading for values in readings.values() for reading in values]))


def run(
    race: PeerRace, n: int, target: str, peers: dict[str, Peer], limits: Limits, core: Core | None = None
) -> Outcome:
    """The race at n points; an outcome without times says why there are none."""
    title = peers[race.peer].title if race.peer else race.against
    target = race.ours.get("target", target)
    limit = race.limit(target)
    made = partial(Outcome, race.name, n, target, title, most=limit, reach=race.reach)
    calls: dict[str, TimedCall] = {}
    notes = []
    for side, make in (("ours", partial(ours, race, n, target)), ("theirs", partial(theirs, race, n, target, peers))):
        try:
            calls[side] = make()
        except WrongValues as error:
            return made(note=str(error), failed=True)
        except MomagenError as error:
            notes.append(str(error))
    if not calls or (race.peer and "theirs" not in calls):
        return made(note="; ".join(notes))
    unit, found, over = timed(calls, race, n, limits, core or Core())
    ok = None if limit is None or over is None else over.median <= limit
    each = butterflies(n, race.degree)
    own, other = found.get("ours"), found.get("theirs")
    return made(unit, each, own, other, over, ok=ok, note="; ".join([*race.left(n, target), *notes]))


def butterflies(n: int, degree: int) -> int:
    """In a transform of n points that ends in factors of that degree."""
    return n // 2 * ((n // degree).bit_length() - 1)


def timed(
    calls: dict[str, TimedCall], race: PeerRace, n: int, limits: Limits, core: Core
) -> tuple[str, dict[str, Spread], Spread | None]:
    """The unit, the times of "ours" and "theirs" per butterfly, whichever there are, and ours over theirs."""
    each = butterflies(n, race.degree)
    counts = {"ours": each * race.ours.get("columns", 1), "theirs": each * race.columns}
    runs = {side: sampler(call, counts[side], calls_per_sample(call)) for side, call in calls.items()}
    readings = _sampled(runs, limits, core)
    every = {side: summary(values, core.best) for side, values in readings.items()}
    cycles = {side: cycles for side, (_, cycles, _) in every.items() if cycles}
    found = cycles if len(cycles) == len(calls) else {side: ns for side, (ns, _, _) in every.items()}
    over = ratio(*undisturbed(readings["ours"], readings["theirs"], core.best)) if len(readings) > 1 else None
    return "cycles" if found is cycles else "ns", found, over


def _sampled(runs: dict[str, Callable[[], Reading]], limits: Limits, core: Core) -> dict[str, list[Reading]]:
    """Rounds of samples, more of them while the core is shared and there is patience."""
    if limits.patience and not core.best:
        _get_to_know(core, runs, limits.patience)
    found, end = dict[str, list[Reading]](), time.monotonic() + limits.patience
    while not found or (2 * len(_alone(found, core.best)) < limits.repetitions and time.monotonic() < end):
        for side, values in interleave(runs, repetitions=limits.repetitions, seconds=limits.seconds).items():
            found.setdefault(side, []).extend(values)
        core.see(found)
    return found


def _get_to_know(core: Core, runs: dict[str, Callable[[], Reading]], seconds: float) -> None:
    """The clock, which others may hide for a while, and the pace, from samples that count for nothing else."""
    end = time.monotonic() + seconds
    while latency() is None and time.monotonic() < end:
        latency.cache_clear()
    core.see(interleave(runs, repetitions=sys.maxsize, seconds=seconds))


def _alone(readings: dict[str, list[Reading]], best: float) -> list[tuple[Reading, ...]]:
    """The rounds in which no side shared the core, by the best pace."""
    rounds = zip(*readings.values(), strict=True)
    return [each for each in rounds if min(reading.pace for reading in each) >= QUIET * best]


def undisturbed(ours: list[Reading], theirs: list[Reading], best: float) -> tuple[list[float], list[float]]:
    """Nanoseconds of rounds in which neither side shared the core, by the best pace; of all, where those are few."""
    alone = _alone({"ours": ours, "theirs": theirs}, best)
    chosen = alone if len(alone) >= LEAST_ROUNDS else list(zip(ours, theirs, strict=True))
    return [mine.ns for mine, _ in chosen], [other.ns for _, other in chosen]
