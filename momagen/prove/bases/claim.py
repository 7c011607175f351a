"""What a generated kernel for an RNS basis must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST, InWords
from momagen.prove.transforms.claim import CHANCE, NO_CLAIM, Moduli


@dataclass(frozen=True)
class Rescaling(InWords):
    """The claim of a kernel that divides numbers by the last modulus d of an RNS basis.

    ``create`` accepts all moduli of which each lies between ``least`` and ``greatest`` and has no common factor with d,
    unless there is no memory, and no others. For each number a with the residues x[i], and every column, ``execute``
    and ``execute_rows`` store the residues of floor((a + m) / d) modulo all other moduli, where m is floor(d / 2) if
    quotients are rounded to the nearest integer, and 0 if they are rounded down.

    Attributes:
        name: The prefix of the functions.
        count: The number of moduli.
        bits: The bits of the longest modulus.
        word: The bits of a word.
        is_nearest: Whether quotients are rounded to the nearest integer.
    """

    name: str
    count: int
    bits: int
    word: int
    is_nearest: bool
    words = 1
    least = 2

    @property
    def greatest(self) -> int:
        """The greatest modulus."""
        return (1 << self.bits) - 1

    @property
    def moduli(self) -> Moduli:
        """The range of each modulus."""
        return Moduli(self.least, self.greatest, None)

    def text(self) -> str:
        """Return the claim as a sentence."""
        last = self.count - 1
        rounded = "floor((a + floor(d / 2)) / d)" if self.is_nearest else "floor(a / d)"
        return (
            f"For all {self.count} moduli q[i] with 1 < q[i] < 2^{self.bits} of which the last, d, has no common factor"
            f" with another one, every n <= 2^{LONGEST}, and in each of the n columns for every integer a with"
            f" a = x[i] (mod q[i]) for all i, if all x[i] < q[i]: z[i] = {rounded} (mod q[i]) and z[i] < q[i], for"
            f" i < {last}. z may be the same array as x or, in execute_rows, all rows of z those of x. No branch and no"
            " address depends on x. create for this number of moduli accepts these, unless there is no memory, and"
            " no others. create returns an error if q is NULL, and execute and execute_rows do if the plan is NULL or,"
            f" for n > 0, z or x. {CHANCE}"
        )


def rescaling_of(manifest: dict[str, Any]) -> Rescaling:
    """Return the claim of a saved kernel that rescales from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    moduli = [int(q, 0) for q in spec["moduli"]]
    bits = max(q.bit_length() for q in moduli)
    if spec["target"] != "c" or spec["threads"] or manifest["words"] != 1 or len(moduli) < 2:
        raise ProofError(NO_CLAIM)
    return Rescaling(manifest["name"], len(moduli), bits, 64, spec["rounding"] == "nearest")
