"""The port floor: no run of a kernel can take fewer cycles than this CPU needs to issue its instructions.

The kernel as compiled runs once, with a counter in each of its loops, and so tells how often it runs each instruction;
what the CPU issues per cycle is measured. Nothing waits in it: not for results, nor for memory beyond the first cache.
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
    """A lower bound, and what it is a bound for, per butterfly or element.

    Attributes:
        cycles: None where nobody knows what the CPU issues. by: the class, group or pool that sets it, with its rate.
        uops: of vectors; of a scalar kernel, its instructions. work: all of it.
    """

    cycles: float | None
    by: str
    uops: float
    work: Work


def port_floor(source: Source, compiler: Compiler | None, batch: int, elsewhere: Rates = UNKNOWN) -> Floor:
    """Return the port floor of a kernel on ``batch`` transforms, products or elements.

    The floor is for this CPU, or for the rates ``elsewhere`` if this CPU lacks features that the target needs.

    Raises:
        MomagenError: objdump is missing, the CPU is not an x86-64 whose clock can be measured, or the code cannot be
            counted on this CPU.
    """
    here = issue.rates()
    if not here.streams:
        raise build_error("the port floor needs an x86-64 CPU whose clock can be measured", "port floor")
    missing = missing_features(source.spec.target.features)
    return floor(work(source, compiler, batch), elsewhere if missing else here)


def floor(done: Work, rates: Rates) -> Floor:
    """The largest of the bounds."""
    cycles, by = max(bounds(done, rates), default=(None, ""))
    vectors = sum(count * rates.slots(use) for use, count in done.uses.items() if pool(use) == "vector")
    return Floor(cycles, by, vectors if vectors > done.instructions / 2 else done.instructions, done)


def pool(use: Use) -> str:
    """The pool that a class belongs to; one that others name as theirs is its own."""
    row = classes()[use[0]]
    return row.pool or (row.name if any(other.pool == row.name for other in classes().values()) else "")


def bounds(done: Work, rates: Rates) -> Iterator[tuple[float, str]]:
    """Cycles that each class, each group, each pool and the issue of all instructions take, and what it is."""
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
