"""Numbers and their residues modulo an RNS basis, on integers of gmpy2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod

from gmpy2 import invert, mpz


def residues_of(numbers: Mapping[str, int], moduli: Sequence[int]) -> Mapping[str, Sequence[int]]:
    """Return the residues of each number."""
    return {name: [int(number % q) for q in moduli] for name, number in numbers.items()}


def number_of(residues: Sequence[mpz], moduli: tuple[int, ...]) -> mpz:
    """Return the number with these residues as Q·Σ_i y_i/q_i for y_i = x_i·(Q/q_i)^-1 modulo q_i, not reduced by Q."""
    terms = zip(residues, moduli, _cofactors(moduli), strict=True)
    return sum((x * inverse % q * part for x, q, (part, inverse) in terms), mpz(0))


@lru_cache(maxsize=4)
def _cofactors(moduli: tuple[int, ...]) -> list[tuple[mpz, mpz]]:
    """Return Q/q_i and its inverse modulo q_i for each of the moduli."""
    parts = [product_of(moduli) // q for q in moduli]
    return [(part, invert(part, q)) for part, q in zip(parts, moduli, strict=True)]


@lru_cache(maxsize=4)
def product_of(moduli: tuple[int, ...]) -> mpz:
    """Return Q."""
    return mpz(prod(moduli))
