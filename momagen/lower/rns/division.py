"""Functions of a division by the modulus d of the last row, rounded to the nearest integer.

With h = floor(d/2), the quotient of x is (x + h - r)/d, where r is x + h modulo d. The last row yields the
complement c = d - 1 - r, and every other row yields (x + c + s)·a modulo q, with the constants s = h + 1 - d
and a = 1/d modulo q. All terms are positive, and one product by a constant takes the fewest operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block, Builder
from momagen.lower.names import X, Z
from momagen.program import Name

from .groups import GroupWriter, Y


class DivisionWriter(GroupWriter):
    """A writer of the functions complement and divide."""

    def write(self) -> None:
        """Write complement(z, x, c, n), with the constants d and g, and divide(z, x, y, c, n), with those of q."""
        self._write_elements("complement", [X], self.complement(), self.of_divisor)
        self._write_elements("divide", [X, Y], self.divide(), self.of_row)

    @property
    def of_divisor(self) -> list[str]:
        """The constants of the modulus d: d itself, and g = d - 1 - h."""
        return ["d", "g"]

    @property
    def of_row(self) -> list[str]:
        """The constants of a modulus q."""
        return [*self.form.of_source, "s"]

    def complement(self) -> Block:
        """Return the block that computes d - 1 - (x + h modulo d) = g - x modulo d for every vector."""
        b, form = Builder(), self.form
        d, g = b.input("d", 2, form.top), b.input("g", 0, form.top - 1)
        for i in self.turns:
            b.output(f"z{i}", b.one("submod", self.target.word, g, b.input(f"x{i}", 0, form.top - 1), d))
        self._registers.clear()
        return self.lower(b)

    def divide(self) -> Block:
        """Return the block that computes (x + y + s)·a modulo q for every vector."""
        b, form, word = Builder(), self.form, self.target.word
        known, s = self.known_of_source(b), b.input("s", 0, form.top - 1)
        for i in self.turns:
            x, y = (b.input(f"{name}{i}", 0, form.top - 1) for name in "xy")
            b.output(f"z{i}", form.multiply(b, b.one("addlo", word, x, b.one("addlo", word, y, s)), known))
        self._registers.clear()
        return self.lower(b)

    def _write_elements(self, name: str, vectors: Sequence[Name], block: Block, known: Sequence[str]) -> None:
        """Write the function ``name``(z, vectors …, c, n), which processes one element after another."""
        with self.groups(name, (Z, *vectors), (), known, block) as f:
            for vector in vectors:
                self.load_group(f, block, [f"{vector.text}{i}" for i in self.turns], vector)
            f.run(block)
            self.store_group(f, block, [f"z{i}" for i in self.turns], Z)
