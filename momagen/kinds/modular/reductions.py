"""The reduction of products of residues on a target: the requested one, or the fastest one."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.kernels.elementwise.blas import ElementwiseKernel, default_product
from momagen.kernels.elementwise.forms import MONTGOMERY
from momagen.kernels.elementwise.frame import OF_DIGITS
from momagen.kernels.elementwise.products import digit_ranges
from momagen.kernels.residues.arith import SIGNED, SOLINAS, SPECIAL, Arith, scheme
from momagen.languages import COMPILED, MachineModel
from momagen.targets import Target

from .options.record import NO_OPTIONS, KernelOptions
from .ranges import factors_for

FULL = "montgomery"
"""The scheme in which every operation returns a residue below q."""

IMMEDIATE = 32
"""The number of bits of the longest word that most processors support as a constant in instructions."""


def special_scheme(target: Target, options: KernelOptions = NO_OPTIONS) -> str:
    """Return the scheme of transforms modulo 2^w - 2^(w/2) + 1 in one word, if that modulus is baked in, or "".

    There is none if whole products and carries cost one instruction each, because Montgomery's reduction is
    then as good. There is also none if transforms of one word use reduced-radix limbs, which take fewer
    operations than signed words.
    """
    if target.lanes > 1:
        least, most = target.tiles.get("forward", (1, 0))
        digits = least <= 1 <= most and options.limbs != "full"
        return SIGNED if {"smulhalf", "mulhalf"} <= target.ops.keys() and not digits else ""
    return SOLINAS if target.half_products and target.machine is MachineModel.PROCESSOR else ""


@dataclass(frozen=True)
class Reductions:
    """The reductions of one kernel.

    Attributes:
        expression: The formula of an element-wise kernel.
        has_special_tables: Whether transforms may exploit the form of q.
        target: The target that computes the kernel.
        width: The width of the moduli.
        modulus: The only modulus if it is baked in, otherwise 0.
        options: The options of the kernel.
    """

    expression: ElementwiseKernel
    has_special_tables: bool
    target: Target
    width: int
    modulus: int
    options: KernelOptions

    @property
    def native(self) -> bool:
        """Whether the machine has modular arithmetic."""
        return self.target.machine is MachineModel.MODULAR

    @property
    def arith(self) -> Arith:
        """The representation of residues and their multiplication by constants.

        On a machine with modular arithmetic the scheme is Montgomery's, because no table contains Shoup
        quotients.
        """
        target = self.target.of_width(self.width)
        chosen = FULL if self.native else self._chosen
        special = special_scheme(target, self.options) if self.modulus and self.has_special_tables else ""
        loads = target.syntax == COMPILED and target.word > IMMEDIATE
        return Arith(
            self.width, target.word, chosen, self.modulus, chains=target.chains_products, special=special, loads=loads
        )

    @property
    def product(self) -> str:
        """The reduction of products of vectors."""
        usual = FULL if self.native else SPECIAL if self._folds else default_product(self.arith)
        chosen = self.options.reduction or usual
        return OF_DIGITS if chosen == "barrett" and self._fits_digit else chosen

    @property
    def _fits_digit(self) -> bool:
        """Whether the target multiplies vectors on one limb, and operands and moduli fit it."""
        target, taken = self.target, factors_for(self.expression.usual_factors, self.options)[0]
        able = self.expression.pairs and "products" in target.tiles and self.options.limbs != "full"
        return able and target.digit > 0 and digit_ranges(self.width, target.digit, taken) is not None

    @property
    def _chosen(self) -> str:
        """The requested scheme, or folding if it is the default, or "" to let the width choose.

        For products of vectors, it can only be folding.
        """
        asked = scheme(self.options.quotients, self.options.reduction) or SPECIAL * self._folds
        return asked if not self.expression.pairs or asked == SPECIAL else ""

    @property
    def _folds(self) -> bool:
        """Whether numbers are reduced by folding by default.

        They are not if reduced-radix limbs are faster, or if a single subtraction of q reduces a number.
        """
        if not self.expression.folds or self.native or self.options.form == MONTGOMERY or self.options.limbs:
            return False
        target = self.target.of_width(self.width)
        arith = Arith(self.width, target.word, modulus=self.modulus)
        few, key = self.expression.folds
        least, most = target.tiles.get(key, (0, 0))
        digits = "products" in target.tiles and least <= arith.words <= most
        able = arith.words >= few and (bool(self.expression.multiplies) or arith.room > 1)
        return able and arith.folds and not digits
