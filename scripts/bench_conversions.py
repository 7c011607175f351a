"""Time conversions between RNS bases, and keep the table of docs/reference/performance.md.

``python scripts/bench_conversions.py`` converts 8,192 numbers from 12 to 28 moduli, by every method on every target of
the table, and prints the time of a call from C for one residue of the result. Times are lower quartiles of the CPU time
of ``ROUNDS`` rounds for each of several placements of the results. The floor is the time in which two ports of 512
bits, or three of 256 bits, execute the uops that scripts/count_conversions.py estimates; ``--write`` writes the table
to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from calls_by_turns import WORDS_OF_PAGES, allocate, lower_quartile, places, time_calls
from count_conversions import ROWS
from page_table import print_or_write

import momagen as mg
from momagen.kinds.modular.typed import ConversionMethod
from momagen.runtime.compiled import address
from momagen.runtime.native import candidates

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
SOURCES, GOALS, COLUMNS, ROUNDS = 12, 28, 8192, 8
PORTS = {"avx512ifma": 2, "avx512": 2, "avx2": 3, "c": 0}
"""The number of ports for vectors, by target; 0: there is no floor."""
METHODS: tuple[ConversionMethod, ...] = ("fast", "corrected", "exact")


def measured(target: str, bits: int) -> tuple[dict[str, float], float]:
    """Return the nanoseconds for one residue of the result by method, and the clock in GHz."""
    made = partial(mg.convert, SOURCES, to=GOALS, modulus_bits=bits, target=target)
    kernels = {method: made(method=method) for method in METHODS}
    size = GOALS * COLUMNS
    x, z = allocate((SOURCES, COLUMNS)), allocate((size + WORDS_OF_PAGES,))
    x[...] = np.random.default_rng(1).integers(0, min(kernels["fast"].moduli), x.shape, dtype=np.uint64)
    found, clocks = {method: list[float]() for method in METHODS}, list[float]()
    for to in places(x, z):
        calls = [(k.compiled.library[f"{k.compiled.name}_execute"], (k.tables.address, to, address(x), COLUMNS))
                 for k in kernels.values()]  # fmt: skip
        times, clock = time_calls(calls, ROUNDS)
        clocks.append(clock)
        for method, new in zip(METHODS, times, strict=True):
            found[method] += [each / size * 1e9 for each in new]
    return {method: lower_quartile(times) for method, times in found.items()}, median(clocks)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| target | bits | `fast` | floor | `fast` / floor | `corrected` | `corrected` / `fast` | `exact` |"
    yield "|---|---|---|---|---|---|---|---|"
    for target, ports in PORTS.items():
        if target not in map(str, candidates()):
            continue
        for bits in (28, 50, 60):
            found, clock = measured(target, bits)
            fast, corrected, exact = found.values()
            lanes = mg.targets()[target].lanes
            least = ROWS[target, bits].of("fast") / (ports * lanes * clock) if ports else 0
            of_floor = f"{least:.2f} ns | {fast / least:.2f}" if least else "– | –"
            others = f"{corrected:.2f} ns | {corrected / fast:.2f} | {exact:.2f} ns"
            yield f"| `{target}` | {bits} | {fast:.2f} ns | {of_floor} | {others} |"


if __name__ == "__main__":
    print_or_write({"conversion times": table()}, PAGE, __doc__)
