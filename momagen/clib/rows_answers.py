"""Known answers of kernels on the rows of an RNS basis, computed with gmpy2 column by column from the definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import NamedTuple, cast

from gmpy2 import invert, mpz

from momagen.kernels.residues.arith import Arith
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MARGIN
from momagen.kinds.modular.fields import ROW
from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.moddown import ModDownSpec
from momagen.kinds.rns.ranges import converted_range
from momagen.kinds.rns.rescale import RescaleSpec

from .known_answers import FILLS, LENGTH, PLACES, RANDOM, Answer, digest, made

ARITH = Arith(ROW, ROW)
"""Residues of one word each."""
SEEDS = 1000
"""The distance between the seeds of two answers; each row has its own seed."""


class Column(NamedTuple):
    """One column of the result.

    Attributes:
        residues: The residues of the column.
        sure: Whether the kernel guarantees these residues.
    """

    residues: list[int]
    sure: bool = True


def moduli_of(spec: RowsSpec) -> tuple[int, ...]:
    """Return all numbers that ``create`` takes as moduli."""
    return (*spec.moduli, *spec.goals) if isinstance(spec, ConversionSpec) else spec.moduli


def tops_of(spec: RowsSpec) -> list[list[int]]:
    """Return, for each operand, the number above the residues of each row."""
    if not isinstance(spec, KeySwitchSpec):
        return [[*spec.moduli]]
    digits = [spec.input_factor * q for q in spec.moduli] * spec.digits
    return [digits, [*spec.moduli] * spec.outputs * spec.digits]


def rows_answers(spec: RowsSpec) -> Iterator[Answer]:
    """Yield answers for the kernel's moduli with every fill, and for most kinds also for the reversed basis."""
    for seed, fill in enumerate(FILLS, 1):
        yield from _answer(spec, fill, SEEDS * seed)
    if spec.bits <= LONGEST and not isinstance(spec, ModDownSpec):  # its last moduli have more conditions
        yield from _answer(_reversed(spec), RANDOM, SEEDS * (len(FILLS) + 1))


def _reversed(spec: RowsSpec) -> RowsSpec:
    """Return the request for the reversed basis, in which a redundant modulus stays the last one."""
    if not isinstance(spec, ConversionSpec):
        return replace(cast(RescaleSpec, spec), moduli=spec.moduli[::-1])
    moduli = *spec.base[::-1], *spec.moduli[len(spec.base) :]
    return replace(spec, moduli=moduli, goals=spec.goals[::-1])


def _answer(spec: RowsSpec, fill: str, seed: int) -> Iterator[Answer]:
    """Yield the answer for one input, unless the kernel promises no column of the result."""
    tops = [top for operand in tops_of(spec) for top in operand]
    rows = [made(fill, LENGTH, ARITH, top - 1, seed + at) for at, top in enumerate(tops)]
    define = DEFINITIONS[type(spec)]
    columns = [define(spec, [mpz(row[at]) for row in rows]) for at in range(LENGTH)]
    right = [column.residues[row] for row in range(len(spec.goals)) for column in columns]
    sure = [at for at in range(len(right)) if columns[at % LENGTH].sure]
    step = max(1, len(sure) // PLACES)
    shown = {at: right[at] for at in [*sure[::step][: PLACES - 1], *sure[-1:]]}
    whole = fill == RANDOM and len(sure) == len(right)
    moduli = moduli_of(spec)
    if shown:
        largest = tuple(top - 1 for top in tops)
        yield Answer(moduli[0], 0, fill, seed, largest, shown, digest(right, ARITH) if whole else 0, moduli)


def _number(residues: Sequence[mpz], moduli: tuple[int, ...]) -> mpz:
    """Return the number with these residues as Q·Σ_i y_i/q_i for y_i = x_i·(Q/q_i)^-1 modulo q_i, not reduced by Q."""
    terms = zip(residues, moduli, _cofactors(moduli), strict=True)
    return sum((x * inverse % q * part for x, q, (part, inverse) in terms), mpz(0))


@lru_cache(maxsize=4)
def _cofactors(moduli: tuple[int, ...]) -> list[tuple[mpz, mpz]]:
    """Return Q/q_i and its inverse modulo q_i for each of the moduli."""
    parts = [_product(moduli) // q for q in moduli]
    return [(part, invert(part, q)) for part, q in zip(parts, moduli, strict=True)]


@lru_cache(maxsize=4)
def _product(moduli: tuple[int, ...]) -> mpz:
    """Return Q."""
    return mpz(prod(moduli))


def _converted(spec: RowsSpec, residues: Sequence[mpz]) -> Column:
    """Convert one number.

    The fast method converts a + u·Q, where the shares y_i are reduced by their moduli. With scaling by P/Q, the
    converted number is the remainder of P·a modulo Q, and the result is the quotient.
    """
    assert isinstance(spec, ConversionSpec)
    scale, product, sure = mpz(prod(spec.goals) if spec.scaled else 1), _product(spec.moduli), True
    a = _number([x * scale % q for x, q in zip(residues, spec.moduli, strict=True)], spec.moduli)
    if spec.method != "fast":
        a %= product
        a -= product * (not spec.positive and 2 * a > product)
        low, high = converted_range(spec)
        sure = low <= a <= high
    result = (scale * (_number(residues, spec.moduli) % product) - a) // product if spec.scaled else a
    return Column([int(result % p) for p in spec.goals], sure)


def _divided(spec: RowsSpec, residues: Sequence[mpz]) -> Column:
    """Divide one number by the last modulus, and round."""
    assert isinstance(spec, RescaleSpec)
    quotient = spec.quotient(_number(residues, spec.moduli) % _product(spec.moduli))
    return Column([int(quotient % q) for q in spec.goals])


def _divided_by_several(spec: RowsSpec, residues: Sequence[mpz]) -> Column:
    """Divide one number by the product P of the last moduli.

    The fast method uses r = Σ_j y_j·P/p_j without reduction.
    """
    assert isinstance(spec, ModDownSpec)
    s, t, product, sure = spec.scale, spec.plaintext_modulus, _product(spec.sources), True
    scaled = [x * s * invert(t, p) % p for x, p in zip(residues[-spec.drop :], spec.sources, strict=True)]
    r = _number(scaled, spec.sources)
    if spec.method != "fast":
        r %= product
        r -= product * (2 * r > product)
        sure = not spec.corrected or product // 2 - abs(r) > product >> MARGIN
    quotient = (_number(residues, spec.moduli) % _product(spec.moduli) * s - t * r) // product
    return Column([int(quotient % q) for q in spec.goals], sure)


def _summed(spec: RowsSpec, residues: Sequence[mpz]) -> Column:
    """Add the products of digits and keys modulo every modulus, for one output after another."""
    assert isinstance(spec, KeySwitchSpec)
    count = len(spec.moduli)
    digits, keys = residues[: spec.digits * count], residues[spec.digits * count :]
    return Column([
        int(sum(digits[j * count + i] * keys[(j * spec.outputs + o) * count + i] for j in range(spec.digits)) % q)
        for o in range(spec.outputs) for i, q in enumerate(spec.moduli)
    ])  # fmt: skip


DEFINITIONS: dict[type, Callable[[RowsSpec, Sequence[mpz]], Column]] = {
    ConversionSpec: _converted, RescaleSpec: _divided, KeySwitchSpec: _summed,
    ModDownSpec: _divided_by_several,
}  # fmt: skip
"""The definition of each kind of kernels, column by column."""
