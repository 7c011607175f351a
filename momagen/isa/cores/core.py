"""The issue rates of a core that are derived from its ports, for CPUs that are not available for measurements.

No stream of instructions runs faster than its uops fit on their ports, nor faster than the core issues
instructions. This module derives the same rates that ``momagen.bench.x86.issue`` measures, so that port
floors can be computed from either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momagen.bench.x86.floor import Floor, floor
from momagen.bench.x86.issue import ANY
from momagen.bench.x86.rates import MOST, OTHERS, Rates, Stream
from momagen.bench.x86.uops import VECTORS, Class, Use, classes, groups
from momagen.bench.x86.work import Work
from momagen.errors import MomagenError, among, build_error, quoted
from momagen.tables import checked

from .ports import Uops, bottleneck, read_uops, spelled

FACTS = {"title": "a text", "issue": "a number", "source": "a text"}
REGISTERS = (*VECTORS, "r")


@dataclass(frozen=True)
class Core:
    """A microarchitecture.

    Attributes:
        name: The name.
        title: The full name.
        issue: The largest number of instructions per cycle, of any kind.
        uops: The uops of one instruction by its class and registers. The core has no known instruction of a
            class without a row.
        source: The source of the rows.
    """

    name: str
    title: str
    issue: float
    uops: Mapping[Use, tuple[Uops, ...]] = field(default_factory=dict)
    source: str = ""

    def rates(self) -> Rates:
        """Return the rates of every stream if only ports and issue limited them."""
        return Rates(dict(self._streams()), self.title)

    def _streams(self) -> Iterator[tuple[Stream, float]]:
        yield ("alone", *ANY), self.issue
        for name, registers in self.uops:
            row = classes()[name]
            yield ("alone", name, registers), self.rate([row], registers)
            if row.pool and (row.pool, registers) in self.uops:
                mix = [row, *[classes()[row.pool]] * OTHERS]
                yield ("mixed", name, registers), self.rate(mix, registers)
        for group in groups():
            members = [classes()[name] for name in group.classes]
            for registers in members[0].widths:
                if all((member.name, registers) in self.uops for member in members):
                    yield ("group", group.name, registers), self.rate(members, registers)

    def rate(self, rows: Sequence[Class], registers: str) -> float:
        """Return the samples per cycle of an endless stream that repeats these classes.

        Auxiliary instructions of a sample count as issued instructions, but not as uops.
        """
        work = [uops for row in rows for uops in self.uops[row.name, registers]]
        issued = sum(1 + row.sample.count(";") for row in rows)
        return len(rows) / max(bottleneck(work)[0], issued / self.issue)

    def floor(self, done: Work) -> Floor:
        """Return the port floor for all instructions on their ports together.

        If classes share some of their ports, the floor is higher than the one that follows from the rates of
        streams, each of which covers one class, pair or group. The floor is unknown if the core has no row
        for a class that occurs, most likely because it lacks these instructions.
        """
        if unknown := sorted(" ".join(use) for use in done.uses if use not in self.uops):
            return Floor(None, f"no rows for {', '.join(unknown)}", floor(done, self.rates()).uops, done)
        work = [Uops(count * uops.cycles, uops.ports) for use, count in done.uses.items() for uops in self.uops[use]]
        cycles, ports = bottleneck(work)
        issued = done.instructions / self.issue
        by = (cycles, f"uops on {spelled(ports)}"), (issued, f"instructions {self.issue:g}/cycle")
        return Floor(*max(by), floor(done, self.rates()).uops, done)


def read_core(name: str, raw: object, where: str) -> Core:
    """Return the core that a table describes: title, source, issue, and a table of classes for each kind of register.

    The kinds of registers are "zmm", "ymm", "xmm" and "r"; one key may name several.

    Args:
        name: The name of the core.
        raw: The table.
        where: The place of the table, for errors.

    Raises:
        MomagenError: A key is missing or unknown, a class does not use these registers, or the uops are
            malformed.
    """
    if not isinstance(raw, dict):
        raise MomagenError("a table", quoted(raw), where)
    facts = checked({key: value for key, value in raw.items() if key in FACTS}, FACTS, where)
    if not 0 < facts["issue"] < MOST:
        expected = f"a number of instructions per cycle above 0 and below {MOST}"
        raise MomagenError(expected, facts["issue"], f"{where} issue")
    uops: dict[Use, tuple[Uops, ...]] = {}
    for key in raw.keys() - FACTS.keys():
        for use, found in _rows(key, raw[key], where):
            if use in uops:
                raise build_error(f"the class {use[0]} has two rows for {use[1]} registers", where, "remove one")
            uops[use] = found
    return Core(name, **facts, uops=uops)


def _rows(key: str, rows: object, where: str) -> Iterator[tuple[Use, tuple[Uops, ...]]]:
    if not isinstance(rows, dict) or not key.split() or set(key.split()) - set(REGISTERS):
        expected = f"only the keys {', '.join(FACTS)}, and tables for the registers {', '.join(REGISTERS)}"
        raise MomagenError(expected, key, where)
    for registers in key.split():
        known = [row.name for row in classes().values() if registers in row.widths and row.features(registers)]
        for name, text in rows.items():
            at = f"{where} [{key}] {name}"
            if name not in known:
                raise among("one of the instruction classes", known, name, at)
            yield (name, registers), read_uops(text, at)


def deviations(core: Core, measured: Rates) -> dict[Stream, tuple[float | None, float | None]]:
    """Return the streams for which measured rates of the core differ from those derived from its ports.

    The values are those that the port floor uses, first the derived and then the measured one: instructions
    per cycle, and for mixed streams the number of instructions of the pool that one instruction displaces.
    """
    derived = core.rates()
    found = {stream: (taken(derived, stream), taken(measured, stream)) for stream in measured.streams}
    return {stream: pair for stream, pair in found.items() if pair[0] != pair[1]}


def taken(rates: Rates, stream: Stream) -> float | None:
    """Return the value that the port floor uses from a stream, or None if it is unknown."""
    kind, name, registers = stream
    if stream not in rates.streams:
        return None
    if kind == "mixed":
        return rates.slots((name, registers))
    return rates.rate((name, registers)) if kind == "alone" else rates.group_rate(name, registers)
