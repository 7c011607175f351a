"""The verification of products with matrices, by integers of gmpy2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from gmpy2 import mpz

from .report import Mismatch, Report

Rows = Sequence[Sequence[int]]
COLUMNS = 24
"""The number of columns of operands, in addition to those of edge cases."""


def verify_product(name: str, call: Callable[[Rows], Rows], matrix: Rows, q: int, seed: int = 0) -> Report:
    """Compare a product with a matrix modulo q with the definition, for columns of edge and random residues.

    Args:
        name: The name of the kernel.
        call: The kernel, a function on rows of integers.
        matrix: The rows of the matrix.
        q: The modulus.
        seed: The seed of the random residues.

    Returns:
        The report.
    """
    rng, start, inner = random.Random(seed), time.perf_counter(), len(matrix[0])
    edges = {"all q - 1": [q - 1] * inner, "all 0": [0] * inner, "all q // 2": [q // 2] * inner,
             "q - 1 and 0 alternating": [(q - 1) * (at % 2 == 0) for at in range(inner)]}  # fmt: skip
    columns = [*edges.values(), *([rng.randrange(q) for _ in range(inner)] for _ in range(COLUMNS))]
    got = call([list(row) for row in zip(*columns, strict=True)])
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
    """Return the report of a comparison with the definition.

    Args:
        name: The name of the kernel.
        edges: The names of the edge cases.
        vectors: The number of vectors.
        values: The number of values.
        moduli: The moduli.
        start: The time at which the comparison began.
        fault: The first incorrect value, or None.
    """
    elapsed = time.perf_counter() - start
    return Report(name, vectors, tuple(edges), {"definition": values}, moduli, (), elapsed, fault)
