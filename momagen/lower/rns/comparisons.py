"""The function that compares a digit in mixed radices with half of its modulus."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.lower.names import C, N, X, Z
from momagen.program import Function

from .groups import GroupWriter


class ComparisonWriter(GroupWriter):
    """Writes the function exceeds.

    A number is above (Q - 1)/2, whose digits are (q_i - 1)/2, if its highest digit that differs is larger. Digits are
    therefore compared from the lowest on: a digit that is equal to its half leaves the comparison of those below it.
    """

    def write(self) -> None:
        """The function exceeds(z, x, c, n): z = 1 if the digit x exceeds c or is c and z was 1, else 0."""
        block = self.exceeds()
        f = Function("exceeds", (Z, X, C, N), vector=self.target.vector, copies="apart")
        self.load_constants(f, block.inputs, ["half"], C)
        with f.each("i", N):
            for i in self.turns:
                f.load(f"digit{i}", [block.inputs[f"digit{i}"]], X, i * self.target.lanes)
                f.load(f"below{i}", [block.inputs[f"below{i}"]], Z, i * self.target.lanes)
            f.run(block)
            for i in self.turns:
                f.store([block.outputs[f"above{i}"]], Z, i * self.target.lanes)
            for pointer in (X, Z):
                f.step(pointer, self.group)
        self.writer.put(f)

    def exceeds(self) -> Block:
        """The block that says of every turn whether a digit, plus 1 if those below it exceed theirs, exceeds half."""
        b, form, word = Builder(), self.form, self.target.word
        half = b.input("half", 0, form.top >> 1)
        for i in self.turns:
            digit, below = b.input(f"digit{i}", 0, form.top - 1), b.input(f"below{i}", 0, 1)
            above = b.one("lt", word, half, b.one("addlo", word, digit, below))
            b.output(f"above{i}", b.one("select", word, above, const(1), const(0)))
        self._registers.clear()
        return self.lower(b)
