"""The protocol by which the MQX paper times a kernel (Section 5.1).

The kernel is called many times in a row, and only the last calls count.

A transform runs 100 times, and its time is the mean of the last 50 runs. A vector kernel runs 1,000 times on
1,024 elements, and the last 500 runs count. Loads and stores are included. The paper does not say more. Here
the contestants take turns: each executes the protocol once per round, so that other work on the machine
affects all of them alike. Ratios are computed within a round. Each call has separate operands, as in all
times of `momagen.bench`.
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
"""The number of elements of the paper's vectors."""


@dataclass(frozen=True)
class Protocol:
    """A protocol: in each of ``rounds`` rounds ``runs`` consecutive calls, of which the last ``kept`` count.

    Raises:
        MomagenError: A count is less than 1, or more calls count than run.
    """

    runs: int
    kept: int
    rounds: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.kept <= self.runs or self.rounds < 1:
            got = f"runs = {self.runs}, kept = {self.kept} and rounds = {self.rounds}"
            raise MomagenError("1 <= kept <= runs and rounds >= 1", got, "protocol")


TRANSFORMS, VECTORS = Protocol(100, 50), Protocol(1000, 500)
"""The paper's protocols, with our number of rounds."""


class Timed(Shape):
    """An object that can be timed, such as a :class:`momagen.bench.measure.clock.TimedCall`."""

    def time(self, calls: int) -> Reading:
        """Return the time of one call, averaged over ``calls`` consecutive ones."""


@dataclass(frozen=True)
class Timing:
    """The result of the protocol for one contestant.

    Attributes:
        unit: The unit of work, "butterfly" or "element".
        units: The number of units in a call.
        ns: The nanoseconds per unit, over the rounds.
        cycles: The cycles per unit, over the rounds; None if the latencies of this machine are unknown.
        wall: The elapsed nanoseconds per unit, over the rounds.
        rounds: The nanoseconds per unit of each round, in order, from which ratios are computed.
    """

    unit: str
    units: int
    ns: Spread
    cycles: Spread | None
    wall: Spread
    rounds: tuple[float, ...]

    @property
    def ns_per_call(self) -> float:
        """The median of the nanoseconds of a whole transform or vector."""
        return self.ns.median * self.units


def protocol_of(kind: str) -> Protocol:
    """Return the paper's protocol for a kind of kernel."""
    return TRANSFORMS if kernel_named(kind).kind.has_points else VECTORS


def run_once(call: Timed, protocol: Protocol) -> Reading:
    """Return the time of one round of one contestant, which is the mean of the last calls."""
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
    """Return the times of all contestants by ``protocol``.

    Args:
        contestants: For each contestant the same call on one or several placements of its buffers, which
            rounds use in turn.
        unit: The unit of work, "butterfly" or "element".
        units: The number of units in a call.
        protocol: The protocol.
        each: A function that is called after every round with its number, from 1 on; or None.

    Raises:
        MomagenError: There are no contestants.
    """
    runs = {name: in_turn(calls, protocol) for name, calls in contestants.items()}
    found = interleave(runs, repetitions=protocol.rounds, each=each)
    best = usual([reading for readings in found.values() for reading in readings])
    return {name: timing([reading / units for reading in rows], unit, units, best) for name, rows in found.items()}


def in_turn(calls: Sequence[Timed], protocol: Protocol) -> Callable[[], Reading]:
    """Return a function that executes the protocol once, on the next one of ``calls``."""
    rounds = [partial(run_once, call, protocol) for call in calls]

    def sample() -> Reading:
        rounds.append(rounds.pop(0))
        return rounds[-1]()

    return sample


def timing(readings: Sequence[Reading], unit: str, units: int, best: float) -> Timing:
    """Return the summary of readings per unit.

    Args:
        readings: The reading of each round.
        unit: The unit of work.
        units: The number of units in a call.
        best: The pace of a core that executes no other work.
    """
    ns, cycles, wall = summary([*readings], best)
    return Timing(unit, units, ns, cycles, wall, tuple(reading.ns for reading in readings))
