"""The part of a run that a processor uses: blocks and facts, the replacement of calls, and shifts of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.c.memory import Number
from momagen.prove.c.types import INT, Integer
from momagen.prove.checker import ProofError
from momagen.prove.elementwise import Kernel
from momagen.prove.machine.contents import as_value

if TYPE_CHECKING:
    from momagen.prove.words import Value


class Host(Kernel):
    """A run of a kernel that executes machine code."""

    def replaces(self, name: str) -> bool:
        """Execute other code instead of the function with this name, if the two are proven to do the same.

        Returns:
            Whether the other code was executed; otherwise the caller executes the machine code of the function.
        """
        return False

    def shift_word(self, op: str, value: Value, count: Value, bits: int) -> Value:
        """Return a word that is shifted by a number of bits below its width."""
        kind = Integer(bits)
        if bits < INT.bits:
            raise ProofError("a shift of a short number is not supported")
        return as_value(self._shift(op, Number(kind, value), Number(kind, count)).value)
