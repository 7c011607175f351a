#!/usr/bin/env python3
"""Time transforms on reduced-radix limbs beside whole words, and write what `momagen ntt` reports of both.

    scripts/bench_limbs.py > momagen/explain/counts/limb_times.toml

Both kernels of a row run in turn, so that what else the machine does reaches both. Times are cycles per butterfly.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

import momagen as mg
from momagen.bench.measure.clock import Reading
from momagen.bench.measure.kernel import calls_per_sample, sampler, timed_call, units
from momagen.bench.measure.machine import machine
from momagen.bench.measure.sample import interleave
from momagen.explain.counts.limbs import limbs_of

TARGETS, WIDTHS = ("avx2", "avx512", "avx512ifma"), (50, 60, 124, 252)
HEAD = "# Cycles per butterfly on reduced-radix limbs (slack) and on whole words (full), by scripts/bench_limbs.py."


def cycles(readings: list[Reading]) -> float:
    """Return the median of the faster half of the readings."""
    known = sorted(reading.cycles for reading in readings if reading.cycles is not None)
    return median(known[: len(known) // 2 + 1])


def row(target: str, bits: int, n: int, seconds: float) -> str:
    """Return the table of one target and width."""
    default = mg.ntt(n, modulus_bits=bits, target=target)
    if not (found := limbs_of(default.spec)) or not found.option:
        return ""
    kernels = {"reduced": default, "full": mg.ntt(n, modulus_bits=bits, target=target, limbs="full")}
    calls = {name: timed_call(kernel, 1, in_place=True) for name, kernel in kernels.items()}
    runs = {name: sampler(call, units(default.spec, 1), calls_per_sample(call)) for name, call in calls.items()}
    samples = interleave(runs, repetitions=1000, seconds=seconds)
    times = "\n".join(f"{name} = {cycles(readings):.3g}" for name, readings in samples.items())
    return f'\n[[time]]\ntarget = "{target}"\nbits = {bits}\n{times}\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    given = parser.parse_args()
    print(HEAD, f"n = {given.n}", f'machine = "{machine()["cpu"]}, {datetime.date.today()}"', sep="\n")
    for target in TARGETS:
        for bits in WIDTHS:
            print(row(target, bits, given.n, given.seconds), end="", flush=True)


if __name__ == "__main__":
    main()
