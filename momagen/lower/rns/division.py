"""Functions of a division by the modulus of a last row: x + h modulo d, and x·a + y·b + s modulo q."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block, Builder
from momagen.kernels.rns.format import WORD
from momagen.lower.names import C, N, X, Z
from momagen.program import Function, Name

from .groups import SHIFT, GroupWriter, Y


class DivisionWriter(GroupWriter):
    """Writes the functions add_half and combine."""

    def write(self) -> None:
        """The functions of a division by the modulus d of a last row: add_half(z, x, c, n), x + h modulo d with the
        constants d and h, and combine(z, x, y, c, n), x·a + y·b + s modulo q with the constants c of q."""
        self._write_elements("add_half", [X], self.add_half(), ["d", "h"])
        self._write_elements("combine", [X, Y], self.combine(), self.of_row)

    @property
    def of_row(self) -> list[str]:
        """The constants of a modulus q."""
        return [*self.of_goal, "start", *(f"c{at}" for at in range(2 * self.of_term))]

    def add_half(self) -> Block:
        """The block that computes x + h modulo d for every turn."""
        b, form = Builder(), self.form
        d, h = b.input("d", 2, form.top), b.input("h", 0, form.top - 1)
        for i in self.turns:
            b.output(f"z{i}", b.one("addmod", self.target.word, b.input(f"x{i}", 0, form.top - 1), h, d))
        self._registers.clear()
        return self.lower(b)

    def combine(self) -> Block:
        """The block that computes x·a + y·b + s modulo q for every turn."""
        b, form, word = Builder(), self.form, self.target.word
        known, shift = self.known(b), b.input(SHIFT, 0, form.bits)
        assert form.wide or all(top <= WORD for top in form.tops(2)), "two factors overflow a sum"
        start = b.input("start", 0, WORD if form.real else form.top)
        c = [b.input(f"c{at}", 0, form.constant_tops[at % form.limbs]) for at in range(2 * self.of_term)]
        for i in self.turns:
            sums = form.begun(b, start)
            parts = [part for name in "xy" for part in form.convert(b, b.input(f"{name}{i}", 0, form.top - 1))]
            for at, part in enumerate(parts):
                sums = form.add(b, sums, part, c[at * form.limbs : (at + 1) * form.limbs])
            b.output(f"z{i}", b.one("shrv", word, form.residue(b, sums, known), shift))
        self._registers.clear()
        return self.lower(b)

    def _write_elements(self, name: str, vectors: Sequence[Name], block: Block, known: Sequence[str]) -> None:
        """The function ``name``(z, vectors …, c, n), element by element."""
        f = Function(name, (Z, *vectors, C, N), vector=self.target.vector, copies="apart")
        self.load_constants(f, block.inputs, known, C)
        with f.rounded(self.form.rounds), f.each("i", N):
            for vector in vectors:
                for i in self.turns:
                    f.load(f"{vector.text}{i}", [block.inputs[f"{vector.text}{i}"]], vector, i * self.target.lanes)
            f.run(block)
            for i in self.turns:
                f.store([block.outputs[f"z{i}"]], Z, i * self.target.lanes)
            for pointer in (*vectors, Z):
                f.step(pointer, self.group)
        self.writer.put(f)
