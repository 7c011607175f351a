"""The results of one contestant at one size."""

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
"""The quantities, in addition to port floors."""


@dataclass(frozen=True)
class FigureRow:
    """The results of one contestant in one race.

    Attributes:
        kernel: The kernel of the race.
        bits: The number of bits of the modulus.
        n: The number of points of a transform, or of elements of a vector.
        name: The name of the tier or of the library.
        baseline: Whether it is a library.
        projected: Whether proxies replace some of its instructions.
        timing: The times, or None if it was not timed.
        work: The instructions by class, per unit; None if they were not counted.
        floors: For each CPU the fewest cycles per unit in which its ports can execute that work.
        wrong: Whether its output differs from that of the others.
        note: Its options, and the reason if something is missing.
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
        """The unit of its work."""
        return unit_of(self.kernel)

    @property
    def label(self) -> str:
        """The label of its column: the size of a transform, or the name of a vector kernel."""
        return size_label(self.n) if kernel_named(self.kernel).kind.has_points else self.kernel

    @property
    def status(self) -> str:
        """The origin of its numbers, or "" if it has none."""
        how = LIBRARY if self.baseline else MEASURED if self.timing else COUNTED if self.work else ""
        return f"{how}, {PROJECTED}" if self.projected and how else how

    def quantities(self) -> dict[str, float]:
        """Return its results per unit by name: nanoseconds, port floors and instructions."""
        floors = {floor_name(cpu): found.cycles for cpu, found in self.floors.items() if found.cycles is not None}
        timed = {TIME: self.timing.ns.median} if self.timing else {}
        return {**timed, **floors, **({INSTRUCTIONS: self.work.instructions} if self.work else {})}

    def data(self) -> dict[str, object]:
        """Return the row as plain data for JSON, with nanoseconds and cycles per unit and nanoseconds per call."""
        names = ("kernel", "bits", "n", "name", "unit", "status", "baseline", "projected", "wrong", "note")
        timing, work = self.timing, self.work
        timed = {**asdict(timing), "ns_per_call": timing.ns_per_call} if timing else None
        floors = {cpu: {"cycles": found.cycles, "by": found.by} for cpu, found in self.floors.items()}
        counted = {"instructions": work and work.instructions, "spills": work and work.spills}
        return {**{name: getattr(self, name) for name in names}, "timing": timed, **counted, "floors": floors}


def size_label(n: int) -> str:
    """Return the label of a size, which is a power of two if possible."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)
