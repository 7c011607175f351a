"""The verification of division by the product of the last moduli of an RNS basis, by integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from math import prod

from gmpy2 import invert, mpz

from momagen.kernels.rns.quotients import MARGIN
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.verify.matrices import COLUMNS, Rows, report_on
from momagen.verify.report import Mismatch, Report


def verify_moddown(name: str, call: Callable[[Rows], Rows], spec: ModDownSpec, seed: int = 0) -> Report:
    """Compare a kernel with the definition, for numbers at the edges and random numbers.

    The method "fast" is compared up to a multiple of P that all rows share, and "corrected" for numbers whose
    representative is not within the margin of ±P/2.

    Args:
        name: The name of the kernel.
        call: The kernel, a function on rows of integers.
        spec: The request.
        seed: The seed of the random numbers.

    Returns:
        The report.
    """
    rng, start, whole, divisor = random.Random(seed), time.perf_counter(), mpz(prod(spec.moduli)), mpz(spec.divisor)
    edges = {"0": 0, "1": 1, "P": divisor, "P - 1": divisor - 1, "⌊P/2⌋": divisor // 2, "⌊P/2⌋ + 1": divisor // 2 + 1,
             "Q·P - 1": whole - 1, "⌊Q·P/2⌋": whole // 2}  # fmt: skip
    edges = {each: number for each, number in edges.items() if not is_near(spec, mpz(number))}
    numbers = [mpz(each) for each in edges.values()]
    numbers += [a for a in (mpz(rng.randrange(int(whole))) for _ in range(COLUMNS)) if not is_near(spec, a)]
    got = call([[int(a % q) for a in numbers] for q in spec.moduli])
    fault = None
    for j, a in enumerate(numbers):
        found, right = [row[j] for row in got], [*results(spec, a)]
        if fault is None and found not in right:
            at = next(i for i, wanted in enumerate(right[0]) if found[i] != wanted)
            fault = Mismatch("definition", f"number {j}", hex(spec.goals[at]), at, hex(right[0][at]), hex(found[at]))
    return report_on(name, [*edges], len(numbers), len(numbers) * len(spec.goals), spec.moduli, start, fault)


def is_near(spec: ModDownSpec, a: mpz) -> bool:
    """Return whether rounding may select the representative of the other sign."""
    r = _remainder(spec, a)
    return spec.corrected and abs(2 * r - spec.divisor) <= spec.divisor >> MARGIN - 1


def results(spec: ModDownSpec, a: mpz) -> Iterator[list[int]]:
    """Yield the rows that a kernel may compute for a number, the row of the smallest representative first."""
    r = _remainder(spec, a)
    least = r - spec.divisor * (2 * r > spec.divisor) * (spec.method != "fast")
    for u in range(spec.drop if spec.method == "fast" else 1):
        value = (spec.scale * a - spec.plaintext_modulus * (least + u * spec.divisor)) // spec.divisor
        yield [int(value % q) for q in spec.goals]


def _remainder(spec: ModDownSpec, a: mpz) -> mpz:
    """Return s·a/t modulo P, from 0 to P - 1."""
    divisor = mpz(spec.divisor)
    return spec.scale * a * invert(mpz(spec.plaintext_modulus), divisor) % divisor
