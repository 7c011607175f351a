"""Execution ports: the ports that each uop of an instruction can use, and the throughput of a mix of instructions.

The notation is the one that uops.info uses: "3*p05 + p1" means three uops that can use port 0 or 5, and one that can
only use port 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from momagen.errors import MomagenError

TERM = re.compile(r"(?:(\d+(?:\.\d+)?)\*)?([A-Za-z]+)(\d[0-9A-F]*)")
FORM = "uops in the notation of uops.info, such as 3*p05 + p1 for three on port 0 or 5 and one on port 1"


@dataclass(frozen=True)
class Uops:
    """Work that any of several ports can do.

    Attributes:
        cycles: The number of port cycles.
        ports: The ports.
    """

    cycles: float
    ports: frozenset[str]


def read_uops(text: object, where: str) -> tuple[Uops, ...]:
    """Return the uops of an instruction from the text of a row.

    Args:
        text: The text.
        where: The place of the row, for errors.

    Raises:
        MomagenError: The text is not in the notation of uops.info, or has zero cycles.
    """
    found = [_term(term.strip()) for term in text.split("+")] if isinstance(text, str) else [None]
    if None in found:
        raise MomagenError(FORM, text, where)
    return tuple(uops for uops in found if uops)


def _term(text: str) -> Uops | None:
    term = TERM.fullmatch(text)
    cycles = float(term[1] or 1) if term else 0.0
    return Uops(cycles, frozenset(term[2] + port for port in term[3])) if term and cycles else None


def bottleneck(work: Iterable[Uops]) -> tuple[float, frozenset[str]]:
    """Return the fewest cycles in which the ports can do all of ``work``, and the ports that limit them.

    For each set of ports, the cycles of work that only these ports can do, divided by the number of ports,
    are a lower bound. By Hall's theorem, the largest of these bounds is attained; it belongs to a union of
    sets in ``work``.
    """
    cycles: dict[frozenset[str], float] = {}
    for uops in work:
        cycles[uops.ports] = cycles.get(uops.ports, 0.0) + uops.cycles
    unions = dict.fromkeys([frozenset[str]()])
    for ports in cycles:
        unions |= dict.fromkeys([ports | union for union in unions])
    bounds = {union: sum(n for ports, n in cycles.items() if ports <= union) / len(union) for union in unions if union}
    busy = max(bounds, key=lambda union: bounds[union], default=frozenset[str]())
    return bounds.get(busy, 0.0), busy


def spelled(ports: Iterable[str]) -> str:
    """Return the names of ports as in a row, such as "p05"."""
    found: dict[str, str] = {}
    for port in sorted(ports):
        found[port[:-1]] = found.get(port[:-1], "") + port[-1]
    return " ".join(letters + each for letters, each in found.items())
