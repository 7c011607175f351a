"""Call HEXL and the drop-in replacement from one thread and from several: throughput of transforms of one NTT object.

``python scripts/bench_hexl_threads.py --ours PREFIX --hexl PREFIX`` lets 1, 2, … threads (at most one for each CPU of
this process) call the forward and the inverse transform of one shared NTT object, each on vectors of its own. It prints
the medians of ``ROUNDS`` alternated rounds: transforms per second, and the gain over one thread.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from bench_hexl import Buffers, Package

from momagen.params.primes import prime_of

BITS, SIZES, ROUNDS, SECONDS = 50, (4096, 16384), 9, 0.05
"""The length of the modulus, the numbers of points, the number of rounds, and the time of one sample."""
CALLS = ("NTT::ComputeForward, factors 4 and 4", "NTT::ComputeInverse, factors 2 and 2")


def rate(package: Package, call: int, plan: int, buffers: list[Buffers], repeats: int) -> float:
    """Return the calls per second of as many threads as there are ``buffers``; each calls ``repeats`` times."""

    def run(own: Buffers) -> None:
        package.functions.calls_time(call, plan, *own.addresses, repeats)

    with ThreadPoolExecutor(len(buffers)) as pool:
        begin = time.perf_counter()
        list(pool.map(run, buffers))
        return len(buffers) * repeats / (time.perf_counter() - begin)


def rates(packages: dict[str, Package], call: int, n: int, most: int) -> dict[tuple[str, int], float]:
    """Return the calls per second by package and number of threads."""
    q = prime_of(BITS, n)
    buffers = [Buffers(n, q, seed) for seed in range(most)]
    plans = {name: package.functions.calls_create(call, n, q) for name, package in packages.items()}
    repeats = {name: max(1, round(SECONDS * rate(package, call, plans[name], buffers[:1], 100)))
               for name, package in packages.items()}  # fmt: skip
    samples: dict[tuple[str, int], list[float]] = {}
    for _ in range(ROUNDS):
        for name, package in packages.items():
            for threads in range(1, most + 1):
                found = rate(package, call, plans[name], buffers[:threads], repeats[name])
                samples.setdefault((name, threads), []).append(found)
    for name, package in packages.items():
        package.functions.calls_free(plans[name])
    return {key: median(found) for key, found in samples.items()}


def table(packages: dict[str, Package]) -> Iterator[str]:
    """Yield the lines of the table."""
    names, most = list(packages["ours"].names()), len(os.sched_getaffinity(0))
    yield "| call | n | threads | HEXL, per second | ours, per second | gain, HEXL | gain, ours |"
    yield "|---|---|---|---|---|---|---|"
    for call in CALLS:
        for n in SIZES:
            found = rates(packages, names.index(call), n, most)
            for threads in range(1, most + 1):
                each = [found[name, threads] for name in packages]
                gains = [found[name, threads] / found[name, 1] for name in packages]
                cells = [*(f"{value:,.0f}" for value in each), *(f"{gain:.2f}" for gain in gains)]
                yield f"| {call} | {n} | {threads} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", metavar="PREFIX", type=Path, required=True, help="the installed replacement")
    parser.add_argument("--hexl", metavar="PREFIX", type=Path, required=True, help="an installed HEXL")
    parser.add_argument("--compiler", default="g++", help="compiles the calls (default: g++)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefixes = {"HEXL": given.hexl, "ours": given.ours}
        made = Path(folder)
        packages = {name: Package(prefix, given.compiler, made, name.lower()) for name, prefix in prefixes.items()}
        for line in table(packages):
            print(line)


if __name__ == "__main__":
    main()
