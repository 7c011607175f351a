"""Kernels that convert residues between bases: their arguments and their results.

A kernel that multiplies by P / Q computes the number w from -Q / 2 to Q / 2 that is congruent to P * a modulo Q. Then
P * a / Q, rounded to the nearest integer, is (P * a - w) / Q, and each p[j] divides P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from momagen.prove.bases.conversions.sums import SourceRun

if TYPE_CHECKING:
    from momagen.prove.bases.columns import ColumnBlock
    from momagen.prove.transforms.stored import Stored


class ConvertRun(SourceRun):
    """A run of the functions of a kernel that converts residues."""

    variants: ClassVar[tuple[bool, ...]] = (False,)

    # Claim.

    def units(self) -> set[tuple[Any, int]]:
        """Return the residues that are invertible for the moduli of the claim only."""
        units = {(self.divisor(i), i) for i in self.sources}
        if self.claim.is_scaled:
            units |= {(self.product(self.sources, tag), tag) for tag in self.goals}
        return units

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the residue of the converted number modulo a target modulus."""
        tag = self.goals[row]
        values = {i: self.operand((part, i, at)).residue for i in self.sources}
        if self.claim.is_scaled:
            values = {i: value * self.product(self.goals, i) for i, value in values.items()}
        expected = self.computed(values, tag)
        if self.claim.is_scaled:
            expected *= -self.field.inverse(self.product(self.sources, tag))
        self.check_residue(number, row, tag, expected)

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        return block.rows

    # Arguments.

    def arrays(self, form: str, variant: bool) -> list[Any]:
        """Return the pointers to the result and to the operand."""
        counts = len(self.goals), len(self.sources)
        if form == "execute":
            z, x = self.rows("z", 0, counts[0], None, True), self.rows("x", 0, counts[1], self.operand, False)
            self.result_blocks = (z,)
            return [self.start(z), self.start(x)]
        self.result_blocks = tuple(self.rows("z", i, 1, None, True) for i in range(counts[0]))
        operands = [self.rows("x", i, 1, self.operand, False) for i in range(counts[1])]
        return [self.table(list(self.result_blocks)), self.table(operands)]
