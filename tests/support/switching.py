"""Operands of ModDown and of key switching, and their results by the definitions."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import numpy as np
from gmpy2 import mpz

from momagen.kinds.columns import Column

EVERY = 5
"""Every column whose number is a multiple of this has the largest digits and keys."""


def rows(numbers: list[Any], moduli: tuple[int, ...]) -> np.ndarray:
    """Return the residues of numbers, a row for each modulus."""
    return np.array([[int(a % q) for a in numbers] for q in moduli], np.uint64)


def dividends(k: Any, n: int) -> list[int]:
    """Return numbers next to 0 and the largest one, next to multiples of P and of P/2, and random ones."""
    whole, divisor, rng = prod(k.moduli), k.spec.divisor, Random(n)
    near = [base + i for base in (0, divisor, divisor // 2, 3 * divisor // 2, whole, whole // 2) for i in range(-2, 3)]
    numbers = [*(a % whole for a in near), *(rng.randrange(whole) for _ in range(n))]
    return [a for a in numbers if defined_quotient(k, a).is_guaranteed][:n]


def defined_quotient(k: Any, a: int) -> Column:
    """Return the result of ModDown for a number by the definition."""
    found: Column = k.kind.define(k.spec, [mpz(a % q) for q in k.moduli])
    return found


def check_divided(k: Any, numbers: list[int], found: np.ndarray) -> None:
    """Compare the results of ModDown with the definition."""
    for a, column in zip(numbers, found.T.tolist(), strict=True):
        assert defined_quotient(k, a).allows(column, k.goals), hex(a)


def operands(k: Any, digits: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return random digits and keys; sums of the largest ones are the largest."""
    rng = Random(seed)

    def row(top: int) -> list[int]:
        return [top - 1 if c % EVERY == 0 else rng.choice([0, 1, rng.randrange(top)]) for c in range(n)]

    d = [[row(k.spec.input_factor * q) for q in k.moduli] for _ in range(digits)]
    keys = [[[row(q) for q in k.moduli] for _ in range(k.spec.outputs)] for _ in range(digits)]
    return np.array(d, np.uint64), np.array(keys, np.uint64)


def defined(k: Any, d: np.ndarray, keys: np.ndarray, order: Any = slice(None)) -> np.ndarray:
    """Return the sums of products of digits and keys by the definition."""
    q = np.array(k.moduli, object)[:, None]
    products = d.astype(object)[:, None, :, order] * keys.astype(object)
    return np.array(products.sum(axis=0) % q, np.uint64)
