"""Kernels that divide by the product of the last moduli of a basis: their arguments and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.bases.conversions.sums import SourceRun

if TYPE_CHECKING:
    from momagen.prove.bases.columns import ColumnBlock
    from momagen.prove.transforms.stored import Stored


class ModDownRun(SourceRun):
    """A run of the functions of a kernel that divides by the product P of some moduli."""

    # Claim.

    def divisor(self, i: int) -> Any:
        """Return the residue of what the kernel divides by to compute digit or share i, modulo its modulus."""
        return super().divisor(i) * self.scalar("t", i) % self.field.prime

    def units(self) -> set[tuple[Any, int]]:
        """Return the residues that are invertible for the moduli of the claim only."""
        units = {(self.divisor(i), i) for i in self.sources}
        return units | {(self.product(self.sources, tag), tag) for tag in self.goals}

    def implied_units(self) -> dict[tuple[Any, int], tuple[Any, int]]:
        """Return further residues that are invertible, each with a unit of which it is a factor."""
        return {
            (self.face_of_modulus(i, tag), tag): (self.product(self.sources, tag), tag)
            for i in self.sources
            for tag in self.goals
        }

    def scalar(self, name: str, tag: int) -> Any:
        """Return the residue of s or of t modulo a modulus."""
        return self.residue_of(self.scalars[name], tag)

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the residue of the quotient: (s * a - t * r) / P."""
        s, t = (self.scalar(name, row) for name in ("s", "t"))
        values = {
            i: self.operand((part, i, at)).residue * self.scalar("s", i) * self.field.inverse(self.scalar("t", i))
            for i in self.sources
        }
        rest = self.computed(values, row)
        total = s * self.operand((part, row, at)).residue - t * rest
        self.check_residue(number, row, row, total * self.field.inverse(self.product(self.sources, row)))

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        return min(block.rows, len(self.goals) - block.first)

    # Arguments.

    def arrays(self, form: str, variant: bool) -> list[Any]:
        """Return the pointers to the result and to the operand; they are the same in one variant."""
        count, goals = self.claim.count, len(self.goals)
        if form == "execute":
            x = self.rows("x", 0, count, self.operand, variant)
            z = x if variant else self.rows("z", 0, goals, None, True)
            self.result_blocks = (z,)
            return [self.start(z), self.start(x)]
        operands = [self.rows("x", i, 1, self.operand, variant and i < goals) for i in range(count)]
        results = operands[:goals] if variant else [self.rows("z", i, 1, None, True) for i in range(goals)]
        self.result_blocks = tuple(results)
        return [self.table(results), self.table(operands)]
