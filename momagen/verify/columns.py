"""The verification of kernels that compute every column of their result from the same column of their operands."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, cycle, islice
from math import prod
from typing import Any

import numpy as np
from gmpy2 import mpz

from momagen.kinds.columns import Column, ColumnsKind
from momagen.languages import COMPILED

from .report import Mismatch, Report

COLUMNS = 61
"""The number of columns, which is not a multiple of any number of lanes."""
OTHERS = 1, 2, 3, 1100
"""Numbers of columns of further calls: less than a group of vectors, and more than two blocks and a part."""
Columns = Sequence[Sequence[int]]


def verify_columns(name: str, call: Callable[..., Any], kind: ColumnsKind, spec: Any, seed: int = 0) -> Report:
    """Compare a kernel with the definition of its kind, for edge cases and random columns.

    If a call takes a permutation of the columns of the first operand, a second call has one. Kernels in C are also
    called with other numbers of columns, which repeat those of the first call and are not counted.

    Args:
        name: The name of the kernel.
        call: The kernel, a function on lists of integers.
        kind: The kind of kernel.
        spec: The request.
        seed: The seed of the random columns.

    Returns:
        The report.
    """
    rng, start, goals = random.Random(seed), time.perf_counter(), kind.goals(spec)
    edges = {name: each for name, each in kind.edge_columns(spec).items() if _defined(kind, spec, each).is_guaranteed}
    columns = [*edges.values(), *(kind.random_column(spec, rng) for _ in range(COLUMNS - len(edges)))]
    trials = [_compared(call, kind, spec, columns)]
    if kind.permutes:
        trials.append(_compared(call, kind, spec, columns, rng.sample(range(COLUMNS), COLUMNS)))
    found = [each for trial in trials for each in trial]
    counts = OTHERS if spec.target.syntax == COMPILED else ()
    others = chain.from_iterable(_compared(call, kind, spec, [*islice(cycle(columns), count)]) for count in counts)
    fault, moduli = next(filter(None, chain(found, others)), None), tuple(dict.fromkeys((*spec.moduli, *goals)))
    values, elapsed = len(found) * len(goals), time.perf_counter() - start
    return Report(name, len(found), tuple(edges), {"definition": values}, moduli, (), elapsed, fault)


def _compared(
    call: Callable[..., Any], kind: ColumnsKind, spec: Any, columns: Columns, order: Sequence[int] = ()
) -> Iterator[Mismatch | None]:
    """Call the kernel and yield the first incorrect value, or None, of each column that the kernel guarantees."""
    goals, given, known = kind.goals(spec), [order] if order else [], dict[tuple[int, ...], Column]()
    got = np.array(call(*_operands(kind, spec, columns), *given), object).reshape(len(goals), -1).T.tolist()
    first = len(kind.tops(spec)[0])
    taken = [[*columns[at][:first], *own[first:]] for at, own in zip(order or range(len(got)), columns, strict=True)]
    for at, (column, found) in enumerate(zip(taken, got, strict=True)):
        key = tuple(column)
        defined = known[key] = known.get(key) or _defined(kind, spec, column)
        if defined.is_guaranteed:
            where = f"column {at}{', permuted' * bool(order)}"
            yield None if defined.allows(found, goals) else _mismatch(where, defined, found, goals)


def _operands(kind: ColumnsKind, spec: Any, columns: Columns) -> list[Any]:
    """Return columns as the operands of a call: nested lists of rows."""
    rows, shapes = np.array(columns, object).T, kind.shapes(spec)
    parts = np.split(rows, [*accumulate(map(prod, shapes))][:-1])
    return [part.reshape(*shape, -1).tolist() for part, shape in zip(parts, shapes, strict=True)]


def _defined(kind: ColumnsKind, spec: Any, column: Sequence[int]) -> Column:
    """Return a column of the result by the definition."""
    return kind.define(spec, [mpz(each) for each in column])


def _mismatch(where: str, defined: Column, found: Sequence[int], goals: Sequence[int]) -> Mismatch:
    """Return the first incorrect residue of a column."""
    at = next(i for i, residue in enumerate(defined.residues) if found[i] != residue)
    return Mismatch("definition", where, hex(goals[at]), at, hex(defined.residues[at]), hex(found[at]))
