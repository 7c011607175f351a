"""Transforms of every column of a matrix beside as many transforms of vectors, turn by turn in one process.

    python scripts/bench_columns.py [--target avx2] [--n 1024 4096 …] [--columns 16 64 …] [--bits 31 60 64 254 …]

A line for each size, width and number of columns: cycles (nanoseconds where there is no counter) per butterfly of both,
on as many residues, and the ratio of their medians. 64 bits are the prime 2^64 - 2^32 + 1.
"""

from __future__ import annotations

import argparse
from itertools import product

import momagen as mg
from momagen.bench.measure.kernel import calls_per_sample, sampler, summary, timed_call, units
from momagen.bench.measure.sample import interleave

GOLDILOCKS = "2^64-2^32+1"


def raced(target: str, n: int, columns: int, bits: int, inverse: bool) -> tuple[float, float]:
    """Cycles or nanoseconds per butterfly of columns, and of vectors."""
    modulus = {"modulus": GOLDILOCKS} if bits == 64 else {"modulus_bits": bits}
    runs = {}
    for name, width, batch in (("columns", columns, 1), ("vectors", 1, columns)):
        kernel = mg.kernel("ntt", n=n, target=target, columns=width, inverse=inverse, **modulus)
        call = timed_call(kernel, batch)
        runs[name] = sampler(call, units(kernel.spec, batch), calls_per_sample(call))
    found = {name: summary(readings) for name, readings in interleave(runs, repetitions=101, seconds=2.0).items()}
    first, second = ((cycles or ns).median for ns, cycles, _ in found.values())
    return first, second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="avx2")
    parser.add_argument("--inverse", action="store_true")
    for name, values in (("n", [1024, 65536]), ("columns", [16, 64]), ("bits", [31, 60, 64, 254])):
        parser.add_argument(f"--{name}", type=int, nargs="+", default=values)
    given = parser.parse_args()
    print("target  bits  n  columns: columns, vectors, ratio")
    for bits, n, columns in product(given.bits, given.n, given.columns):
        own, other = raced(given.target, n, columns, bits, given.inverse)
        print(f"{given.target}  {bits}  {n}  {columns}: {own:.2f}  {other:.2f}  {own / other:.2f}", flush=True)


if __name__ == "__main__":
    main()
