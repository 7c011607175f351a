"""What an analyzer says of straight-line code: for every instruction, how long it occupies each port."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from momagen.isa.cores.ports import Uops, bottleneck

Ports = Mapping[str, float]
"""By the name of a port, the cycles for which it is occupied; 0 for ports that are not in it."""


@dataclass(frozen=True)
class PressureRow:
    """One instruction, as the analyzer prints it. ``known``: whether the analyzer has data on it."""

    text: str
    ports: Ports
    known: bool = True


@dataclass(frozen=True)
class PortTable:
    """The analysis of one block, which runs over and over. Nothing in it waits for results of another turn.

    Attributes:
        ports: all that the model has. rows: the instructions in order. totals: the ports' cycles for one block.
        spread: the cycles of the busiest port where every instruction takes the ports that suit all of them best.
        bound: the cycles that the analyzer says a block takes at least, ports aside or not.
        uops: of one block; None where the analyzer does not say. model: the scheduling model by its own name, "" where
            it is the CPU's.
    """

    ports: tuple[str, ...]
    rows: tuple[PressureRow, ...]
    totals: Ports
    spread: float
    bound: float
    uops: float | None = None
    model: str = ""

    @property
    def throughput(self) -> float:
        """The reciprocal throughput of the block: cycles from one to the next."""
        return max(self.spread, self.bound)


def total(rows: Iterable[PressureRow]) -> dict[str, float]:
    """The ports' cycles, summed."""
    found: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        for port, cycles in row.ports.items():
            found[port] += cycles
    return {port: round(cycles, 2) for port, cycles in found.items()}


def best_spread(rows: Iterable[Ports]) -> float:
    """The cycles of the busiest port at best, from rows whose uops are spread evenly over the ports that they may take.

    Ports of a row that have the same share are those that a uop may take. However uops are spread, those that may take
    none but some ports need their cycles there.
    """
    work = list[Uops]()
    for ports in rows:
        for share in {round(share, 3) for share in ports.values()} - {0.0}:
            taken = frozenset(port for port, cycles in ports.items() if round(cycles, 3) == share)
            work.append(Uops(sum(ports[port] for port in taken), taken))
    return bottleneck(work)[0]
