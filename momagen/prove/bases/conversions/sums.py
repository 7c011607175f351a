"""The numbers that kernels compute from residues modulo several moduli, the *sources*: by digits or by shares.

The *mixed-radix digits* of the number v from 0 to Q - 1 with the residues v[i] modulo the sources q[i] are the numbers
d[i] below q[i] with v = d[0] + d[1] * q[0] + d[2] * q[0] * q[1] + ... So d[i] is (v[i] - d[0] - ... - d[i - 1] *
P[i - 1]) / P[i] modulo q[i], where P[k] is the product of the first k sources. If all sources are odd, the digits of
(Q - 1) / 2 are (q[i] - 1) / 2. So v is above it if and only if f is 1 after the last digit, where f is 0 before the
first one, and 1 after a digit if and only if d[i] + f > (q[i] - 1) / 2.

The *shares* are the numbers y[i] below q[i] that are congruent to v[i] / (Q / q[i]) modulo q[i]. The sum of all
y[i] * Q / q[i] is v plus a multiple of Q. With the estimate e, this sum minus e * Q is a number r, where r / Q is
y[0] / q[0] + y[1] / q[1] + ... - e. As y[i] / q[i] exceeds y[i] * c[i] / 2^K by at least 0 and less than q[i] / 2^K,
r / Q is at least -1 / 2, and below 1 / 2 plus the sum of all q[i] / 2^K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import mpz

from momagen.prove.bases.conversions.claim import PRECISION
from momagen.prove.bases.conversions.estimates import EstimateRun
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from momagen.prove.bases.columns import Column
    from momagen.prove.transforms.stored import Stored


class SourceRun(EstimateRun):
    """A run of a kernel that computes numbers from their residues modulo some sources."""

    @property
    def goals(self) -> range:
        """The indices of the moduli of the result."""
        return self.claim.goal_tags  # type: ignore[no-any-return]

    def product(self, tags: Iterable[int], tag: int) -> Any:
        """Return the residue of the product of some moduli modulo another modulus."""
        product = mpz(1)
        for other in tags:
            product = product * self.face_of_modulus(other, tag) % self.field.prime
        return product

    def others(self, i: int) -> list[int]:
        """Return the indices of all sources but one."""
        return [k for k in self.sources if k != i]

    def divisor(self, i: int) -> Any:
        """Return the residue of what the kernel divides by to compute digit or share i, modulo its modulus."""
        is_exact = self.claim.method == "exact"
        return self.product(range(self.sources.start, i) if is_exact else self.others(i), i)

    def check_units(self) -> None:
        """Check that the plan has the inverses that exist only for the moduli of the claim."""
        if not all(residue == 1 or (residue, tag) in self._inverses for residue, tag in self.units()):
            raise ProofError("create is not proven to check all moduli for common factors")

    def computed(self, values: dict[int, Any], tag: int) -> Any:
        """Return the residue of the number that is computed from residues modulo the sources, modulo another modulus.

        Args:
            values: The residue modulo each source, by its index.
            tag: The index of the other modulus.
        """
        self.check_units()
        return self._by_digits(values, tag) if self.claim.method == "exact" else self._by_shares(values, tag)

    def _by_shares(self, values: dict[int, Any], tag: int) -> Any:
        total, shares = mpz(0), []
        for i in self.sources:
            shares.append(values[i] * self.field.inverse(self.product(self.others(i), i)) % self.field.prime)
            total += self.face(shares[-1], i, tag) * self.product(self.others(i), tag)
        if self.claim.method == "corrected":
            key = self.key_of_estimate(self.power(), tuple(shares))
            total -= self.face_of_key(key, tag) * self.product(self.sources, tag)
        return total % self.field.prime

    def power(self) -> int:
        """Return the exponent K of the reciprocals, after a check that estimates are as precise as the claim says."""
        powers = {power for _, power, _ in self.reciprocals.values()}
        if len(powers) != 1 or len(self.sources) << self.claim.bits + PRECISION > 1 << min(powers):
            raise ProofError("the multiple of the product of all sources is not proven to be precise")
        return min(powers)

    def _by_digits(self, values: dict[int, Any], tag: int) -> Any:
        digits: dict[int, Any] = {}
        key, total = None, mpz(0)
        for i in self.sources:
            rest = values[i]
            for k, digit in digits.items():
                rest -= self.face(digit, k, i) * self._below(k, i)
            digits[i] = rest * self.field.inverse(self._below(i, i)) % self.field.prime
            total += self.face(digits[i], i, tag) * self._below(i, tag)
            key = self.key_above(i, digits[i], key)
        if self.claim.is_centred:
            total -= self.face_of_key(key, tag) * self.product(self.sources, tag)
        return total % self.field.prime

    def _below(self, i: int, tag: int) -> Any:
        """Return the residue of the product of the sources before one of them."""
        return self.product(range(self.sources.start, i), tag)

    def operand(self, key: Column) -> Stored:
        """Return the number in a column of x."""
        if key not in self.operands:
            self.operands[key] = self.tagged("x", key[1], is_secret=True)
        return self.operands[key]

    def check_residue(self, number: Stored, row: int, tag: int, expected: Any) -> None:
        """Check that a result is below its modulus and has a residue."""
        if not number.is_reduced or self.tag_of(number) != tag:
            raise ProofError(f"a result of row {row} is not proven to be below its modulus")
        if (number.residue - expected) % self.field.prime:
            raise ProofError(f"a result of row {row} is not proven to be the residue of the claim")
