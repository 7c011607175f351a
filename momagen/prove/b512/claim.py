"""What a B512 program must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.transforms.claim import transform_of

if TYPE_CHECKING:
    from momagen.prove.transforms.claim import Transform


@dataclass(frozen=True)
class ProgramClaim:
    """The claim of a program: a transform, or the product of two polynomials.

    Attributes:
        transform: The transform, or the ring of the product.
        is_product: Whether polynomials are multiplied.
    """

    transform: Transform
    is_product: bool

    @property
    def operands(self) -> tuple[str, ...]:
        """The areas of the operands."""
        return ("x", "y") if self.is_product else ("x",)

    @property
    def result(self) -> str:
        """The area of the result."""
        return "z" if self.is_product else "y"

    def text(self) -> str:
        """Return the claim as a sentence."""
        of = self.transform
        what = f"the product of the polynomials x and y modulo {of.ring}" if self.is_product else of.what()
        return (
            f"For every odd q with 2 < q < 2^{of.bits} and every root < q with root^{of.order // 2} = -1 (mod q): the"
            f" program stores in {self.result} {what} (mod q), and {self.result} < q, if {', '.join(self.operands)} < q"
            " and the memories hold what the directives say. No address depends on an operand."
            " The congruence is checked at a random point; an incorrect one passes with a probability below 2^-64."
        )


def program_claim_of(manifest: dict[str, Any]) -> ProgramClaim:
    """Return the claim of a saved program from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    kind = manifest["spec"]["kind"]
    if kind not in ("ntt", "polymul"):
        raise ProofError(f"there is no claim for {kind} programs yet")
    return ProgramClaim(transform_of(manifest), kind == "polymul")
