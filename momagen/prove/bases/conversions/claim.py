"""The claims of kernels that convert residues from one RNS basis to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.prove.bases.claim import BasisClaim, sizes_of
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.transforms.claim import CHANCE, NO_CLAIM

METHODS = "exact", "corrected", "fast"
"""The methods that have a claim."""
PRECISION = 40
"""A corrected number may exceed Q / 2 by at most Q / 2^40."""


@dataclass(frozen=True)
class Conversion(BasisClaim):
    """The claim of a kernel that computes the residues of numbers modulo the target moduli p from those modulo q.

    The moduli of the claim are all q, followed by all p. ``create`` accepts all moduli of which each lies between
    ``least`` and ``greatest``, if any two q have no common factor and, for an exact conversion, all q are odd.

    Attributes:
        goals: The number of target moduli.
        method: How residues are converted.
        is_positive: Whether residues are those of numbers from 0 to Q - 1 instead of numbers around 0.
        is_scaled: Whether numbers are multiplied by P / Q, where P is the product of all p.
    """

    goals: int
    method: str
    is_positive: bool
    is_scaled: bool
    kind = "convert"
    vectors = "z", "x"

    @property
    def sources(self) -> int:
        """The number of source moduli."""
        return self.count - self.goals

    @property
    def source_tags(self) -> range:
        """The indices of the source moduli."""
        return range(self.sources)

    @property
    def goal_tags(self) -> range:
        """The indices of the target moduli."""
        return range(self.sources, self.count)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers that ``create`` takes: the numbers of source moduli and of target moduli."""
        return self.sources, self.goals

    @property
    def arrays(self) -> tuple[tuple[str, int], ...]:
        """The arrays of moduli that ``create`` takes, each with its length."""
        return ("q", self.sources), ("p", self.goals)

    @property
    def parities(self) -> dict[int, int]:
        """The parity of each modulus that may not have the other one."""
        return dict.fromkeys(range(self.sources), 1) if self.method == "exact" else {}

    @property
    def results(self) -> int:
        """The number of rows of the result."""
        return self.goals

    @property
    def is_centred(self) -> bool:
        """Whether a number x above (Q - 1) / 2 represents x - Q."""
        return self.method == "exact" and not self.is_positive

    def text(self) -> str:
        """Return the claim as a sentence."""
        odd = "odd " if self.parities else ""
        coprime = " without a common factor with Q" if self.is_scaled else ""
        return (
            f"For all {self.sources} {odd}moduli q[i] of which no two have a common factor, all {self.goals} moduli"
            f" p[j]{coprime}, each of them above 1 and below 2^{self.bits}, every n <= 2^{LONGEST}, and in each of the"
            f" n columns, if all x[i] < q[i]: {self._result()} and z[j] < p[j], for all j. Q is the product of all"
            " q[i]. z must not overlap x. No branch and no address depends on x. create for these numbers of moduli"
            " accepts these, unless there is no memory, and no others. create returns an error if q or p is NULL, and"
            f" execute and execute_rows do if the plan is NULL or, for n > 0, z or x. {CHANCE}"
        )

    def _result(self) -> str:
        """Return what the result is, as a part of a sentence."""
        if self.method == "fast":
            return (
                "z[j] is the sum of y[i] * Q / q[i] over all i (mod p[j]), where y[i] < q[i] is x[i] / (Q / q[i]) (mod"
                " q[i])"
            )
        if self.is_scaled:
            return (
                "z[j] is P * a / Q, rounded to the nearest integer, (mod p[j]) for the product P of all p[j] and every"
                " integer a with a = x[i] (mod q[i]) for all i"
            )
        if self.method == "corrected":
            return (
                "z[j] = r (mod p[j]) for an integer r, the same for all j, with -Q / 2 <= r < Q / 2 +"
                f" Q / 2^{PRECISION} and r = x[i] (mod q[i]) for all i"
            )
        numbers = "0 <= a < Q" if self.is_positive else "|a| < Q / 2"
        return f"z[j] = a (mod p[j]) for the integer a with {numbers} and a = x[i] (mod q[i]) for all i"


@dataclass(frozen=True)
class ModDown(BasisClaim):
    """The claim of a kernel that divides by the product P of the last moduli of a basis.

    ``create`` accepts all moduli between ``least`` and ``greatest`` and all words s and t, if no divisor has a common
    factor with t or another modulus and, for an exact division, all divisors are odd.

    Attributes:
        drop: The number of divisors, which are the last moduli.
        method: How quotients are rounded.
    """

    drop: int
    method: str
    kind = "moddown"
    vectors = "z", "x"
    scalars = "s", "t"

    @property
    def source_tags(self) -> range:
        """The indices of the divisors."""
        return range(self.count - self.drop, self.count)

    @property
    def goal_tags(self) -> range:
        """The indices of the moduli of the result."""
        return range(self.count - self.drop)

    @property
    def order(self) -> tuple[int, ...]:
        """The order of the moduli in which the first one outside the claim is looked for."""
        return *self.source_tags, *self.goal_tags

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers that ``create`` takes: the number of moduli and the number of divisors."""
        return self.count, self.drop

    @property
    def parities(self) -> dict[int, int]:
        """The parity of each modulus that may not have the other one."""
        return dict.fromkeys(self.source_tags, 1) if self.method == "exact" else {}

    @property
    def results(self) -> int:
        """The number of rows of the result."""
        return len(self.goal_tags)

    @property
    def is_centred(self) -> bool:
        """Whether remainders lie around 0."""
        return self.method == "exact"

    def text(self) -> str:
        """Return the claim as a sentence."""
        goals = len(self.goal_tags)
        odd = ", each of them odd," if self.parities else ""
        if self.method == "exact":
            rest = "r is the integer with |r| < P / 2 and t * r = s * a (mod P)"
        elif self.method == "corrected":
            rest = (
                f"r, the same for all j, is an integer with -P / 2 <= r < P / 2 + P / 2^{PRECISION} and t * r = s * a"
                " (mod P)"
            )
        else:
            rest = (
                "r is the sum of y[i] * P / q[i] over all divisors q[i], where y[i] < q[i] is s * a / (t * P / q[i])"
                " (mod q[i])"
            )
        return (
            f"For all {self.count} moduli q[i] with 1 < q[i] < 2^{self.bits} of which the last {self.drop}, the"
            f" divisors,{odd} have no common factor with t or another modulus, all words s and t, every"
            f" n <= 2^{LONGEST}, and in each of the n columns for every integer a with a = x[i] (mod q[i]) for all i,"
            f" if all x[i] < q[i]: z[j] = (s * a - t * r) / P (mod q[j]) and z[j] < q[j], for j < {goals}. P is the"
            f" product of the divisors, and {rest}. z may be the same array as x or, in execute_rows, all rows of z"
            " those of x. No branch and no address depends on x. create for these numbers of moduli accepts these,"
            " unless there is no memory, and no others. create returns an error if q is NULL, and execute and"
            f" execute_rows do if the plan is NULL or, for n > 0, z or x. {CHANCE}"
        )


def division_of(manifest: dict[str, Any]) -> ModDown:
    """Return the claim of a saved kernel that divides by several moduli from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    count, bits, word = sizes_of(manifest, spec["moduli"])
    if spec["method"] not in METHODS or not 1 <= spec["drop"] < count:
        raise ProofError(NO_CLAIM)
    return ModDown(manifest["name"], count, bits, word, spec["drop"], spec["method"])


def conversion_of(manifest: dict[str, Any]) -> Conversion:
    """Return the claim of a saved kernel that converts residues from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    if spec["method"] not in METHODS or spec["engine"] or not spec["moduli"] or not spec["to"]:
        raise ProofError(NO_CLAIM)
    if spec["method"] == "corrected" and spec["positive"]:
        raise ProofError(NO_CLAIM)
    if spec["scaled"] and (spec["method"] != "exact" or spec["positive"]):
        raise ProofError(NO_CLAIM)
    sizes = sizes_of(manifest, [*spec["moduli"], *spec["to"]])
    return Conversion(manifest["name"], *sizes, len(spec["to"]), spec["method"], spec["positive"], spec["scaled"])
