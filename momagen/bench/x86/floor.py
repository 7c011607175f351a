"""The port floor: a lower bound on the cycles of a kernel, because this CPU needs them to issue its instructions.

The compiled kernel runs once with a counter in each of its loops, which counts the executions of each
instruction. The number of instructions that the CPU issues per cycle is measured. The bound assumes that no
instruction waits for another one's result, and that all data are in the first-level cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from momagen.emit import Source
from momagen.errors import build_error
from momagen.runtime import Compiler, missing_features

from . import issue
from .rates import Rates
from .uops import Use, classes, groups
from .work import Work, work

UNKNOWN = Rates()


@dataclass(frozen=True)
class Floor:
    """A lower bound per butterfly or element, and the numbers from which it is computed.

    Attributes:
        cycles: The bound in cycles, or None if the issue rates of the CPU are unknown.
        by: The class, group or pool of instructions that determines the bound, with its rate.
        uops: The number of vector uops, or of all instructions if the kernel is scalar.
        work: The instructions of the kernel.
    """

    cycles: float | None
    by: str
    uops: float
    work: Work


def port_floor(source: Source, compiler: Compiler | None, batch: int, elsewhere: Rates = UNKNOWN) -> Floor:
    """Return the port floor of a kernel.

    The floor is for this CPU, or for the rates ``elsewhere`` if this CPU lacks features that the target
    needs.

    Args:
        source: The generated source.
        compiler: The compiler, or None for the default one.
        batch: The number of transforms, products or elements in a call.
        elsewhere: The issue rates of another CPU.

    Raises:
        MomagenError: There is no objdump, the CPU is not an x86-64 CPU whose clock can be measured, or the
            instructions cannot be counted on this CPU.
    """
    here = issue.rates()
    if not here.streams:
        raise build_error("the port floor needs an x86-64 CPU whose clock can be measured", "port floor")
    missing = missing_features(source.spec.target.features)
    return floor(work(source, compiler, batch), elsewhere if missing else here)


def floor(done: Work, rates: Rates) -> Floor:
    """Return the largest of the bounds."""
    cycles, by = max(bounds(done, rates), default=(None, ""))
    vectors = sum(count * rates.slots(use) for use, count in done.uses.items() if pool(use) == "vector")
    return Floor(cycles, by, vectors if vectors > done.instructions / 2 else done.instructions, done)


def pool(use: Use) -> str:
    """Return the pool of a class.

    A class that other classes name as their pool is in the pool with its name.
    """
    row = classes()[use[0]]
    return row.pool or (row.name if any(other.pool == row.name for other in classes().values()) else "")


def bounds(done: Work, rates: Rates) -> Iterator[tuple[float, str]]:
    """Yield the bound in cycles, with its name, of each class, group and pool and of the issue of all instructions."""
    for use, count in done.uses.items():
        yield from _bound(use[0], count, rates.rate(use))
    for registers in sorted({registers for _, registers in done.uses}):
        for group in groups():
            count = sum(done.uses.get((name, registers), 0.0) for name in group.classes)
            yield from _bound(group.name, count, rates.group_rate(group.name, registers))
        slots = Counter[str]()
        for use, count in done.uses.items():
            slots[pool(use)] += count * rates.slots(use) * (use[1] == registers)  # type: ignore[assignment]
        for name, count in slots.items():
            yield from _bound(f"{name} uops", count, rates.rate((name, registers)) if name else None)
    yield from _bound("instructions", done.instructions, rates.rate(issue.ANY))


def _bound(name: str, count: float, rate: float | None) -> Iterator[tuple[float, str]]:
    if rate and count:
        yield count / rate, f"{name} {rate:.3g}/cycle"
