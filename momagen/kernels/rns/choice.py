"""The choice of a format for the sums of a target."""

from __future__ import annotations

from momagen.languages import MachineModel
from momagen.targets import Target

from .doubles import LONGEST as LONGEST_DOUBLE
from .doubles import DoubleSums
from .format import SumFormat
from .limbs import OneLimb, TwoLimbs
from .words import HalfWords, PartsByHalves, PartsWithDoubles, WholeWords

MANY = 12
"""The number of products that one sum of half words must hold; if it holds fewer, another format is faster."""
CARRIES = {"mul", "addc"}
"""The vector operations, a product and an addition with carry, with which sums of whole words take the fewest
instructions."""
BY_SIGN = ("product", "halves")
"""The choice of the rules that correct a number by its sign, for machines without the minimum of words."""
SHORTEST = 3
"""The smallest number of bits of a format; shorter moduli are shifted up."""


def format_of(target: Target, bits: int, short: bool = True) -> SumFormat:
    """Return the format for moduli below 2^bits on ``target``, whose words have 64 bits.

    Args:
        target: The target.
        bits: The number of bits of the moduli.
        short: Whether the quotient of a sum by a modulus has few bits, as it has for sums of parts times
            constants.
    """
    word, bits = target.word, max(bits, SHORTEST)
    half = word // 2
    halves = HalfWords(bits, word, bits, of_goal=("p", "n", "m"))
    if bits < half and halves.most >= MANY:
        return halves
    if target.machine is MachineModel.THREADS and bits > half:
        part = -(-bits // 2)
        return PartsByHalves(bits, word, part, part, 3, of_goal=("p", "m"))
    if target.lanes == 1 or target.ops.keys() >= CARRIES:
        return WholeWords(bits, word, bits, 0, 2, of_goal=("p", "m"))
    if _fits_limb(target, bits):
        return _one_limb(target, bits)
    doubles = "rfma" in target.ops and target.real > 0
    if doubles and bits <= LONGEST_DOUBLE and _corrects(target):
        return DoubleSums(bits, word, bits, 0, 2, ("q", "a", "u"), ("p", "d", "i"))
    shortfall = 0 if "mulhi" in target.ops else 2
    if target.digit:  # the rule for two limbs needs a modulus that is longer than one limb
        own, limb = max(bits, target.digit + 2), target.digit
        names = ("p", "n1", "n0", "u")
        two = TwoLimbs(own, word, -(-own // 2), limb, 2, of_goal=names, digit=limb, shortfall=shortfall)
        if two.most > 0:
            return two
    part = -(-bits // 2)
    if doubles and short:
        return PartsWithDoubles(bits, word, part, part, 3, of_goal=("p", "i"), shortfall=shortfall)
    return PartsByHalves(bits, word, part, part, 3, of_goal=("p", "m"), shortfall=shortfall)


def format_of_constants(target: Target, bits: int) -> SumFormat:
    """Return the format for single products by constants modulo moduli below 2^bits on ``target``.

    Multiply-adds of limbs need one instruction less for such a product than products of half words.
    """
    bits = max(bits, SHORTEST)
    return _one_limb(target, bits) if _fits_limb(target, bits) else format_of(target, bits)


def _corrects(target: Target) -> bool:
    """Return whether the target can raise the results of sums in doubles, which may be negative, to residues."""
    return "umin" in target.ops or ("select_top" in target.ops and BY_SIGN in target.options.items())


def _fits_limb(target: Target, bits: int) -> bool:
    """Return whether moduli below 2^bits, and the residues below four times the modulus, fit one limb of the target."""
    return target.digit > 0 and target.lanes > 1 and bits + 2 <= target.digit


def _one_limb(target: Target, bits: int) -> SumFormat:
    """Return the format for moduli of one limb."""
    return OneLimb(bits, target.word, bits, 0, 2, ("q", "a", "u", "n"), ("p", "n", "v", "u", "m"), target.digit)
