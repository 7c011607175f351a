"""Kernels that divide by the last modulus of a basis: their arguments and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.bases.functions import FunctionRun
from momagen.prove.checker import ProofError
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import plus
from momagen.prove.transforms.stored import Stored
from momagen.prove.vectors.plans import Plans

if TYPE_CHECKING:
    from momagen.prove.bases.claim import Rescaling
    from momagen.prove.bases.columns import Column, ColumnBlock
    from momagen.prove.c.parsed import Source
    from momagen.prove.words import Value


class RescaleRun(FunctionRun):
    """A run of the functions of a kernel that rescales."""

    def __init__(self, source: Source, claim: Rescaling, plans: Plans) -> None:
        super().__init__(source, claim, plans)
        self.half = self.field.element() if claim.is_nearest else self.field.prime - 1
        """The residue modulo d of floor((d - 1) / 2) or, without rounding to the nearest, of d - 1."""

    # Claim.

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the quotient of a column modulo a modulus of the basis."""
        last, prime = self.claim.count - 1, self.field.prime
        x, y = (self.operand((part, i, at)).residue for i in (row, last))
        # The claim is d * z = a - a mod d + d * [a mod d > g] with g = floor((d - 1) / 2) or, without rounding to the
        # nearest, g = d - 1. The right side is a + t - g for the number t = (g - a) mod d.
        total = x + self._rest(y, row) - self._face_of_half(row)
        expected = total * self.inverse(self.face_of_modulus(last, row), row) % prime
        if not number.is_reduced or self.tag_of(number) != row:
            raise ProofError(f"a result of row {row} is not proven to be below its modulus")
        if (number.residue - expected) % prime:
            raise ProofError(f"a result of row {row} is not proven to be the quotient")

    def _rest(self, y: Any, row: int) -> Any:
        """Return the residue of (g - y) mod d modulo the modulus of a row."""
        return self.face(self.half - y, self.claim.count - 1, row)

    def _face_of_half(self, row: int) -> Any:
        return self.face(self.half, self.claim.count - 1, row)

    def units(self) -> set[tuple[Any, int]]:
        """Return the residues that are invertible if the last modulus has no common factor with another one."""
        last = self.claim.count - 1
        return {(self.face_of_modulus(last, row), row) for row in range(last)}

    def _relate_to_modulus(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the result that is floor((d - 1) / 2): d - 1 minus twice this number is 0 or 1."""
        last = self.claim.count - 1
        if not self.claim.is_nearest or part.tag != last or list(part.inputs) != [self.moduli_of_basis[last]]:
            return
        for (at, *_), number in results.items():
            key = "half", part.key(values), at
            if key not in self.summaries:
                facts = part.facts
                facts.ask(Structure(facts, 1 << self.claim.word).update, set(range(len(facts.checker.variables))))
                bounds = facts.bounds(plus({(0,): 1, (): -1}, values[at].polynomial, -2))
                checker = facts.checker
                self.summaries[key] = checker.minimum(bounds.low) > -1 and checker.maximum(bounds.high) < 2
            if self.summaries[key] and number.is_reduced:
                number.residue = self.half

    def operand(self, key: Column) -> Stored:
        """Return the number in a column of x."""
        if key not in self.operands:
            self.operands[key] = self.tagged("x", key[1], is_secret=True)
        return self.operands[key]

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        count: int = self.claim.count - 1
        return min(block.rows, count - block.first)

    # Arguments.

    def arrays(self, form: str, variant: bool) -> list[Any]:
        """Return the pointers to the result and to the operand; they are the same in one variant."""
        count = self.claim.count
        if form == "execute":
            x = self.rows("x", 0, count, self.operand, variant)
            z = x if variant else self.rows("z", 0, count - 1, None, True)
            self.result_blocks = (z,)
            return [self.start(z), self.start(x)]
        operands = [self.rows("x", i, 1, self.operand, variant and i < count - 1) for i in range(count)]
        results = operands[:-1] if variant else [self.rows("z", i, 1, None, True) for i in range(count - 1)]
        self.result_blocks = tuple(results)
        return [self.table(results), self.table(operands)]
