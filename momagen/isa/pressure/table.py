"""The result of an analyzer on straight-line code: the cycles for which every instruction occupies each port."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from momagen.isa.cores.ports import Uops, bottleneck

Ports = Mapping[str, float]
"""The cycles for which ports are occupied, by the names of the ports. Missing ports have 0 cycles."""


@dataclass(frozen=True)
class PressureRow:
    """One instruction.

    Attributes:
        text: The instruction as the analyzer prints it.
        ports: The ports that it occupies.
        known: Whether the analyzer has data on it.
    """

    text: str
    ports: Ports
    known: bool = True


@dataclass(frozen=True)
class PortTable:
    """The analysis of one block that is executed repeatedly. No iteration waits for results of another one.

    Attributes:
        ports: All ports of the model.
        rows: The instructions in order.
        totals: The cycles of the ports for one block.
        spread: The cycles of the busiest port if uops are distributed optimally over ports.
        bound: The analyzer's own lower bound on the cycles of a block.
        uops: The number of uops of one block, or None if the analyzer does not state it.
        model: The name of the scheduling model, or "" for the model of the CPU.
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
        """The reciprocal throughput of the block, in cycles per block."""
        return max(self.spread, self.bound)


def total(rows: Iterable[PressureRow]) -> dict[str, float]:
    """Return the sum of the rows by port."""
    found: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        for port, cycles in row.ports.items():
            found[port] += cycles
    return {port: round(cycles, 2) for port, cycles in found.items()}


def best_spread(rows: Iterable[Ports]) -> float:
    """Return the cycles of the busiest port if uops are distributed optimally.

    Args:
        rows: The ports of every instruction, with uops distributed evenly over the ports that they can use.
            Ports of a row with the same share are therefore those that the same uops can use.
    """
    work = list[Uops]()
    for ports in rows:
        for share in {round(share, 3) for share in ports.values()} - {0.0}:
            taken = frozenset(port for port, cycles in ports.items() if round(cycles, 3) == share)
            work.append(Uops(sum(ports[port] for port in taken), taken))
    return bottleneck(work)[0]
