"""A race: every contestant is built, compared with the expected result, and timed if its result is correct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .entries import CONGRUENT, OURS, WRONG, JaxEntry, Maker, Makers, MissingContestant, verdict
from .problems import JaxProblem
from .timing import JaxLane, interleaved, seconds_of, warmed

Row = dict[str, Any]
MEASURED, ABSENT, FAILED = "measured", "absent", "failed"


@dataclass
class JaxContestant:
    """A contestant of a race.

    Attributes:
        name: Its name.
        state: ``MEASURED``, ``WRONG``, ``ABSENT`` or ``FAILED``.
        why: The reason, if it is not measured.
        first: The seconds of the first call, which compiles.
        second: The seconds of the second call.
        reduced: Whether results are below q.
        entry: The contestant itself.
        lane: Its times, if its result is correct.
    """

    name: str
    state: str = MEASURED
    why: str = ""
    first: float = 0.0
    second: float = 0.0
    reduced: bool = True
    entry: JaxEntry | None = None
    lane: JaxLane | None = None


def enter(name: str, maker: Maker, problem: JaxProblem) -> JaxContestant:
    """Build a contestant, run it, and check its result."""
    found = JaxContestant(name)
    try:
        found.entry = entry = maker(problem)
        found.first, result = seconds_of(entry.call)
        said = verdict(entry.result(result), problem, entry.expected)
        found.reduced = said != CONGRUENT
        if said == WRONG:
            found.state, found.why = WRONG, "another result than by integers"
        else:
            found.second = seconds_of(entry.call)[0]
            found.lane = warmed(entry.call)
    except MissingContestant as missing:
        found.state, found.why = ABSENT, str(missing)
    except Exception as error:  # of any kind: what others wrote ends no race
        told = (str(error).splitlines() or [""])[0]
        found.state, found.why = FAILED, f"{type(error).__name__}: {told}"
    return found


def race(problem: JaxProblem, makers: Makers, repeat: int, seconds: float, first: str = OURS) -> list[Row]:
    """Race all contestants and return a row for each, in the order of ``makers``.

    Args:
        problem: The problem.
        makers: The contestants by name.
        repeat: The largest number of samples of each contestant.
        seconds: The approximate limit of the time of all samples of one contestant.
        first: The contestant over whose time the ratios are taken.
    """
    entered = [enter(name, maker, problem) for name, maker in makers.items()]
    lanes = {each.name: each.lane for each in entered if each.lane}
    interleaved(lanes, repeat, seconds)
    return [_row(each, problem, lanes.get(first)) for each in entered]


def _row(of: JaxContestant, problem: JaxProblem, ours: JaxLane | None) -> Row:
    row: Row = {
        "name": of.name, "kernel": problem.kernel, "shape": problem.shape, "n": problem.n, "bits": problem.bits,
        "limbs": problem.limbs, "batch": problem.batch, "state": of.state,
    }  # fmt: skip
    if of.lane is None:
        return row | {"why": of.why}
    times, compiled = of.lane.samples.values(), of.entry is not None and of.entry.compiled
    return row | {
        "median_us": of.lane.middle, "least": min(times), "most": max(times), "samples": len(times),
        "calls": of.lane.calls, "compile_s": max(of.first - of.second, 0.0) if compiled else None,
        "ratio": of.lane.over(ours) if ours else None, "reduced": of.reduced,
        "note": ", ".join(_notes(of)),
    }  # fmt: skip


def _notes(of: JaxContestant) -> Iterator[str]:
    if of.entry and of.entry.note:
        yield of.entry.note
    if not of.reduced:
        yield "not reduced below q"
