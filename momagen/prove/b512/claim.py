"""What a B512 program must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.b512.values import values_at_all
from momagen.prove.claims import claim_of
from momagen.prove.polynomial import variable
from momagen.prove.transforms.claim import transform_of

if TYPE_CHECKING:
    from momagen.prove.claims import Formula
    from momagen.prove.transforms.claim import Transform
    from momagen.prove.transforms.field import RandomField

IF = "the memories hold what the directives say. No address depends on an operand."
CHANCE = "The congruence is checked at a random point; an incorrect one passes with a probability below 2^-64."
Operands = dict[str, Any]
"""The values of the operands by their names: a list for each vector, an element of the field for each scalar."""


@dataclass(frozen=True)
class TransformClaim:
    """The claim of a program: a transform, or the product of two polynomials.

    Attributes:
        transform: The transform, or the ring of the product.
        is_product: Whether polynomials are multiplied.
    """

    transform: Transform
    is_product: bool

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of points and the order of the root."""
        return self.transform.n, self.transform.order

    @property
    def vectors(self) -> tuple[str, ...]:
        """The areas of the operands."""
        return ("x", "y") if self.is_product else ("x",)

    @property
    def scalars(self) -> tuple[str, ...]:
        """The operands that are single residues."""
        return ()

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
            f" program stores in {self.result} {what} (mod q), and {self.result} < q, if {', '.join(self.vectors)} < q"
            f" and {IF} {CHANCE}"
        )

    def holds(self, operands: Operands, result: list[Any], field: RandomField) -> bool:
        """Return whether the result is right for the random operands and root."""
        of = self.transform
        if self.is_product:
            x, y, z = (values_at_all(of.is_negacyclic, each, field) for each in (*operands.values(), result))
            return all((a * b - c) % field.prime == 0 for a, b, c in zip(x, y, z, strict=True))
        polynomial, values = (result, operands["x"]) if of.is_inverse else (operands["x"], result)
        found = values_at_all(of.is_negacyclic, polynomial, field)
        first, step = (1, 2) if of.is_negacyclic else (0, 1)
        return all(found[(e - first) // step] == value for e, value in zip(of.powers(), values, strict=True))


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

    def holds(self, operands: Operands, result: list[Any], field: RandomField) -> bool:
        """Return whether the result is right for the random operands."""
        names = self.operation.operands
        terms = tuple((c, m) for m, c in self.operation.value(*map(variable, range(len(names)))).items())
        return all(
            field.evaluate(terms, [operands[name] if name in self.scalars else operands[name][i] for name in names])
            == value
            for i, value in enumerate(result)
        )


def program_claim_of(manifest: dict[str, Any]) -> TransformClaim | ElementwiseClaim:
    """Return the claim of a saved program from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    kind = manifest["spec"]["kind"]
    if kind in ("ntt", "polymul"):
        return TransformClaim(transform_of(manifest), kind == "polymul")
    claim = claim_of(manifest)
    return ElementwiseClaim(claim.operation, claim.bits)
