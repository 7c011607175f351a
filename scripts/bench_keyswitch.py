"""Compare the inner product of key switching with its port floor and with one reading of its data.

``python scripts/bench_keyswitch.py`` calls the kernel for three digits, two outputs and the targets of the table that
this CPU has, in turns with functions that only read digits and keys, and that also write the results. The floor is the
number of cycles that the ports need for the instructions of the compiled loops. Times are lower quartiles of the CPU
time of ``ROUNDS`` rounds for each of several placements of the results, with the quartiles of the ratio;
``--write`` writes the table to docs/reference/performance.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
from calls_by_turns import WORDS_OF_PAGES, allocate, cells, lower_quartile, places, time_calls
from machine_loops import compiled_as_loops, copies, nest, without_folds
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
DIGITS, OUTPUTS, COLUMNS, ROUNDS = 3, 2, 8192, 8
SIZES = {"0.6 MB": 1, "4.7 MB": 8}
"""The number of moduli by the size of the digits and keys of a call."""
ROWS = [(target, bits) for target in ("avx512ifma", "avx512", "avx2") for bits in (28, 50, 60)]
READER = """
#include <stddef.h>
#include <stdint.h>
void move_words(uint64_t *z, const uint64_t *x, size_t outputs, size_t rows, size_t moduli, size_t n)
{
    for (size_t m = 0; m < moduli; m++)
        for (size_t i = 0; i + 32 <= n; i += 32) {
            uint64_t sums[32] = {0};
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < 32; j++)
                    sums[j] |= x[(r * moduli + m) * n + i + j];
            for (size_t o = 0; o < outputs; o++)
                for (size_t j = 0; j < 32; j++)
                    z[(o * moduli + m) * n + i + j] = sums[j];
        }
}
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
"""Functions that read all words of an array, and that read and write the rows of a call in the kernel's order."""


def cycles_of_floor(k: mg.Kernel) -> float:
    """Return the least number of cycles for one product of a digit and a key modulo one modulus."""
    functions = compiled_as_loops(without_folds(k.generated), find_compiler(), UNROLLED)
    written = inner_products_of(k.spec, ProgramWriter(class_of(k.spec)))
    assert written.products.most >= DIGITS, "a sum that holds all products"
    product, products, whole = nest(copies(functions, "inner_products")[-1])
    used = Counter[Use]()
    for part, times in ((product, DIGITS), (products, -1), (whole, 1)):
        for use, count in part.items():
            used[use] += count * times
    found = floor(Work(used, sum(used.values())), issue.rates()).cycles
    assert found is not None
    return found / (written.group * DIGITS * OUTPUTS)


def measured(k: mg.Kernel) -> tuple[list[list[float]], float]:
    """Return interleaved times of calls, of reading and of moving, in ns for one product, and the clock in GHz.

    Calls are timed with several placements of the results.
    """
    moduli = len(k.moduli)
    data = allocate((DIGITS * (1 + OUTPUTS), moduli, COLUMNS))
    z = allocate((OUTPUTS * moduli * COLUMNS + WORDS_OF_PAGES,))
    data[...] = np.random.default_rng(0).integers(0, min(k.moduli), data.shape, dtype=np.uint64)
    d, keys = data[:DIGITS], data[DIGITS:]
    execute = k.compiled.library[f"{k.compiled.name}_execute"]
    flags = ["-O3", *k.spec.target.flags]
    library = load(compile_shared(READER, name="read_words", flags=flags))
    unit, times, clocks = DIGITS * OUTPUTS * moduli * COLUMNS * 1e-9, [list[float]() for _ in range(3)], list[float]()
    for to in places(data, z):
        run = (execute, (k.tables.address, to, address(d), address(keys), 0, COLUMNS))
        read = (library.read_words, (address(data), data.size))
        move = (library.move_words, (to, address(data), OUTPUTS, len(data), moduli, COLUMNS))
        found, clock = time_calls([run, read, move], ROUNDS)
        clocks.append(clock)
        for all_times, new in zip(times, found, strict=True):
            all_times += [each / unit for each in new]
    return times, median(clocks)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield ("| target | bits | data | kernel | floor | reading | kernel / max(floor, reading) (quartiles) "
           "| reading and writing | kernel / reading and writing |")  # fmt: skip
    yield "|---|---|---|---|---|---|---|---|---|"
    for target, bits in ROWS:
        if target not in map(str, candidates()):
            continue
        for where, moduli in SIZES.items():
            k = mg.keyswitch(moduli, modulus_bits=bits, target=target, outputs=OUTPUTS, digits=DIGITS)
            assert k.verify()
            (calls, readings, moves), clock = measured(k)
            found = cells(calls, [cycles_of_floor(k) / clock, lower_quartile(readings)])
            moving = lower_quartile(moves)
            ratio = lower_quartile(calls) / moving
            yield f"| `{target}` | {bits} | {where} | {found} | {moving:.2f} ns | {ratio:.2f} |"


if __name__ == "__main__":
    print_or_write({"key switching": table()}, PAGE, __doc__)
