"""The function that computes the quotients u = ⌊Σ y_i/q_i⌋ of factors y_i."""

from __future__ import annotations

from momagen.ir import Block, Builder, Value
from momagen.kernels.rns.quotients import QuotientFormat
from momagen.lower.names import C, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name

from .groups import STRIDE, TERMS, TURNS, GroupWriter, Y, numbered


class QuotientWriter(GroupWriter):
    """A writer of the function estimate."""

    def __init__(self, writer: ProgramWriter, quotients: QuotientFormat, turns: int = TURNS) -> None:
        super().__init__(writer, quotients.form, turns)
        self.quotients = quotients

    def write(self) -> None:
        """Write the function estimate(z, y, c, terms, stride, n), which computes the factor u.

        It is ⌊Σ y_i/q_i⌋, or the nearest integer, for factors y and the constants c of all sources.
        """
        form, quotients = self.form, self.quotients
        registers, add, finish = self.blocks()
        with self.groups("estimate", (Z, Y), (TERMS, STRIDE), (), add) as f:
            self.begin_sums(f, registers, quotients.first)
            row, constant = f.variable("row", Y), f.variable("constant", C)
            with f.each("k", TERMS):
                self.load_inverse(f, add, constant)
                self.load_rows(f, add, row)
                self.run_sums(f, add, registers)
                f.step(row, STRIDE * form.parts)
                f.step(constant, quotients.words)
            f.run(finish)
            self.store_rows(f, finish)

    def blocks(self) -> tuple[list[Value], Block, Block]:
        """Return the registers of the sums, a block that adds to them, and a block that converts them to factors."""
        self._registers.clear()
        registers = [self.register(f"s{i}_{at}") for i in self.turns for at in range(self.quotients.columns)]
        return registers, self._added(), self._rounded()

    def load_inverse(self, f: Function, block: Block, constant: Name) -> None:
        """Append the loads of the constants for the quotient of one source."""
        for at in range(self.quotients.words):
            name = f"c{at}" if self.quotients.real else f"c{at // 2}_{at % 2}"
            f.load(name, [block.inputs[name]], constant, at, 1, self.target.vector)

    def _added(self) -> Block:
        """Return the block that adds the quotients of one source."""
        b, form, quotients = Builder(), self.form, self.quotients
        real = quotients.real
        top = (1 << (1 if real else 2) * self.target.word) - 1
        c = [b.input(f"c{at}", 0, top) for at in range(form.parts)]
        for i in self.turns:
            names = [f"s{i}_0"] if real else [f"s{i}"]
            parts = [b.input(f"y{i}_{part}", 0, form.factor_top) for part in range(form.parts)]
            sums = quotients.add(b, [b.input(name, 0, top) for name in names], parts, c)
            b.block.outputs |= dict(zip(names, sums, strict=True))
        return self.lower(b)

    def _rounded(self) -> Block:
        """Return the block that converts the sums of quotients to factors."""
        b, full = Builder(), (1 << self.target.word) - 1
        for i in self.turns:
            parts = self.quotients.finish(b, self.columns(b, i, [full] * self.quotients.columns))
            b.block.outputs |= numbered(f"y{i}", parts)
        return self.lower(b)
