"""A race: every contestant is made, compared with what must come out, and timed if it is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .entries import CONGRUENT, OURS, WRONG, Entry, Maker, Makers, Missing, verdict
from .problems import Problem
from .timing import Lane, interleaved, seconds_of, warmed

Row = dict[str, Any]
MEASURED, ABSENT, FAILED = "measured", "absent", "failed"


@dataclass
class Contestant:
    """One in a race.

    Attributes:
        state: MEASURED, WRONG, ABSENT or FAILED. why: it is not measured. first, second: seconds of these calls; the
        first compiles. reduced: whether what comes out is below q. lane: its times, where it is right.
    """

    name: str
    state: str = MEASURED
    why: str = ""
    first: float = 0.0
    second: float = 0.0
    reduced: bool = True
    entry: Entry | None = None
    lane: Lane | None = None


def enter(name: str, maker: Maker, problem: Problem) -> Contestant:
    """Make it, run it, and look at what comes out."""
    found = Contestant(name)
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
    except Missing as missing:
        found.state, found.why = ABSENT, str(missing)
    except Exception as error:  # of any kind: what others wrote ends no race
        told = (str(error).splitlines() or [""])[0]
        found.state, found.why = FAILED, f"{type(error).__name__}: {told}"
    return found


def race(problem: Problem, makers: Makers, repeat: int, seconds: float, first: str = OURS) -> list[Row]:
    """A row for every contestant, in the table's order.

    Args:
        repeat: samples of each at most. seconds: that the samples of one take, about, at most. first: whose time
            ratios are over.
    """
    entered = [enter(name, maker, problem) for name, maker in makers.items()]
    lanes = {each.name: each.lane for each in entered if each.lane}
    interleaved(lanes, repeat, seconds)
    return [_row(each, problem, lanes.get(first)) for each in entered]


def _row(of: Contestant, problem: Problem, ours: Lane | None) -> Row:
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


def _notes(of: Contestant) -> Iterator[str]:
    if of.entry and of.entry.note:
        yield of.entry.note
    if not of.reduced:
        yield "not reduced below q"
