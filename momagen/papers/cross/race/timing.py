"""The times of contestants side by side.

Other work on a machine slows contestants that run at about the same time alike, so ratios are taken round by round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

SAMPLE, WARM = 2e-3, 2e-2
"""The smallest duration of a sample, and the duration of the warm-up, in seconds."""
LEAST, MOST_CALLS = 3, 1000
"""The smallest number of samples of each contestant, and the largest number of calls of one sample."""


@dataclass
class JaxLane:
    """The samples of one contestant.

    Attributes:
        call: The call that is timed.
        calls: The number of calls of a sample.
        samples: By round, the microseconds of one call.
        spent: The seconds that the samples have taken.
    """

    call: Callable[[], Any]
    calls: int = 1
    samples: dict[int, float] = field(default_factory=dict)
    spent: float = 0.0

    def sample(self, turn: int) -> None:
        """Take one sample."""
        started = time.perf_counter()
        for _ in range(self.calls):
            self.call()
        took = time.perf_counter() - started
        self.samples[turn] = took / self.calls * 1e6
        self.spent += took

    @property
    def middle(self) -> float:
        """The median time of a call in microseconds."""
        return median(self.samples.values())

    def over(self, other: JaxLane) -> float | None:
        """Return the median of the ratios to the times of ``other``, round by round; None if no round has both."""
        shared = self.samples.keys() & other.samples.keys()
        return median(self.samples[turn] / other.samples[turn] for turn in shared) if shared else None


def seconds_of(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the duration of a call in seconds, and its result."""
    started = time.perf_counter()
    found = call()
    return time.perf_counter() - started, found


def warmed(call: Callable[[], Any]) -> JaxLane:
    """Call a function until it is warm, and return a lane with the number of calls that a sample needs."""
    end, took = time.perf_counter() + WARM, seconds_of(call)[0]
    while time.perf_counter() < end:
        took = min(took, seconds_of(call)[0])
    return JaxLane(call, max(1, min(MOST_CALLS, round(SAMPLE / max(took, 1e-9)))))


def interleaved(lanes: Mapping[str, JaxLane], repeat: int, seconds: float) -> None:
    """Take up to ``repeat`` samples of each lane, one of each per round; each round starts with the next lane.

    A lane that has used up its ``seconds`` is not sampled again once it has :data:`LEAST` samples.
    """
    names = list(lanes)
    for turn in range(repeat):
        at = turn % len(names) if names else 0
        for name in names[at:] + names[:at]:
            lane = lanes[name]
            if lane.spent < seconds or len(lane.samples) < LEAST:
                lane.sample(turn)
