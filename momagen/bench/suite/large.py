"""Transforms of 2^22 points at several widths.

Each of them is generated, compiled, executed and verified in a new process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from momagen.bench.measure.child import measure
from momagen.bench.measure.machine import families
from momagen.bench.report.figure import Figure, failure
from momagen.errors import MomagenError

from .generation import COMPILE, LARGE, MEMORY

LOG_N = 22
WIDTHS = (128, 256, 384, 768)
STEPS: dict[str, float | None] = {"generate": LARGE, "compile": COMPILE, "plan": None, "execute": None, "verify": None}
"""The measured steps, with their thresholds in seconds."""

figure = partial(Figure, "large")


def large() -> Iterator[Figure]:
    """Yield the figures of the section: the time of every step, memory, time per butterfly, and verified values."""
    for bits in WIDTHS:
        name = f"2^{LOG_N} points, {bits} bits"
        try:
            yield from steps(name, bits)
        except MomagenError as error:
            yield failure("large", name, error)


def steps(name: str, bits: int) -> Iterator[Figure]:
    """Yield the figures of one width.

    Raises:
        MomagenError: A step failed, or the verification found an incorrect value.
    """
    family, compiler = next(iter(families().items()))
    run = measure({"kind": "ntt", "n": 1 << LOG_N, "bits": bits}, compilers={family: compiler}, run=True)
    run["compile"] = run[f"compile {family}"]
    for step, limit in STEPS.items():
        yield figure(f"{name}: {step}", run[step], "s", limit, note=family if step == "compile" else "")
    yield figure(f"{name}: memory to generate", run["memory"], "MB", MEMORY)
    yield figure(f"{name}: time", 1e9 * run["execute"] / run["units"], "ns/butterfly")
    yield figure(f"{name}: incorrect outputs", 0, "", 0, note=f"{run['values']:.0f} values compared")
