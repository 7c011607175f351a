"""Blocks of a product with a matrix that stay in one memory from residues to residues: their size and columns."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.errors import MomagenError, among

LANES = 128
"""The number of columns of the narrowest block."""
BUFFERS = 2
"""The number of buffers for everything that is copied from or to far memory while another block is multiplied."""
DIGITS = {"int8": 1, "bfloat16": 2}
"""The number of bytes of a digit, for the types whose products engines add exactly in words of 32 bits."""
WORD = 4
"""The number of bytes of a sum, and of a word of a residue."""


@dataclass(frozen=True)
class MatrixBlock:
    """A matrix with points · digits rows and columns, times columns with the same number of digits.

    Attributes:
        points: The number of points of the transform.
        digits: The number of digits of a residue.
        takes: The type of a digit that the engine multiplies.
        words: The number of words of a residue.
    """

    points: int
    digits: int
    takes: str
    words: int

    def bytes(self, lanes: int) -> int:
        """Return the number of bytes of memory for a block of ``lanes`` columns."""
        size, rows = DIGITS[self.takes], self.points * self.digits
        residues = 2 * BUFFERS * WORD * self.words * self.points * lanes
        return BUFFERS * size * rows * rows + residues + (size + WORD) * rows * lanes

    def lanes(self, most: int, held: int) -> int:
        """Return the largest number of columns that ``held`` bytes allow: ``most``, half of it, and so on.

        Args:
            most: The largest number of columns.
            held: The size of the memory in bytes.

        Raises:
            MomagenError: Not even the narrowest block fits, or digits have another type.
        """
        if self.takes not in DIGITS:
            raise among("one of the types of limbs", DIGITS, self.takes, "fused")
        while most > LANES and self.bytes(most) > held:
            most //= 2
        if (needed := self.bytes(most)) > held:
            hint = "use fewer points per matrix, with the option dense or factors"
            raise MomagenError(
                f"blocks of at most {held} bytes", f"{needed} bytes for {self.points} points", "fused", hint
            )
        return most
