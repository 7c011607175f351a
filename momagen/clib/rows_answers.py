"""Known answers of kernels on the rows of an RNS basis, computed with gmpy2 column by column from the definitions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from gmpy2 import mpz

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.fields import ROW
from momagen.kinds.rns.basis import RowsSpec

from .known_answers import FILLS, LENGTH, PLACES, RANDOM, Answer, digest, made

ARITH = Arith(ROW, ROW)
"""Residues of one word each."""
SEEDS = 1000
"""The distance between the seeds of two answers; each row has its own seed."""


def moduli_of(spec: RowsSpec) -> tuple[int, ...]:
    """Return all numbers that ``create`` takes as moduli."""
    return tuple(chain(*spec.kind.bases(spec)))


def rows_answers(spec: RowsSpec) -> Iterator[Answer]:
    """Yield answers for the kernel's moduli with every fill, and for most kinds also for the reversed basis."""
    for seed, fill in enumerate(FILLS, 1):
        yield from _answer(spec, fill, SEEDS * seed)
    if reversed_spec := spec.kind.reversed(spec):
        yield from _answer(reversed_spec, RANDOM, SEEDS * (len(FILLS) + 1))


def _answer(spec: RowsSpec, fill: str, seed: int) -> Iterator[Answer]:
    """Yield the answer for one input, unless the kernel promises no column of the result."""
    tops = [top for operand in spec.kind.tops(spec) for top in operand]
    rows = [made(fill, LENGTH, ARITH, top - 1, seed + at) for at, top in enumerate(tops)]
    columns = [spec.kind.define(spec, [mpz(row[at]) for row in rows]) for at in range(LENGTH)]
    right = [column.residues[row] for row in range(len(spec.goals)) for column in columns]
    sure = [at for at in range(len(right)) if columns[at % LENGTH].is_guaranteed]
    step = max(1, len(sure) // PLACES)
    shown = {at: right[at] for at in [*sure[::step][: PLACES - 1], *sure[-1:]]}
    whole = fill == RANDOM and len(sure) == len(right)
    moduli = moduli_of(spec)
    if shown:
        largest = tuple(top - 1 for top in tops)
        yield Answer(moduli[0], 0, fill, seed, largest, shown, digest(right, ARITH) if whole else 0, moduli)
