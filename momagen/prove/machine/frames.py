"""Arrays on the stack: parts of it that machine code accesses at addresses that depend on the counter of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.c.memory import Block
from momagen.prove.c.types import WORD
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus

if TYPE_CHECKING:
    from momagen.prove.facts import Facts
    from momagen.prove.words import Value, Words

BYTES = 8
ORIGIN = 1 << 20
"""The distance in bytes from the address with index 0, below the stack, to the return address of the call."""


class FrameArray(Block):
    """An array of words on the stack. Word i lies at the offset ``8 * i - ORIGIN``.

    Args:
        start: The offset of its first byte.
        stop: The offset of the first byte behind it.
        words: The operations.
    """

    def __init__(self, start: int, stop: int, words: Words) -> None:
        super().__init__("an array on the stack", WORD, words.constant(0))
        self.start, self.stop = start, stop

    def check(self, offset: Value, facts: Facts) -> None:
        """Check that an element exists, and that its address depends on public values only."""
        if not facts.is_public(offset.polynomial):
            raise ProofError("the address of an access to the stack depends on secret values")
        problem = "an access to an array on the stack may lie outside it"
        first, last = ((at + ORIGIN) // BYTES for at in (self.start, self.stop - BYTES))
        facts.require_not_negative(plus(offset.polynomial, {(): -first}), problem)
        facts.require_not_negative(plus({(): last}, offset.polynomial, -1), problem)

    def contains(self, offset: int) -> bool:
        """Return whether the byte at an offset belongs to the array."""
        return self.start <= offset < self.stop

    def overlaps(self, first: int, end: int) -> bool:
        """Return whether a part of the stack overlaps the array."""
        return self.start < end and first < self.stop
