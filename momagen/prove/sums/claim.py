"""What a generated sum of products must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST, InWords, sizes_of


@dataclass(frozen=True)
class SumOfProducts(InWords):
    """The claim of a kernel that computes the sum of the products of the elements of two vectors.

    ``create`` accepts every odd modulus q with ``least <= q <= greatest``, unless there is no memory, and no other one.
    For each q, every number n of elements and all vectors x and y of residues below q, ``execute`` stores one residue
    below q that is congruent to the sum of all x[i] * y[i].

    Attributes:
        name: The prefix of the functions.
        bits: The bits of the longest modulus.
        words: The words of a residue.
        word: The bits of a word, which the target states.
    """

    name: str
    bits: int
    words: int
    word: int
    least = 3

    @property
    def greatest(self) -> int:
        """The greatest modulus."""
        return (1 << self.bits) - 1

    def text(self) -> str:
        """Return the claim as a sentence."""
        return (
            f"For every odd q with 2 < q < 2^{self.bits} and every n <= 2^{LONGEST}: z = the sum of x[i] * y[i] for"
            " i < n (mod q) and z < q, if x, y < q. z is one residue, which may be the first one of x or y, and x may"
            " be the same array as y. No branch and no address in execute depends on x or y."
            " create accepts these q, unless there is no memory, and no other q. create returns an error if q is NULL,"
            " and execute does if the plan or z is NULL or, for n > 0, x or y."
            " The congruence is checked at a random point; an incorrect one passes with a probability below 2^-64."
        )


def sum_of(manifest: dict[str, Any]) -> SumOfProducts:
    """Return the claim of a saved sum of products from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    if spec["options"] or spec["basis"] or spec["montgomery"]:
        raise ProofError("there is no claim for these options yet")
    return SumOfProducts(manifest["name"], *sizes_of(spec))
