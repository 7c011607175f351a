"""The specification of a kernel after all checks: its residues, its moduli and its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.kernels.elementwise.blas import ElementwiseKernel, elementwise
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.forms import MONTGOMERY
from momagen.kernels.elementwise.frame import CENTRING, OF_DIGITS
from momagen.kernels.residues.arith import Arith

from .fields import SpecFields
from .names.command import command
from .names.stem import named_for, stem
from .ranges import Ranges, factors_for
from .reductions import Reductions


@dataclass(frozen=True)
class Spec(SpecFields):
    """A specification of a kernel, which :func:`momagen.kinds.modular.make_spec.make_spec` returns.

    The fields are documented in :class:`momagen.kinds.modular.fields.SpecFields`.
    """

    @property
    def expression(self) -> ElementwiseKernel:
        """The formula of an element-wise kernel, or a formula without products for other kernels."""
        return self.kind.expression

    @property
    def reductions(self) -> Reductions:
        """The reductions of products of residues."""
        kind, modulus = self.kind, self.modulus if self.baked else 0
        return Reductions(kind.expression, kind.has_special_tables, self.target, self.width, modulus, self.options)

    @cached_property
    def arith(self) -> Arith:
        """The representation of residues and their multiplication by constants.

        It is stored, so that a call of a kernel does not read the target file again.
        """
        return self.reductions.arith

    @property
    def native(self) -> bool:
        """Whether the machine has modular arithmetic."""
        return self.reductions.native

    @property
    def product(self) -> str:
        """The reduction of products of vectors."""
        return self.reductions.product

    @property
    def widths(self) -> str:
        """The widths of residues in the words of the papers, such as "128-bit container, 124-bit modulus"."""
        return f"{self.arith.held}-bit container, {self.width}-bit modulus"

    @property
    def layout(self) -> str:
        """The name of the words of arrays, such as "u32"."""
        return f"u{self.arith.word}"

    @property
    def ranges(self) -> Ranges:
        """The ranges of operands and results."""
        taken, given = factors_for(self.kind.usual_factors, self.options)
        operands = self.kind.operand_factors(taken)
        return Ranges(operands, taken, given, self.arith.held, self.kind.result)

    @property
    def form(self) -> int:
        """The exponent k of R = 2^k if operands and results are in Montgomery form x·R mod q, otherwise 0."""
        on = self.expression.converts or self.options.form == MONTGOMERY
        asked = self.options.form_bits
        return 0 if not on else self.arith.held if asked is None else asked

    def codelet(self, arith: Arith, least: int = 0) -> Elementwise:
        """Return the codelet of an element-wise kernel.

        Args:
            arith: The representation of residues.
            least: The least modulus.
        """
        ranges, product = self.ranges, self.product
        return elementwise(self.expression, arith, product, self.cmp, ranges.input, ranges.output, self.form, least)

    @property
    def cmp(self) -> str:
        """The comparison of a conditional kernel, by its name in ``COMPARES``."""
        return self.options.cmp or CENTRING

    @property
    def sums(self) -> bool:
        """Whether the result is a single residue, the sum over all elements."""
        return self.expression.sums

    @property
    def prime(self) -> bool:
        """Whether q must be prime, because numbers are inverted."""
        return self.expression.inverts

    @property
    def barrett(self) -> bool:
        """Whether products of vectors are reduced by Barrett's method."""
        return self.expression.pairs and self.product in ("barrett", OF_DIGITS) and not self.form

    @property
    def shifts(self) -> bool:
        """Whether a plan shifts shorter moduli, because Barrett's quotient in words requires moduli of one length."""
        return self.barrett and not self.baked and self.product != OF_DIGITS

    @property
    def odd(self) -> bool:
        """Whether q must be odd: for transforms and sums, and for Montgomery products, which need 1/q modulo R."""
        unbaked = self.arith.unbaked
        return self.n > 0 or self.sums or (not self.native and self.codelet(unbaked).odd(unbaked.word))

    @property
    def moduli(self) -> str:
        """A description of the moduli that one build serves."""
        if self.baked:
            return f"q = {self.modulus:#x} only"
        which = "odd prime " if self.prime else "odd " * self.odd
        return f"every {which}q below 2^{self.width}"

    @property
    def name(self) -> str:
        """The name of the kernel's files, which is also the prefix of its C functions."""
        return named_for(self.stem, self.target)

    @property
    def stem(self) -> str:
        """The name of the kernel without its target."""
        return stem(self)

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        return command(self)

    def check_command(self, suffix: str) -> str:
        """Return the command that verifies the kernel's file, whose name ends in `suffix`."""
        return f"momagen verify {self.name}{suffix}"
