"""Compare the division by the last modulus with its port floor and with a copy of its data.

``python scripts/bench_rescale.py`` calls the kernel of eight moduli for the targets of the table that this CPU has, by
turns with a function that reads and writes the same rows. The floor is the number of cycles that the ports need for the
instructions of the compiled loops. Times are lower quartiles of the CPU time of ``ROUNDS`` rounds, for each of
several placements of the results, for one residue of the result, with the quartiles of the ratio to the larger of floor
and copy; ``--write`` writes the table to docs/reference/performance.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
from calls_by_turns import WORDS_OF_PAGES, allocate, cells, lower_quartile, places, time_calls
from machine_loops import compiled, copies, loops
from page_table import print_or_write

import momagen as mg
from momagen.bench.x86 import issue
from momagen.bench.x86.floor import floor
from momagen.bench.x86.uops import Use
from momagen.bench.x86.work import Work
from momagen.lower.rns.groups import TURNS
from momagen.runtime import compile_shared, find_compiler, load
from momagen.runtime.compiled import address
from momagen.runtime.native import candidates

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
MODULI, ROUNDS = 8, 8
SIZES = {"0.1 MB": 1024, "0.5 MB": 4096, "8 MB": 65536}
"""The number of columns by the size of the rows that a call reads and writes."""
ROWS = [(target, bits) for target in ("avx512ifma", "avx512", "avx2") for bits in (28, 50, 60)]
COPIER = """
#include <stddef.h>
#include <stdint.h>
#include <string.h>
uint64_t copy_words(uint64_t *z, const uint64_t *x, size_t kept, size_t last)
{
    uint64_t sum = 0;
    memcpy(z, x, kept * sizeof *z);
    for (size_t i = kept; i < kept + last; i++)
        sum |= x[i];
    return sum;
}
"""
"""A function that copies all rows but the last one, which it reads."""


def cycles_of_floor(k: mg.Kernel) -> float:
    """Return the least number of cycles for one residue of the result."""
    functions, used = compiled(k.generated, find_compiler()), Counter[Use]()
    for name, times in (("divide", MODULI - 1), ("complement", 1)):
        used.update({use: count * times for use, count in loops(copies(functions, name)[-1])[-1].items()})
    found = floor(Work(used, sum(used.values())), issue.rates()).cycles
    assert found is not None
    return float(found / (TURNS * k.spec.target.lanes * (MODULI - 1)))


def measured(k: mg.Kernel, columns: int) -> tuple[list[float], list[float], float]:
    """Return interleaved times of calls, and of copies, in ns for one residue of the result, and the clock in GHz."""
    size = (MODULI - 1) * columns
    x, z = allocate((MODULI, columns)), allocate((size + WORDS_OF_PAGES,))
    x[...] = np.random.default_rng(0).integers(0, min(k.moduli), x.shape, dtype=np.uint64)
    execute = k.compiled.library[f"{k.compiled.name}_execute"]
    flags = ["-O3", *k.spec.target.flags]
    copier = load(compile_shared(COPIER, name="copy_words", flags=flags)).copy_words
    calls, copied, clocks = list[float](), list[float](), list[float]()
    for to in places(x, z):
        run = (execute, (k.tables.address, to, address(x), columns))
        copy = (copier, (to, address(x), size, columns))
        found, clock = time_calls([run, copy], ROUNDS)
        clocks.append(clock)
        for times, new in zip((calls, copied), found, strict=True):
            times += [each / size * 1e9 for each in new]
    return calls, copied, median(clocks)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| target | bits | data | kernel | floor | copy | kernel / max(floor, copy) (quartiles) |"
    yield "|---|---|---|---|---|---|---|"
    for target, bits in ROWS:
        if target not in map(str, candidates()):
            continue
        k = mg.rescale(MODULI, modulus_bits=bits, target=target)
        assert k.verify()
        cycles = cycles_of_floor(k)
        for where, columns in SIZES.items():
            calls, copied, clock = measured(k, columns)
            found = cells(calls, [cycles / clock, lower_quartile(copied)])
            yield f"| `{target}` | {bits} | {where} | {found} |"


if __name__ == "__main__":
    print_or_write({"rescaling": table()}, PAGE, __doc__)
