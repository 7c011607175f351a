"""The port floor: no run of a kernel can take fewer cycles than this CPU needs to issue its instructions.

The kernel as compiled runs once, with a counter in each of its loops, and so tells how often it runs each instruction;
what the CPU issues per cycle is measured. Nothing waits in it: not for results, nor for memory beyond the first cache.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from momagen.bench import issue
from momagen.bench.blocks import executed, marked
from momagen.bench.built import library_path, planned
from momagen.bench.kernel import kernel_call, units
from momagen.bench.uops import Use, classes, groups, uses
from momagen.build import Compiler
from momagen.build.call import compile_kernel
from momagen.emit import Source
from momagen.errors import MomagenError

JUMPS = "j"
"""A conditional jump is issued together with the comparison before it."""


@dataclass(frozen=True)
class Work:
    """Per butterfly or element: instructions by class, and all of them."""

    uses: Mapping[Use, float]
    instructions: float


@dataclass(frozen=True)
class Floor:
    """A lower bound.

    Attributes:
        cycles: per butterfly or element. by: the class, group or pool that sets it, with its rate.
        uops: of vectors, per butterfly or element; of a scalar kernel, its instructions.
    """

    cycles: float
    by: str
    uops: float


def port_floor(source: Source, compiler: Compiler | None, batch: int) -> Floor:
    """The floor of a kernel on ``batch`` transforms, products or elements.

    Raises:
        MomagenError: no objdump, or no x86-64 whose clock can be told.
    """
    if not issue.rates():
        raise MomagenError("x86-64 with a clock that can be told", "another CPU", "port floor")
    return floor(work(source, compiler, batch))


def work(source: Source, compiler: Compiler | None, batch: int) -> Work:
    """What one call of the compiled kernel runs, per butterfly or element."""
    kernel = planned(compile_kernel(marked(source), compiler))
    spec, call = source.spec, kernel_call(kernel, batch)
    function, z, *operands, _ = call.keep
    inputs = [operand for operand in operands if operand is not None]
    address = ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
    counts = executed(
        library_path(kernel.compiled), (f"{kernel.compiled.name}_execute", address),
        lambda: kernel.plan.execute(z, *inputs, count=batch),  # type: ignore[arg-type]
    )  # fmt: skip
    return per_unit(counts, units(spec, batch))


def per_unit(counts: Mapping[str, int], count: int) -> Work:
    """From how often every instruction ran while ``count`` butterflies or elements were done."""
    total: Counter[Use] = Counter()
    for text, times in counts.items():
        for use in uses(text):
            total[use] += times
    issued = sum(times for text, times in counts.items() if not text.startswith(JUMPS))
    return Work({use: times / count for use, times in total.items()}, issued / count)


def floor(done: Work) -> Floor:
    """The largest of the bounds."""
    cycles, by = max(bounds(done), default=(0.0, "nothing"))
    vectors = sum(count * issue.slots(use) for use, count in done.uses.items() if pool(use) == "vector")
    return Floor(cycles, by, vectors if vectors > done.instructions / 2 else done.instructions)


def pool(use: Use) -> str:
    """The pool that a class belongs to; one that others name as theirs is its own."""
    row = classes()[use[0]]
    return row.pool or (row.name if any(other.pool == row.name for other in classes().values()) else "")


def bounds(done: Work) -> Iterator[tuple[float, str]]:
    """Cycles that each class, each group, each pool and the issue of all instructions take, and what it is."""
    for use, count in done.uses.items():
        yield from _bound(use[0], count, issue.rate(use))
    for registers in sorted({registers for _, registers in done.uses}):
        for group in groups():
            count = sum(done.uses.get((name, registers), 0.0) for name in group.classes)
            yield from _bound(group.name, count, issue.group_rate(group.name, registers))
        slots = Counter[str]()
        for use, count in done.uses.items():
            slots[pool(use)] += count * issue.slots(use) * (use[1] == registers)  # type: ignore[assignment]
        for name, count in slots.items():
            yield from _bound(f"{name} uops", count, issue.rate((name, registers)) if name else None)
    yield from _bound("instructions", done.instructions, issue.rate(issue.ANY))


def _bound(name: str, count: float, rate: float | None) -> Iterator[tuple[float, str]]:
    if rate and count:
        yield count / rate, f"{name} {rate:.3g}/cycle"
