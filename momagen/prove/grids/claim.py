"""The claims of element-wise kernels for CUDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from momagen.prove.checker import ProofError
from momagen.prove.claims import OPERATIONS, Claim
from momagen.prove.grids.launches import Launch, Launches, launches_of

KINDS = ("vadd", "vsub", "vneg", "vadds", "vsubs", "vmul", "vmuladd", "scal", "axpy")
"""The kinds with a claim: all operands are residues below q."""
WORD = 32
COUNT = 32
"""The bits of the number of elements of a call."""
NONE = Launches((), (), 0, 0)
RESULT, SCRATCH = "z", "room"


@dataclass(frozen=True)
class GridClaim(Claim):
    """The claim of an element-wise kernel for CUDA.

    The launches of set-up store 0 as the status of every modulus q with ``least <= q <= greatest``, and 1 as that of
    any other number of as many words. For each of these q and every number n of elements with 0 < n < 2^32, the
    launches of a call, one after the other, store residues below q that are congruent to the operation's formula.

    Attributes:
        launches: The launches, which the host code states.
    """

    launches: Launches = NONE

    def text(self) -> str:
        """Return the claim as a sentence."""
        operands = ", ".join(self.operation.operands)
        setup, run = (", then ".join(map(Launch.text, rows)) for rows in (self.launches.setup, self.launches.run))
        moduli = f"odd q with 2 < q < 2^{self.bits}" if self.is_odd else f"q with 1 < q < 2^{self.bits}"
        return (
            f"For every {moduli} and every n with 0 < n < 2^{COUNT}:"
            f" z = {self.operation.formula} (mod q) and z < q, if {operands} < q, after the launches {run}."
            " z may be the same array as an operand that is a vector."
            f" {setup} stores the status 0 for these q, and the status 1 for every other q of {self.words} words."
        )


def grid_claim_of(manifest: dict[str, Any], text: str) -> GridClaim:
    """Return the claim of a saved kernel from the request in its manifest and the launches in the text of its source.

    Raises:
        ProofError: The prover has no claim for such a request yet, or the launches are not known.
    """
    spec = manifest["spec"]
    kind = spec["kind"]
    if kind not in KINDS:
        raise ProofError(f"there is no claim for {kind} kernels for CUDA yet")
    if spec["options"] or spec["basis"] or spec["montgomery"] or spec["target"] != "cuda":
        raise ProofError("there is no claim for these options yet")
    bits = int(spec["modulus"], 0).bit_length()
    return GridClaim(manifest["name"], OPERATIONS[kind], bits, words_of(bits), WORD, launches=launches_of(text))


def words_of(bits: int) -> int:
    """Return the number of words of a residue: one, or those of as many words of 64 bits as it needs."""
    return 1 if bits <= WORD else -(-bits // (2 * WORD)) * 2
