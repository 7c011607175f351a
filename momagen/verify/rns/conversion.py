"""The verification of conversions between RNS bases and of division by the last modulus, by integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from math import prod

from gmpy2 import invert, mpz

from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.ranges import converted_range
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.verify.matrices import COLUMNS, Rows, report_on
from momagen.verify.report import Mismatch, Report


def verify_conversion(name: str, call: Callable[[Rows], Rows], spec: ConversionSpec, seed: int = 0) -> Report:
    """Compare a conversion with integers, for numbers at the edges of its range and for random numbers in its range.

    With scaling by P/Q, these are the numbers P·a modulo Q, which decide how P·a/Q is rounded. The method "fast" is
    compared up to a multiple of Q, or of 1 with scaling, which all rows share.

    Args:
        name: The name of the kernel.
        call: The kernel, a function on rows of integers.
        spec: The request.
        seed: The seed of the random numbers.

    Returns:
        The report.
    """
    rng, start, whole = random.Random(seed), time.perf_counter(), mpz(spec.product)
    moduli, goals, count = spec.moduli, spec.goals, len(spec.moduli)
    low, high = map(mpz, converted_range(spec))
    edges = {"0": 0, "1": 1, "the least": low, "the largest": high, "the largest - 1": high - 1, "Q/4": whole // 4}
    edges = {name: number for name, number in edges.items() if low <= number <= high}
    numbers = [mpz(each) for each in edges.values()]
    numbers += [mpz(rng.randrange(int(low), int(high) + 1)) for _ in range(COLUMNS)]
    scale = mpz(prod(goals) if spec.scaled else 1)
    operands = [a * invert(scale, whole) % whole for a in numbers] if spec.scaled else numbers
    got = call([[int(x % q) for x in operands] for q in moduli])
    fault = None
    for j, (a, x) in enumerate(zip(numbers, operands, strict=True)):
        result, step = ((scale * x - a) // whole, -1) if spec.scaled else (a, whole)
        multiples = [u * step for u in range(count if spec.method == "fast" else 1)]
        found, right = [row[j] for row in got], [int(result % p) for p in goals]
        if fault is None and not any(found == [(result + m) % p for p in goals] for m in multiples):
            at = next(i for i, wanted in enumerate(right) if found[i] != wanted)
            fault = Mismatch("definition", f"number {j}", hex(goals[at]), at, hex(right[at]), hex(got[at][j]))
    values = len(numbers) * len(goals)
    return report_on(name, [*edges], len(numbers), values, (*moduli, *goals), start, fault)


def verify_rescale(name: str, call: Callable[[Rows], Rows], spec: RescaleSpec, seed: int = 0) -> Report:
    """Compare a division by the last modulus d with integers, for numbers at which rounding changes and random numbers.

    Args:
        name: The name of the kernel.
        call: The kernel, a function on rows of integers.
        spec: The request.
        seed: The seed of the random numbers.

    Returns:
        The report.
    """
    rng, start, whole = random.Random(seed), time.perf_counter(), mpz(prod(spec.moduli))
    *others, d = map(mpz, spec.moduli)
    half = d // 2
    edges = {"0": 0, "⌊d/2⌋": half, "⌊d/2⌋ + 1": half + 1, "d - 1": d - 1, "d": d, "Q - 1": whole - 1,
             "Q - ⌊d/2⌋ - 1": whole - half - 1, "(Q - 1)/2": (whole - 1) // 2}  # fmt: skip
    numbers = [mpz(each) for each in edges.values()] + [mpz(rng.randrange(int(whole))) for _ in range(COLUMNS)]
    got = call([[int(a % q) for a in numbers] for q in spec.moduli])
    fault = None
    for i, q in enumerate(others):
        for j, a in enumerate(numbers):
            right = int(spec.quotient(a) % q)
            if fault is None and got[i][j] != right:
                fault = Mismatch("definition", f"number {j}", hex(q), i, hex(right), hex(got[i][j]))
    return report_on(name, [*edges], len(numbers), len(numbers) * len(others), spec.moduli, start, fault)
