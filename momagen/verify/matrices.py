"""Products with matrices against integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from gmpy2 import mpz

from .report import Mismatch, Report

Rows = Sequence[Sequence[int]]
COLUMNS = 24
"""Of operands, besides those of edge cases."""


def verify_product(name: str, call: Callable[[Rows], Rows], matrix: Rows, q: int, seed: int = 0) -> Report:
    """A product with ``matrix`` modulo q: every element of columns of edge residues and of random ones."""
    rng, start, inner = random.Random(seed), time.perf_counter(), len(matrix[0])
    edges = {"all q - 1": [q - 1] * inner, "all 0": [0] * inner, "all q // 2": [q // 2] * inner,
             "q - 1 and 0 alternating": [(q - 1) * (at % 2 == 0) for at in range(inner)]}  # fmt: skip
    columns = [*edges.values(), *([rng.randrange(q) for _ in range(inner)] for _ in range(COLUMNS))]
    got = call([*zip(*columns, strict=True)])
    fault = None
    for i, row in enumerate(matrix):
        for j, column in enumerate(columns):
            right = int(sum(mpz(a) * b for a, b in zip(row, column, strict=True)) % q)
            if fault is None and got[i][j] != right:
                fault = Mismatch("definition", f"column {j}", hex(q), i, hex(right), hex(got[i][j]))
    return report_on(name, [*edges], len(columns), len(columns) * len(matrix), (q,), start, fault)


def report_on(
    name: str, edges: Sequence[str], vectors: int, values: int, moduli: tuple[int, ...], start: float,
    fault: Mismatch | None,
) -> Report:  # fmt: skip
    elapsed = time.perf_counter() - start
    return Report(name, vectors, tuple(edges), {"definition": values}, moduli, (), elapsed, fault)
