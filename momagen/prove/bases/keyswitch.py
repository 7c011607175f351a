"""Kernels that compute the inner products of key switching: their arguments and their results."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from momagen.prove.bases.functions import FunctionRun
from momagen.prove.c.memory import NULL
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.bases.columns import Column, ColumnBlock
    from momagen.prove.transforms.stored import Stored


class KeySwitchRun(FunctionRun):
    """A run of the functions of a kernel for key switching."""

    # Claim.

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the sum of all products in a column, modulo a modulus of the basis."""
        output, i = divmod(row, self.claim.count)
        name = "d" if self.order is None else "ordered"
        total = 0
        for j in range(self.claim.digits):
            digit = self.operand(name, (part, j * self.claim.count + i, at))
            key = self.operand("k", (part, (self.claim.outputs * j + output) * self.claim.count + i, at))
            total += digit.residue * key.residue
        if not number.is_reduced or self.tag_of(number) != i:
            raise ProofError(f"a result of row {row} is not proven to be below its modulus")
        if (number.residue - total) % self.field.prime:
            raise ProofError(f"a result of row {row} is not proven to be the sum of all products")

    def operand(self, name: str, column: Column) -> Stored:
        """Return the number in a column of an operand."""
        if (name, column) not in self.operands:
            factor = 1 if name == "k" else self.claim.input_factor
            tag = column[1] % self.claim.count
            self.operands[name, column] = self.tagged(name, tag, is_secret=True, factor=factor)
        return self.operands[name, column]

    def ordered(self, column: Column) -> Stored:
        """Return the number in a row of d at the column that the order of the caller selects."""
        return self.operand("ordered", column)

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        return block.rows

    # Arguments.

    def arrays(self, form: str, variant: bool) -> list[Any]:
        """Return the pointers to the result, the operands and the order, which is NULL in one variant."""
        digits = self.claim.count * self.claim.digits
        counts = {"z": self.claim.results, "d": digits, "k": digits * self.claim.outputs}
        self.order = self.new_array("order", SIZE, self.length, is_writable=False) if variant else None
        order = NULL if self.order is None else self.start(self.order)
        drawn = {name: None if name == "z" else partial(self.operand, name) for name in counts}
        if form == "execute":
            blocks = {name: [self.rows(name, 0, count, drawn[name], name == "z")] for name, count in counts.items()}
        else:
            blocks = {
                name: [self.rows(name, i, 1, drawn[name], name == "z") for i in range(count)]
                for name, count in counts.items()
            }
        self.result_blocks = tuple(blocks["z"])
        pointers = [self.start(b[0]) if form == "execute" else self.table(b) for b in blocks.values()]
        return [*pointers, order]

    def optional(self) -> list[Any]:
        """Return NULL for the order."""
        return [NULL]
