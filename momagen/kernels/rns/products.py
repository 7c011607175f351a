"""The format of sums of products of variables for a target and a length of moduli."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.ir import Builder, Value
from momagen.languages import MachineModel
from momagen.targets import Target

from .choice import format_of
from .doubles import DoubleSums
from .format import WORD, Constants
from .limbs import TwoLimbs
from .product_format import ProductFormat
from .three_columns import CarriedProducts, HalfProducts, LimbProducts
from .words import PartsByHalves


class ColumnProducts(ProductFormat):
    """Moduli whose digits and keys are one factor each: the columns of the format itself."""

    @property
    def in_order(self) -> bool:
        """Whether compilers should reduce one sum after another.

        If gcc reduces all sums at once, the minima at the end wait for the ports of the multiply-adds. On
        Zen 4, key switching with moduli of 50 bits then takes 1.1 times as long.
        """
        return self.form.kind == "one_limb"

    def most_of(self, factor: int) -> int:
        """Return the number of products of digits below factor·p that a sum holds."""
        return replace(self.form, factor=factor).most

    def tops(self, count: int) -> Sequence[int]:
        """Return the largest value of each column after adding ``count`` products."""
        return replace(self.form, factor=self.kept_factor).tops(count)

    @property
    def full(self) -> Sequence[int]:
        """The largest value of each word of a sum of ``most`` products."""
        return replace(self.form, factor=self.kept_factor).full


class DoubleProducts(ProductFormat):
    """Moduli of at most 50 bits in doubles.

    Digits are reduced to ±p/2, so that sums hold as many products as with constants.
    """

    @property
    def in_order(self) -> bool:
        """Whether compilers should reduce one sum after another; otherwise Zen 4 takes 1.08 times as long."""
        return True

    @property
    def few_digits(self) -> int:
        """The number of digits up to which a group is one vector.

        On Zen 4 with AVX-512, one vector takes 0.85 of the time of four for three digits, and 1.2 times as long for
        twelve.
        """
        return 3

    @property
    def kept_factor(self) -> int:
        """The bound of digits when they are multiplied, in multiples of p."""
        return 1

    @property
    def shifts(self) -> bool:
        """Whether the modulus and every digit are shifted.

        Keys are residues modulo p as well: sums of products for short moduli are short, and no quotient is
        too long.
        """
        return False

    def most_of(self, factor: int) -> int:
        """Return the number of products of digits that a sum holds."""
        return self.form.most - 1  # the headroom of one product is for digits that rounding leaves beyond ±p/2

    def tops(self, count: int) -> Sequence[int]:
        """Return the largest word of each column."""
        return [WORD] * self.columns

    def digit(self, b: Builder, d: Value, known: Constants) -> Value:
        """Return a digit as a double within ±p/2."""
        assert isinstance(self.form, DoubleSums)
        return self.form.centred(b, b.one("real", self.word, d), known)

    def key(self, b: Builder, k: Value) -> list[Value]:
        """Return a key as a double."""
        return self.form.convert(b, k)

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of a smaller sum that is congruent to this one modulo p."""
        return self.form.fold(b, sums, known)

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded."""
        return self.form.finish(b, sums, known)


def product_format_of(target: Target, bits: int, factor: int) -> ProductFormat:
    """Return the format for moduli below 2^bits on ``target`` and digits below factor·p."""
    form = format_of(target, bits, short=False)
    others = OTHERS | ON_GPUS if target.machine is MachineModel.THREADS else OTHERS
    return others.get(type(form), ColumnProducts)(form, factor)


OTHERS: dict[type, type[ProductFormat]] = {
    DoubleSums: DoubleProducts, TwoLimbs: LimbProducts, PartsByHalves: HalfProducts
}  # fmt: skip
"""The formats of products for those formats of sums that are not used unchanged."""
ON_GPUS: dict[type, type[ProductFormat]] = {PartsByHalves: CarriedProducts}
"""The formats that GPUs use instead."""
