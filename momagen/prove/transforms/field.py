"""The prime field in which residues are computed, so that polynomials can be compared by their values.

A residue that a kernel computes is a polynomial in the operands and the root of unity. Its coefficients are integers,
or fractions whose denominators are powers of two, and they are the same for every odd q. If two polynomials are equal
modulo r^(N/2) + 1, where r is the root, so are the residues for every q and root. They are compared at a random
operand and a random root in a field of more than 2^126 elements, where polynomials that differ have the same value
with a negligible probability only.
"""

from __future__ import annotations

import random
from copy import copy
from typing import TYPE_CHECKING, Any

from gmpy2 import invert, is_prime, mpz, powmod

from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Sequence

BITS = 127
POWERS = 1 << 13
"""The greatest binary logarithm of a power of two that is recognised."""


class RandomField:
    """The integers modulo a random prime with a random root of unity.

    Args:
        order: The order of the root, a power of two; None for a root that satisfies no equation.
        seed: What determines the random choices.
    """

    def __init__(self, order: int | None, seed: str) -> None:
        self.random = random.Random(seed)
        self.prime = self._prime(order or 1)
        self.root = self._root(order) if order else self.element()

    def _prime(self, order: int) -> Any:
        while True:
            found = mpz(self.random.getrandbits(BITS) // order * order + 1)
            if found.bit_length() == BITS and is_prime(found, 40):
                return found

    def _root(self, order: int) -> Any:
        while True:
            found = powmod(self.random.randrange(2, int(self.prime)), (self.prime - 1) // order, self.prime)
            if order == 1 or powmod(found, order // 2, self.prime) == self.prime - 1:
                return found

    def with_power_of_root(self, exponent: int) -> RandomField:
        """Return the same field with a power of the root in the place of the root."""
        found = copy(self)
        found.root = powmod(self.root, exponent, self.prime)
        return found

    def element(self) -> Any:
        """Return a random element."""
        return mpz(self.random.randrange(int(self.prime)))

    def inverse(self, a: Any) -> Any:
        """Return the inverse of an element.

        Raises:
            ProofError: The element is 0.
        """
        if a % self.prime == 0:
            raise ProofError("a residue is 0 and has no inverse")
        return invert(a, self.prime)

    def differ_by_power_of_two(self, a: Any, b: Any) -> bool:
        """Return whether a is b times a power of 2 or 1/2, or the negative of that."""
        ratio = a * invert(b, self.prime) % self.prime
        for base in (mpz(2), invert(2, self.prime)):
            power = mpz(1)
            for _ in range(POWERS):
                if power in (ratio, self.prime - ratio):
                    return True
                power = power * base % self.prime
        return False

    def evaluate(self, polynomial: tuple[tuple[Any, tuple[int, ...]], ...], values: Sequence[Any]) -> Any:
        """Return the value of a polynomial in some residues; None if one of them is not known."""
        total = mpz(0)
        for coefficient, product in polynomial:
            term = coefficient.numerator
            if coefficient.denominator != 1:
                term = term * invert(coefficient.denominator, self.prime)
            for i in product:
                if values[i] is None:
                    return None
                term = term * values[i] % self.prime
            total += term
        return total % self.prime
