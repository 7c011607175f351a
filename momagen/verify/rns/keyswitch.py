"""The verification of the inner product of key switching, by integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from gmpy2 import mpz

from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.verify.matrices import report_on
from momagen.verify.report import Mismatch, Report

COLUMNS = 61
"""The number of columns, which is not a multiple of any number of lanes."""


def verify_keyswitch(name: str, call: Callable[..., Any], spec: KeySwitchSpec, seed: int = 0) -> Report:
    """Compare a kernel with the definition, with the columns in order and permuted.

    The first columns have the largest digits and keys, then zeros, then a 1 on one side; the others are random.

    Args:
        name: The name of the kernel.
        call: The kernel.
        spec: The request.
        seed: The seed of the random numbers.

    Returns:
        The report.
    """
    rng, start = random.Random(seed), time.perf_counter()
    edges = ("largest digits and keys", "zeros", "largest digits, keys 1", "digits 1, largest keys")
    digits = [[_row(rng, spec.input_factor * q, (-1, 0, -1, 1)) for q in spec.moduli] for _ in range(spec.digits)]
    keys = [
        [[_row(rng, q, (-1, 0, 1, -1)) for q in spec.moduli] for _ in range(spec.outputs)] for _ in range(spec.digits)
    ]
    fault, order = None, rng.sample(range(COLUMNS), COLUMNS)
    for columns, given in ((range(COLUMNS), ()), (order, (order,))):
        got = call(digits, keys, *given)
        for o in range(spec.outputs):
            for i, q in enumerate(spec.moduli):
                for at, column in enumerate(columns):
                    terms = (mpz(d[i][column]) * k[o][i][at] for d, k in zip(digits, keys, strict=True))
                    right = int(sum(terms) % q)
                    if fault is None and got[o][i][at] != right:
                        where = f"output {o}, column {at}{', permuted' * bool(given)}"
                        fault = Mismatch("definition", where, hex(q), at, hex(right), hex(got[o][i][at]))
    values = 2 * COLUMNS * spec.outputs * len(spec.moduli)
    return report_on(name, edges, 2 * COLUMNS, values, spec.moduli, start, fault)


def _row(rng: random.Random, top: int, first: tuple[int, ...]) -> list[int]:
    """Return residues below ``top``: those in ``first``, where -1 is the largest residue, and then random ones."""
    return [*(each % top for each in first), *(rng.randrange(top) for _ in range(COLUMNS - len(first)))]
