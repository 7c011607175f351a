"""The function that compares a mixed-radix digit with half of its modulus."""

from __future__ import annotations

from momagen.ir import Block, Builder, const
from momagen.lower.names import X, Z

from .groups import GroupWriter


class ComparisonWriter(GroupWriter):
    """A writer of the function exceeds.

    A number is larger than (Q - 1)/2, whose digits are (q_i - 1)/2, if the highest of its digits that differs
    from these is larger. Digits are therefore compared from the lowest on: a digit that equals its half
    preserves the result for the digits below it.
    """

    def write(self) -> None:
        """Write the function exceeds(z, x, c, n).

        It sets z to 1 if the digit x exceeds c, or if x is c and z was 1; otherwise it sets z to 0.
        """
        block = self.exceeds()
        with self.groups("exceeds", (Z, X), (), ["half"], block) as f:
            for i in self.turns:
                f.load(f"digit{i}", [block.inputs[f"digit{i}"]], X, i * self.target.lanes)
                f.load(f"below{i}", [block.inputs[f"below{i}"]], Z, i * self.target.lanes)
            f.run(block)
            self.store_group(f, block, [f"above{i}" for i in self.turns], Z)

    def exceeds(self) -> Block:
        """Return the block that computes for every vector whether a digit exceeds half of its modulus.

        1 is added to the digit if the digits below it exceed theirs.
        """
        b, form, word = Builder(), self.form, self.target.word
        half = b.input("half", 0, form.top >> 1)
        for i in self.turns:
            digit, below = b.input(f"digit{i}", 0, form.top - 1), b.input(f"below{i}", 0, 1)
            above = b.one("lt", word, half, b.one("addlo", word, digit, below))
            b.output(f"above{i}", b.one("select", word, above, const(1), const(0)))
        self._registers.clear()
        return self.lower(b)
