"""Times of contestants side by side: other work on a machine hits neighbours in time alike, so ratios are per round."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

SAMPLE, WARM = 2e-3, 2e-2
"""Seconds that one sample takes at least, and that are spent before the first."""
LEAST, MOST_CALLS = 3, 1000
"""Samples of each contestant at least, and calls of one sample at most."""


@dataclass
class Lane:
    """One contestant's samples.

    Attributes:
        calls: of a sample. samples: by round, microseconds of one call. spent: seconds.
    """

    call: Callable[[], Any]
    calls: int = 1
    samples: dict[int, float] = field(default_factory=dict)
    spent: float = 0.0

    def sample(self, turn: int) -> None:
        """Take one."""
        started = time.perf_counter()
        for _ in range(self.calls):
            self.call()
        took = time.perf_counter() - started
        self.samples[turn] = took / self.calls * 1e6
        self.spent += took

    @property
    def middle(self) -> float:
        """The median, in microseconds."""
        return median(self.samples.values())

    def over(self, other: Lane) -> float | None:
        """The median of its time over another's, round by round."""
        shared = self.samples.keys() & other.samples.keys()
        return median(self.samples[turn] / other.samples[turn] for turn in shared) if shared else None


def seconds_of(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long it takes, and what comes back."""
    started = time.perf_counter()
    found = call()
    return time.perf_counter() - started, found


def warmed(call: Callable[[], Any]) -> Lane:
    """Ready to be sampled: called for a while, and sure how many calls a sample needs."""
    end, took = time.perf_counter() + WARM, seconds_of(call)[0]
    while time.perf_counter() < end:
        took = min(took, seconds_of(call)[0])
    return Lane(call, max(1, min(MOST_CALLS, round(SAMPLE / max(took, 1e-9)))))


def interleaved(lanes: Mapping[str, Lane], repeat: int, seconds: float) -> None:
    """Up to ``repeat`` samples of each, all once a round, each round beginning one further on.

    Who has used up its ``seconds`` runs no more, but has :data:`LEAST` samples, where ``repeat`` lets it.
    """
    names = list(lanes)
    for turn in range(repeat):
        at = turn % len(names) if names else 0
        for name in names[at:] + names[:at]:
            lane = lanes[name]
            if lane.spent < seconds or len(lane.samples) < LEAST:
                lane.sample(turn)
