"""Compare the inner product of key switching with its port floor and with one reading of its data.

``python scripts/bench_keyswitch.py`` calls the kernel for three digits, two outputs and the targets of the table that
this CPU has, in turns with a function that only reads digits and keys. The floor is the number of cycles that the ports
need for the instructions of the compiled loops. Times are lower quartiles of the CPU time of ``ROUNDS`` rounds, with
the quartiles of the ratio; ``--write`` writes the table to docs/reference/performance.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from calls_by_turns import allocate, cells, lower_quartile, time_calls
from machine_loops import compiled_as_loops, copies, loops
from page_table import print_or_write

import momagen as mg
from momagen.bench.x86 import issue
from momagen.bench.x86.floor import floor
from momagen.bench.x86.uops import Use
from momagen.bench.x86.work import Work
from momagen.kinds.rns.terms import class_of
from momagen.lower.rns.inner_products import UNROLLED
from momagen.lower.rns.kernels import inner_products_of
from momagen.lower.writer import ProgramWriter
from momagen.runtime import compile_shared, find_compiler, load
from momagen.runtime.compiled import address
from momagen.runtime.native import candidates

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "performance.md"
DIGITS, OUTPUTS, COLUMNS, ROUNDS = 3, 2, 8192, 60
SIZES = {"0.6 MB": 1, "4.7 MB": 8}
"""The number of moduli by the size of the digits and keys of a call."""
ROWS = [(target, bits) for target in ("avx512ifma", "avx512", "avx2") for bits in (28, 50, 60)]
READER = """
#include <stddef.h>
#include <stdint.h>
uint64_t read_words(const uint64_t *x, size_t n)
{
    uint64_t sums[32] = {0};
    for (size_t i = 0; i + 32 <= n; i += 32)
        for (size_t j = 0; j < 32; j++)
            sums[j] |= x[i + j];
    uint64_t all = 0;
    for (size_t j = 0; j < 32; j++)
        all |= sums[j];
    return all;
}
"""
"""A function that reads all words of an array."""


def cycles_of_floor(k: mg.Kernel) -> float:
    """Return the least number of cycles for one product of a digit and a key modulo one modulus."""
    functions = compiled_as_loops(k.generated, find_compiler(), UNROLLED)
    written = inner_products_of(k.spec, ProgramWriter(class_of(k.spec)))
    product, fold, *_, whole = loops(copies(functions, "inner_products")[-1])
    folds, used = -(-DIGITS // min(written.products.most, DIGITS)), Counter[Use]()
    for part, times in ((product, DIGITS - folds), (fold, folds - 1), (whole, 1)):
        used.update({use: count * times for use, count in part.items()})
    found = floor(Work(used, sum(used.values())), issue.rates()).cycles
    assert found is not None
    return found / (written.group * DIGITS * OUTPUTS)


def measured(k: mg.Kernel) -> tuple[list[float], list[float], float]:
    """Return interleaved times of calls and of reading, in nanoseconds for one product, and the clock in GHz."""
    moduli = len(k.moduli)
    data, z = allocate((DIGITS * (1 + OUTPUTS), moduli, COLUMNS)), allocate((OUTPUTS, moduli, COLUMNS))
    data[...] = np.random.default_rng(0).integers(0, min(k.moduli), data.shape, dtype=np.uint64)
    d, keys = data[:DIGITS], data[DIGITS:]
    execute = k.compiled.library[f"{k.compiled.name}_execute"]
    flags = ["-O3", *k.spec.target.flags]
    reader = load(compile_shared(READER, name="read_words", flags=flags)).read_words
    run = (execute, (k.tables.address, *map(address, (z, d, keys)), 0, COLUMNS))
    read = (reader, (address(data), data.size))
    unit = DIGITS * OUTPUTS * moduli * COLUMNS * 1e-9
    (calls, readings), clock = time_calls([run, read], ROUNDS)
    return [each / unit for each in calls], [each / unit for each in readings], clock


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| target | bits | data | kernel | floor | reading | kernel / max(floor, reading) (quartiles) |"
    yield "|---|---|---|---|---|---|---|"
    for target, bits in ROWS:
        if target not in map(str, candidates()):
            continue
        for where, moduli in SIZES.items():
            k = mg.keyswitch(moduli, modulus_bits=bits, target=target, outputs=OUTPUTS, digits=DIGITS)
            assert k.verify()
            calls, readings, clock = measured(k)
            found = cells(calls, [cycles_of_floor(k) / clock, lower_quartile(readings)])
            yield f"| `{target}` | {bits} | {where} | {found} |"


if __name__ == "__main__":
    print_or_write({"key switching": table()}, PAGE, __doc__)
