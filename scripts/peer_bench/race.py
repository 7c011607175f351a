"""One race: ours beside a peer or another target of ours, checked, then timed in turn in one process."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from momagen.bench.measure.clock import QUIET, Reading, TimedCall, usual
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
    """Samples of each contestant at most, and seconds for those of all."""

    repetitions: int = 101
    seconds: float = 3.0


def run(race: PeerRace, n: int, target: str, peers: dict[str, Peer], limits: Limits) -> Outcome:
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
    unit, found, over = timed(calls, race, n, limits)
    ok = None if limit is None or over is None else over.median <= limit
    each = butterflies(n, race.degree)
    own, other = found.get("ours"), found.get("theirs")
    return made(unit, each, own, other, over, ok=ok, note="; ".join([*race.left(n, target), *notes]))


def butterflies(n: int, degree: int) -> int:
    """In a transform of n points that ends in factors of that degree."""
    return n // 2 * ((n // degree).bit_length() - 1)


def timed(
    calls: dict[str, TimedCall], race: PeerRace, n: int, limits: Limits
) -> tuple[str, dict[str, Spread], Spread | None]:
    """The unit, the times of "ours" and "theirs" per butterfly, whichever there are, and ours over theirs."""
    each = butterflies(n, race.degree)
    counts = {"ours": each * race.ours.get("columns", 1), "theirs": each * race.columns}
    runs = {side: sampler(call, counts[side], calls_per_sample(call)) for side, call in calls.items()}
    readings = interleave(runs, repetitions=limits.repetitions, seconds=limits.seconds)
    best = usual([reading for values in readings.values() for reading in values])
    every = {side: summary(values, best) for side, values in readings.items()}
    cycles = {side: cycles for side, (_, cycles, _) in every.items() if cycles}
    found = cycles if len(cycles) == len(calls) else {side: ns for side, (ns, _, _) in every.items()}
    over = ratio(*undisturbed(readings["ours"], readings["theirs"], best)) if len(readings) > 1 else None
    return "cycles" if found is cycles else "ns", found, over


def undisturbed(ours: list[Reading], theirs: list[Reading], best: float) -> tuple[list[float], list[float]]:
    """Nanoseconds of rounds in which neither side shared the core, by the best pace; of all, where those are few."""
    rounds = list(zip(ours, theirs, strict=True))
    alone = [pair for pair in rounds if min(each.pace for each in pair) >= QUIET * best]
    chosen = alone if len(alone) >= LEAST_ROUNDS else rounds
    return [mine.ns for mine, _ in chosen], [other.ns for _, other in chosen]
