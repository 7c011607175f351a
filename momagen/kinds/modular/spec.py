"""What a user asks for, the same everywhere once it is checked: its residues, its moduli and its name."""

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
    """A kernel to generate. Use :func:`momagen.kinds.modular.make_spec.make_spec`; fields are those of
    :class:`momagen.kinds.modular.fields.SpecFields`.
    """

    @property
    def expression(self) -> ElementwiseKernel:
        """The formula of an element-wise kernel, or of other kernels one without products."""
        return self.kind.expression

    @property
    def reductions(self) -> Reductions:
        """How its residues are multiplied."""
        kind, modulus = self.kind, self.modulus if self.baked else 0
        return Reductions(kind.expression, kind.has_special_tables, self.target, self.width, modulus, self.options)

    @cached_property
    def arith(self) -> Arith:
        """How residues are held, and multiplied by constants. A call of a kernel reads this, and no target file."""
        return self.reductions.arith

    @property
    def native(self) -> bool:
        """Whether the machine has modular arithmetic of its own."""
        return self.reductions.native

    @property
    def product(self) -> str:
        """How vmul multiplies."""
        return self.reductions.product

    @property
    def widths(self) -> str:
        """How wide residues are, in the papers' words: "128-bit container, 124-bit modulus"."""
        return f"{self.arith.held}-bit container, {self.width}-bit modulus"

    @property
    def layout(self) -> str:
        """What arrays of its words are called: "u32"."""
        return f"u{self.arith.word}"

    @property
    def ranges(self) -> Ranges:
        """Where operands and results lie."""
        taken, given = factors_for(self.kind.usual_factors, self.options)
        operands = self.kind.operand_factors(taken)
        return Ranges(operands, taken, given, self.arith.held, self.kind.result)

    @property
    def form(self) -> int:
        """K of Montgomery form x·2^k mod q, in which numbers come and go; 0: they are as they are."""
        on = self.expression.converts or self.options.form == MONTGOMERY
        asked = self.options.form_bits
        return 0 if not on else self.arith.held if asked is None else asked

    def codelet(self, arith: Arith, least: int = 0) -> Elementwise:
        """That of an element-wise kernel on such residues, for moduli from ``least``."""
        ranges, product = self.ranges, self.product
        return elementwise(self.expression, arith, product, self.cmp, ranges.input, ranges.output, self.form, least)

    @property
    def cmp(self) -> str:
        """How a conditional kernel compares: a name in ``COMPARES``."""
        return self.options.cmp or CENTRING

    @property
    def sums(self) -> bool:
        """Whether the result is one number, a sum over all elements."""
        return self.expression.sums

    @property
    def prime(self) -> bool:
        """Whether q must be prime: where numbers are inverted."""
        return self.expression.inverts

    @property
    def barrett(self) -> bool:
        """Whether products of vectors are by Barrett's reduction."""
        return self.expression.pairs and self.product in ("barrett", OF_DIGITS) and not self.form

    @property
    def shifts(self) -> bool:
        """Whether a plan shifts moduli that are shorter, as Barrett's quotient of words is for moduli of one length."""
        return self.barrett and not self.baked and self.product != OF_DIGITS

    @property
    def odd(self) -> bool:
        """Whether q must be odd: for transforms, and where a product is Montgomery's and needs 1/q modulo R."""
        unbaked = self.arith.unbaked
        return self.n > 0 or self.sums or (not self.native and self.codelet(unbaked).odd(unbaked.word))

    @property
    def moduli(self) -> str:
        """The moduli that one build serves."""
        if self.baked:
            return f"q = {self.modulus:#x} only"
        which = "odd prime " if self.prime else "odd " * self.odd
        return f"every {which}q below 2^{self.width}"

    @property
    def name(self) -> str:
        """The kernel's file name and C prefix."""
        return named_for(self.stem, self.target)

    @property
    def stem(self) -> str:
        """The name without its target."""
        return stem(self)

    def command(self) -> str:
        """The command line that makes this kernel."""
        return command(self)

    def check_command(self, suffix: str) -> str:
        """Return the command that verifies the kernel's file, whose name ends in `suffix`."""
        return f"momagen verify {self.name}{suffix}"
