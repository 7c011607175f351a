"""How the MQX paper times a kernel (Section 5.1): many calls in a row, of which the later ones count.

A transform runs 100 times, and its time is the mean of the final 50 runs; a vector kernel runs 1,000 times on 1,024
elements, and the final 500 count. Loads and stores are part of it. The paper says no more. Here contestants take turns,
each going through the protocol once a round, so that other work on the machine hits all alike; ratios are taken within
a round; and every call has operands of its own, as all times of `momagen.bench` do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol as Shape
from typing import TypeVar

from momagen.bench.measure.clock import Reading, usual
from momagen.bench.measure.kernel import summary
from momagen.bench.measure.sample import Spread, interleave
from momagen.errors import MomagenError
from momagen.kinds.modular.names.directed import kernel_named

K = TypeVar("K")
LENGTH = 1024
"""Elements of the paper's vectors."""


@dataclass(frozen=True)
class Protocol:
    """``runs`` calls in a row, of which the final ``kept`` count; ``rounds`` times.

    Raises:
        MomagenError: a count below 1, or more calls kept than run.
    """

    runs: int
    kept: int
    rounds: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.kept <= self.runs or self.rounds < 1:
            got = f"runs = {self.runs}, kept = {self.kept} and rounds = {self.rounds}"
            raise MomagenError("1 <= kept <= runs and rounds >= 1", got, "protocol")


TRANSFORMS, VECTORS = Protocol(100, 50), Protocol(1000, 500)
"""The paper's, with rounds of ours."""


class Timed(Shape):
    """What can be timed: a :class:`momagen.bench.measure.clock.TimedCall`."""

    def time(self, calls: int) -> Reading:
        """One call, averaged over ``calls`` in a row."""


@dataclass(frozen=True)
class Timing:
    """What the protocol found.

    Attributes:
        unit: "butterfly" or "element". units: of them in a call.
        ns, cycles, wall: per unit, over the rounds; cycles is None where this machine's latencies are unknown.
        rounds: nanoseconds per unit of every round, in order: what ratios are made of.
    """

    unit: str
    units: int
    ns: Spread
    cycles: Spread | None
    wall: Spread
    rounds: tuple[float, ...]

    @property
    def ns_per_call(self) -> float:
        """The median, in nanoseconds, of a whole transform or vector."""
        return self.ns.median * self.units


def protocol_of(kind: str) -> Protocol:
    """The paper's protocol for a kind of kernel."""
    return TRANSFORMS if kernel_named(kind).kind.has_points else VECTORS


def run_once(call: Timed, protocol: Protocol) -> Reading:
    """One round on one contestant: the mean of the final calls."""
    if warm_up := protocol.runs - protocol.kept:
        call.time(warm_up)
    return call.time(protocol.kept)


def follow(
    contestants: Mapping[K, Sequence[Timed]],
    unit: str,
    units: int,
    protocol: Protocol,
    each: Callable[[int], None] | None = None,
) -> dict[K, Timing]:
    """Every contestant timed by ``protocol``.

    Args:
        contestants: of each the same call on one placement of its buffers or several, which rounds take in turn.
        unit, units: what a call does, "butterfly" or "element", and how many. each: called after every round with its
            number, from 1.

    Raises:
        MomagenError: no contestants.
    """
    runs = {name: in_turn(calls, protocol) for name, calls in contestants.items()}
    found = interleave(runs, repetitions=protocol.rounds, each=each)
    best = usual([reading for readings in found.values() for reading in readings])
    return {name: timing([reading / units for reading in rows], unit, units, best) for name, rows in found.items()}


def in_turn(calls: Sequence[Timed], protocol: Protocol) -> Callable[[], Reading]:
    """A function that goes through the protocol once, on the next of ``calls``."""
    rounds = [partial(run_once, call, protocol) for call in calls]

    def sample() -> Reading:
        rounds.append(rounds.pop(0))
        return rounds[-1]()

    return sample


def timing(readings: Sequence[Reading], unit: str, units: int, best: float) -> Timing:
    """The summary of readings per unit, one a round; ``best`` is the pace of a core that nobody shares."""
    ns, cycles, wall = summary([*readings], best)
    return Timing(unit, units, ns, cycles, wall, tuple(reading.ns for reading in readings))
