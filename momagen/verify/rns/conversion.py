"""Conversions between RNS bases, and division by the last modulus, against integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from math import prod

from gmpy2 import mpz

from momagen.kernels.rns.quotients import MARGIN
from momagen.verify.matrices import COLUMNS, Rows, report_on
from momagen.verify.report import Mismatch, Report


def verify_conversion(
    name: str, call: Callable[[Rows], Rows], moduli: Sequence[int], goals: Sequence[int], method: str,
    positive: bool = False, seed: int = 0,
) -> Report:  # fmt: skip
    """Compare a conversion of numbers at the edges and of random numbers with integers.

    Args:
        method: "exact"; "corrected", which is compared up to a margin of Q/2^40 below the ends of its range; or "fast",
            which is compared up to a multiple u·Q that all rows share.
        positive: the numbers are those from 0 to Q - 1, else those around 0.
    """
    rng, start, whole = random.Random(seed), time.perf_counter(), mpz(prod(moduli))
    exact, count = method != "fast", len(moduli)
    margin = (whole >> MARGIN - positive) * (method == "corrected")
    half = (whole - 1) // 2
    low, high = (mpz(0), whole - 1 - margin) if positive else (margin - half, half - margin)
    edges = {"0": 0, "1": 1, "the least": low, "the largest": high, "the largest - 1": high - 1, "Q/4": whole // 4}
    edges = {name: number for name, number in edges.items() if low <= number <= high}
    numbers = [mpz(each) for each in edges.values()]
    numbers += [mpz(rng.randrange(int(low), int(high) + 1)) for _ in range(COLUMNS)]
    got = call([[int(a % q) for a in numbers] for q in moduli])
    fault = None
    for j, a in enumerate(numbers):
        multiples = [mpz(0)] if exact else [u * whole for u in range(count)]
        lifted = a if exact else a % whole
        found, right = [row[j] for row in got], [int(lifted % p) for p in goals]
        if fault is None and not any(found == [(lifted + m) % p for p in goals] for m in multiples):
            at = next(i for i, wanted in enumerate(right) if found[i] != wanted)
            fault = Mismatch("definition", f"number {j}", hex(goals[at]), at, hex(right[at]), hex(got[at][j]))
    values = len(numbers) * len(goals)
    return report_on(name, [*edges], len(numbers), values, (*moduli, *goals), start, fault)


def verify_rescale(name: str, call: Callable[[Rows], Rows], moduli: Sequence[int], seed: int = 0) -> Report:
    """A division by the last modulus d: of numbers at the edges, where quotients are rounded, and of random ones."""
    rng, start, whole = random.Random(seed), time.perf_counter(), mpz(prod(moduli))
    *others, d = map(mpz, moduli)
    half = d // 2
    edges = {"0": 0, "⌊d/2⌋": half, "⌊d/2⌋ + 1": half + 1, "d": d, "Q - 1": whole - 1,
             "Q - ⌊d/2⌋ - 1": whole - half - 1, "(Q - 1)/2": (whole - 1) // 2}  # fmt: skip
    numbers = [mpz(each) for each in edges.values()] + [mpz(rng.randrange(int(whole))) for _ in range(COLUMNS)]
    got = call([[int(a % q) for a in numbers] for q in moduli])
    fault = None
    for i, q in enumerate(others):
        for j, a in enumerate(numbers):
            right = int((a + half) // d % q)
            if fault is None and got[i][j] != right:
                fault = Mismatch("definition", f"number {j}", hex(q), i, hex(right), hex(got[i][j]))
    return report_on(name, [*edges], len(numbers), len(numbers) * len(others), (*moduli,), start, fault)
