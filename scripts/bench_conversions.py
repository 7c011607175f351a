"""Time conversions between RNS bases, and keep the table of docs/reference/performance.md.

``python scripts/bench_conversions.py`` converts 8,192 numbers from 12 to 28 moduli, by every method on every target of
the table, and prints the least time of a call from Python per output residue; ``--write`` writes the table to the page.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from page_table import print_or_write

import momagen as mg
from momagen.kinds.modular.typed import ConversionMethod
from momagen.runtime.native import candidates

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
SOURCES, GOALS, COLUMNS, CALLS = 12, 28, 8192, 12
TARGETS = ("avx512ifma", "avx512", "avx2", "c")
METHODS: tuple[ConversionMethod, ...] = ("fast", "corrected", "exact")


def nanoseconds(target: str, bits: int, method: ConversionMethod) -> float:
    """Return the least CPU time per output residue."""
    kernel = mg.convert(SOURCES, to=GOALS, modulus_bits=bits, target=target, method=method)
    rng = np.random.default_rng(1)
    x = np.array([rng.integers(0, q, COLUMNS) for q in kernel.moduli], np.uint64)
    kernel(x)
    times = []
    for _ in range(CALLS):
        begin = time.thread_time()
        kernel(x)
        times.append(time.thread_time() - begin)
    return min(times) / (COLUMNS * GOALS) * 1e9


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| target | bits | {' | '.join(f'`{method}`' for method in METHODS)} |"
    yield "|---|---|" + "---|" * len(METHODS)
    for target in TARGETS:
        if target not in map(str, candidates()):
            continue
        for bits in (28, 50, 60):
            found = (f"{nanoseconds(target, bits, method):.1f} ns" for method in METHODS)
            yield f"| `{target}` | {bits} | {' | '.join(found)} |"


if __name__ == "__main__":
    print_or_write({"conversion times": table()}, PAGE, __doc__)
