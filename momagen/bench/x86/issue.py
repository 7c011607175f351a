"""The number of instructions of each class that this CPU issues per cycle, measured with independent instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from momagen.bench.measure.clock import Reading, latency, make_call, usual
from momagen.bench.measure.kernel import summary
from momagen.bench.measure.machine import cpu
from momagen.bench.measure.sample import interleave
from momagen.runtime import compile_shared, load, missing_features

from .rates import OTHERS, Rates, Stream
from .uops import Class, classes, groups

LENGTH = 95
"""The least number of instructions in a stream. Together with the loop's own instructions it is a multiple of
any issue width."""
ROUNDS, CALLS, REPETITIONS = 1000, 16, 21
"""The number of iterations of a stream in one call, of calls in one sample, and of samples."""
ANY = ("any", "r")
"""The class of instructions that need no port. The stream does not use the shortest one, because the micro-op
cache cannot hold a whole cache line of it."""
NOTHING = "nopl 8(%rax)"

Samples = tuple[tuple[str, ...], tuple[str, ...]]
"""The instructions that a stream repeats, and the CPU features that they need."""

FILE = """#include <stdint.h>
static unsigned char buffer[8192] __attribute__((aligned(64)));
"""
FUNCTION = """void {name}(uint64_t *z, const void *unused)
{{
    (void)z, (void)unused;
    {before}
    for (int i = 0; i < {rounds}; i++)
        __asm__ volatile("{text}" : : "D"(buffer), "a"(1L), "d"(3L) : {clobbers});
    {after}
}}
"""
BEFORE = "".join(f'__asm__ volatile("vpxor %xmm{i}, %xmm{i}, %xmm{i}");' for i in range(3))
AFTER = '__asm__ volatile("vzeroupper");'
REGISTER = re.compile(r"%([xyz]mm\d+|k[1-7]|r\d+)")
STEP = {"zmm": 64, "ymm": 32, "xmm": 16, "r": 8}
"""The number of bytes of one memory access."""


@cache
def rates() -> Rates:
    """Return the issue rates of this CPU. They are empty if its clock cannot be measured."""
    if missing_features(["x86_64"]) or latency() is None:
        return Rates(cpu=cpu())
    chosen = dict(sorted(streams(), key=lambda item: item[0][2]))  # the clock changes from width to width
    texts = [(stream, lines(order, stream[2])) for stream, (samples, _) in chosen.items()
             for order in orders(stream[0], samples)]  # fmt: skip
    source = FILE + "".join(function(f"stream_{at}", text) for at, (_, text) in enumerate(texts))
    flags = sorted({f"-m{feature}" for _, features in chosen.values() for feature in features} - {"-mx86_64"})
    library = load(compile_shared(source, name="momagen_issue", flags=["-std=gnu99", *flags]))
    runs = {at: partial(_sample, library[f"stream_{at}"]) for at in range(len(texts))}
    readings = interleave(runs, repetitions=REPETITIONS)
    best = usual([reading for values in readings.values() for reading in values])
    found: dict[Stream, float] = {}
    for at, (stream, text) in enumerate(texts):
        rate = len(text) * ROUNDS / cycles_of(readings[at], best)
        found[stream] = max(rate, found.get(stream, 0.0))
    return Rates(found, cpu())


def _sample(function: Any) -> Reading:
    return make_call("in_place", function, 0, z=np.zeros(1, np.uint64)).time(CALLS)


def cycles_of(readings: Sequence[Reading], best: float) -> float:
    """Return the cycles of a call, computed as for a kernel.

    The minimum over all readings would be too low whenever something slowed down the chain that measures the
    clock.
    """
    _, cycles, _ = summary([*readings], best)
    assert cycles is not None
    return cycles.median


def orders(kind: str, samples: Sequence[str]) -> Iterator[list[str]]:
    """Yield the orders of instructions in which a stream is measured; its rate is the rate of the fastest order.

    A CPU assigns instructions to ports as they arrive. If classes that share ports alternate strictly, the
    assignment may become a pattern that wastes issue slots, and the pattern differs between processes: 1.76
    or 1.95 instructions per cycle on Zen 4.
    """
    yield [*samples]
    if kind == "group":
        yield [*samples, *samples[::-1]]
        yield from ([sample for sample in samples for _ in range(times)] for times in (2, 4))


def streams() -> Iterator[tuple[Stream, Samples]]:
    """Yield every stream that this CPU can run."""
    yield ("alone", *ANY), ((NOTHING,), ())
    for row in classes().values():
        for registers in row.widths:
            yield from _possible(("alone", row.name, registers), [row])
            if row.pool:
                yield from _possible(("mixed", row.name, registers), [row, *[classes()[row.pool]] * OTHERS])
    for group in groups():
        members = [classes()[name] for name in group.classes]
        for registers in members[0].widths:
            yield from _possible(("group", group.name, registers), members)


def _possible(stream: Stream, rows: list[Class]) -> Iterator[tuple[Stream, Samples]]:
    needs = [row.features(stream[2]) for row in rows]
    features = tuple(feature for need in needs for feature in need or ())
    if None not in needs and not missing_features(features):
        yield stream, (tuple(row.sample for row in rows), features)


def lines(samples: Sequence[str], registers: str) -> list[str]:
    """Return at least ``LENGTH`` instructions, which repeat the ``samples`` in turn and use all registers in turn."""
    return [
        samples[at % len(samples)].format(
            w=registers, v=f"{registers}{4 + at % 12}", k=f"k{1 + at % 7}", r=f"r{8 + at % 8}", o=at * STEP[registers]
        )
        for at in range(-(-LENGTH // len(samples)) * len(samples))
    ]


def function(name: str, texts: Sequence[str]) -> str:
    """Return the C function that runs a stream."""
    text = "; ".join(texts)
    vector = "mm" in text
    written = sorted({re.sub("^[yz]", "x", register) for register in REGISTER.findall(text)})
    return FUNCTION.format(
        name=name, rounds=ROUNDS, text=text.replace("%", "%%"), before=BEFORE * vector, after=AFTER * vector,
        clobbers=", ".join(f'"{register}"' for register in [*written, "cc", "memory"]),
    )  # fmt: skip
