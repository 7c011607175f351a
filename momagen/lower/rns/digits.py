"""The kernel of an exact conversion for threads: mixed-radix digits of a number, and sums of their products."""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Block
from momagen.lower.names import TABLES
from momagen.program import Expr, Function, Name, Type

from .comparisons import ComparisonWriter
from .threads import ConversionWriter

RESIDUES, ABOVE = Name("residues", Type.WORDS), Name("above", Type.WORDS)
"""The residues of a thread's columns that are converted to factors; and for each column 1 if its number
exceeds Q/2, else 0."""


class DigitWriter(ConversionWriter):
    """A writer of the kernel of an exact conversion.

    A digit is a sum, modulo the modulus of the digit, of a residue and of products of the digits below it. If
    Q is the product of the source moduli, numbers above (Q - 1)/2 represent negative ones, from which Q is
    subtracted by one more product.
    """

    def write_exact(self, name: str, positive: bool) -> None:
        """Write the kernel ``name``(z, x, tables, goals, n), as :meth:`write` does.

        Args:
            name: The name of the kernel.
            positive: Whether the numbers are 0 to Q - 1.
        """
        digits = self.sources * len(self.of_goal) + self.sources * (self.sources + 1) // 2 * self.of_term
        halves = TABLES + digits
        with self.at.kernel(self.writer, name) as f:
            self.factors.declare(f, self.sources + (not positive) + self.divides)
            with f.scope():
                self._write_digits(f, None if positive else halves)
            self._write_goals(f, halves + (0 if positive else self.sources), self.sources + (not positive))

    def _write_digits(self, f: Function, halves: Expr | None) -> None:
        """Append the computation of the digits, as factors.

        Args:
            f: The kernel.
            halves: The address of the digits of (Q - 1)/2 with which digits are compared, or None if numbers
                are not negative.
        """
        f.array(RESIDUES.text, self.at.number)
        if halves is not None:
            f.array(ABOVE.text, self.at.number, [0])
        own, rows = f.variable("own", TABLES, Type.INPUT), self._sources(f)
        for i in range(self.sources):
            with f.scope():
                self.at.copy(f, rows, RESIDUES)
                self._write_factor(f, RESIDUES, i)
            with f.scope():
                f.store(self._write_sum(f, own, i + 1), RESIDUES)
            with f.scope():
                self._write_factor(f, RESIDUES, i)
                if halves is not None:
                    self._write_comparison(f, halves + i)
            self.at.step(f, rows)
            f.step(own, len(self.of_goal) + (i + 1) * self.of_term)
        if halves is not None:
            with f.scope():
                self._write_factor(f, ABOVE, self.sources)

    def _write_factor(self, f: Function, residues: Name, source: int) -> None:
        """Append the computation of factor ``source`` from an array of residues."""
        block = self._parts
        self.load_group(f, block, [f"x{i}" for i in self.turns], residues)
        f.run(block)
        self.factors.store(f, block, source)

    def _write_comparison(self, f: Function, half: Expr) -> None:
        """Append the comparison of digits with the digit of (Q - 1)/2.

        An equal digit preserves the result for the digits below it.
        """
        block = self._exceeds
        f.load("half", [block.inputs["half"]], half)
        for i in self.turns:
            f.load(f"digit{i}", [block.inputs[f"digit{i}"]], RESIDUES, i)
            f.load(f"below{i}", [block.inputs[f"below{i}"]], ABOVE, i)
        f.run(block)
        f.store([block.outputs[f"above{i}"] for i in self.turns], ABOVE)

    @cached_property
    def _exceeds(self) -> Block:
        return ComparisonWriter(self.writer, self.form, self.at.number).exceeds()
