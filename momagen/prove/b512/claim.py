"""What a B512 program must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.polynomial import variable
from momagen.prove.transforms.claim import CHANCE, product_of, transform_of

if TYPE_CHECKING:
    from momagen.prove.claims import Formula
    from momagen.prove.transforms.claim import Transform
    from momagen.prove.transforms.field import RandomField

IF = "the memories hold what the directives say. No address depends on an operand."
TRANSFORMS = {"ntt": transform_of, "polymul": product_of}
"""The kinds that are transforms or products of polynomials, each with the function that derives the claim."""
Operands = dict[str, Any]
"""The values of the operands by their names: a list for each vector, an element of the field for each scalar."""


@dataclass(frozen=True)
class TransformClaim:
    """The claim of a program: a transform, or the product of two polynomials.

    Attributes:
        transform: The transform or product.
    """

    transform: Transform
    scalars: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of residues of a vector and the order of the root."""
        return self.transform.length, self.transform.order

    @property
    def result(self) -> str:
        """The area of the result."""
        return self.transform.roles[0]

    @property
    def vectors(self) -> tuple[str, ...]:
        """The areas of the operands."""
        return self.transform.roles[1:]

    def text(self) -> str:
        """Return the claim as a sentence."""
        of = self.transform
        return (
            f"For every odd q with 2 < q < 2^{of.bits} and every root < q with root^{of.order // 2} = -1 (mod q): the"
            f" program stores in {self.result} {of.what()} (mod q), and {self.result} < q,"
            f" if {', '.join(self.vectors)} < q and {IF} {CHANCE}"
        )

    def check(self, field: RandomField, operands: Operands, result: list[Any]) -> None:
        """Compare the result for the random operands and root with the definition.

        Raises:
            ProofError: They differ.
        """
        self.transform.check(field, list(operands.values()), result)


@dataclass(frozen=True)
class ElementwiseClaim:
    """The claim of a program: an operation modulo q on each element of its operands.

    Attributes:
        operation: The operation.
        bits: The bits of the longest modulus.
    """

    operation: Formula
    bits: int
    sizes = (0, 0)
    result = "z"

    @property
    def vectors(self) -> tuple[str, ...]:
        """The areas of the operands."""
        return self.operation.vectors

    @property
    def scalars(self) -> tuple[str, ...]:
        """The operands that are single residues."""
        return self.operation.scalars

    def text(self) -> str:
        """Return the claim as a sentence."""
        return (
            f"For every q with 1 < q < 2^{self.bits}: the program stores in z the residues {self.operation.formula}"
            f" (mod q), and z < q, if {', '.join(self.operation.operands)} < q and {IF} {CHANCE}"
        )

    def check(self, field: RandomField, operands: Operands, result: list[Any]) -> None:
        """Compare the result for the random operands with the definition.

        Raises:
            ProofError: They differ.
        """
        names = self.operation.operands
        terms = tuple((c, m) for m, c in self.operation.value(*map(variable, range(len(names)))).items())
        for i, value in enumerate(result):
            given = [operands[name] if name in self.scalars else operands[name][i] for name in names]
            if field.evaluate(terms, given) != value:
                raise ProofError(f"an element of the result is not {self.operation.formula} modulo q")


def program_claim_of(manifest: dict[str, Any]) -> TransformClaim | ElementwiseClaim:
    """Return the claim of a saved program from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    kind = manifest["spec"]["kind"]
    if kind in TRANSFORMS:
        return TransformClaim(TRANSFORMS[kind](manifest))
    claim = claim_of(manifest)
    return ElementwiseClaim(claim.operation, claim.bits)
