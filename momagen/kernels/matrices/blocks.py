"""Blocks of a product with a matrix that stay in one memory from residues to residues: their bytes and columns."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.errors import MomagenError, among

LANES = 128
"""Columns of the narrowest block."""
BUFFERS = 2
"""Of all that is brought from far memory, or taken there, while the block before it is multiplied."""
DIGITS = {"int8": 1, "bfloat16": 2}
"""Bytes of a digit, by types whose products engines sum up exactly in words of 32 bits."""
WORD = 4
"""Bytes of a sum, and of a word of a residue."""


@dataclass(frozen=True)
class MatrixBlock:
    """A matrix of points · digits rows and columns, times columns of as many digits.

    Attributes:
        digits: of a residue. takes: the type of a digit as its engine takes it. words: of a residue.
    """

    points: int
    digits: int
    takes: str
    words: int

    def bytes(self, lanes: int) -> int:
        """All that memory holds for so many columns."""
        size, rows = DIGITS[self.takes], self.points * self.digits
        residues = 2 * BUFFERS * WORD * self.words * self.points * lanes
        return BUFFERS * size * rows * rows + residues + (size + WORD) * rows * lanes

    def lanes(self, most: int, held: int) -> int:
        """Columns, as many as ``held`` bytes allow: ``most`` or half of that, and so on.

        Raises:
            MomagenError: not even the narrowest block is held, or digits are of another type.
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
