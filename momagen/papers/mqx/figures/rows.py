"""What is found of one contestant at one size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from momagen.bench.measure.kernel import unit_of
from momagen.bench.x86.floor import Floor
from momagen.bench.x86.work import Work
from momagen.isa.compare.workload import floor_name
from momagen.kinds.modular.names.directed import kernel_named

from .protocol import Timing

MEASURED, COUNTED, PROJECTED, LIBRARY = "measured", "counted", "projected (proxy)", "library"
TIME, INSTRUCTIONS = "time", "instructions"
"""Quantities, besides port floors."""


@dataclass(frozen=True)
class FigureRow:
    """One contestant of one race.

    Attributes:
        kernel, bits, n: the race: bits of the modulus; points of a transform, elements of a vector.
        name: of the tier or the library. baseline: it is a library. projected: proxies stand for its instructions.
        timing: None where it was not timed. work: instructions by class, per unit; None where they were not counted.
        floors: by CPU, the fewest cycles per unit in which its ports can do that work.
        wrong: its output differs from the others'. note: its options, and why something is missing.
    """

    kernel: str
    bits: int
    n: int
    name: str
    baseline: bool = False
    projected: bool = False
    timing: Timing | None = None
    work: Work | None = None
    floors: Mapping[str, Floor] = field(default_factory=dict)
    wrong: bool = False
    note: str = ""

    @property
    def unit(self) -> str:
        """What it is counted in."""
        return unit_of(self.kernel)

    @property
    def label(self) -> str:
        """Its column: the size of a transform, the name of a vector kernel."""
        return size_label(self.n) if kernel_named(self.kernel).kind.has_points else self.kernel

    @property
    def status(self) -> str:
        """How its figures came about; "" where it has none."""
        how = LIBRARY if self.baseline else MEASURED if self.timing else COUNTED if self.work else ""
        return f"{how}, {PROJECTED}" if self.projected and how else how

    def quantities(self) -> dict[str, float]:
        """What is known per unit, by name: nanoseconds, port floors, instructions."""
        floors = {floor_name(cpu): found.cycles for cpu, found in self.floors.items() if found.cycles is not None}
        timed = {TIME: self.timing.ns.median} if self.timing else {}
        return {**timed, **floors, **({INSTRUCTIONS: self.work.instructions} if self.work else {})}

    def data(self) -> dict[str, object]:
        """For JSON: nanoseconds and cycles per unit, nanoseconds per call."""
        names = ("kernel", "bits", "n", "name", "unit", "status", "baseline", "projected", "wrong", "note")
        timing, work = self.timing, self.work
        timed = {**asdict(timing), "ns_per_call": timing.ns_per_call} if timing else None
        floors = {cpu: {"cycles": found.cycles, "by": found.by} for cpu, found in self.floors.items()}
        counted = {"instructions": work and work.instructions, "spills": work and work.spills}
        return {**{name: getattr(self, name) for name in names}, "timing": timed, **counted, "floors": floors}


def size_label(n: int) -> str:
    """A size as a power of two, where it is one."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)
