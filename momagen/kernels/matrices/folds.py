"""Reduction by a matrix engine: the digits of the part above 2^k are multiplied by powers of two (CROSS, appendix J).

For the digits h_j of the high part, Σ h_j·(2^(k + size·j) mod q) has few bits more than q. The rest of the
excess is folded without an engine until the number fits the words of a residue. A last quotient determines
the residue.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, Value
from momagen.kernels.elementwise.frame import Frame
from momagen.kernels.residues.arith import Arith

from .digits import SignedDigits, digits_for, signed_digits
from .sums import DigitSums

LEAST = 2
"""The number of bits by which the words of a residue must be longer than the modulus. Otherwise folding
reduces nothing."""


def check_room(arith: Arith) -> None:
    """Check that a modulus leaves its words enough headroom.

    Raises:
        MomagenError: Fewer than ``LEAST`` bits remain.
    """
    if arith.held - arith.bits < LEAST:
        raise MomagenError(
            f"a modulus of at most {arith.held - LEAST} bits for the reduction folded", f"{arith.bits} bits", "modulus"
        )


@dataclass(frozen=True)
class Fold:
    """A fold of numbers below ``top``.

    Attributes:
        arith: The representation of residues.
        top: The bound of the numbers.
        size: The number of bits of a digit.
        held: The number of bits of the engine's sums.
    """

    arith: Arith
    top: int
    size: int
    held: int

    @property
    def bit(self) -> int:
        """The exponent k of the power of two above which bits are folded."""
        return self.arith.held - 1

    @property
    def digits(self) -> SignedDigits:
        """The digits of the high part."""
        return digits_for((self.top >> self.bit).bit_length(), self.size, whole=True)

    @property
    def outer(self) -> SignedDigits:
        """The digits of residues around 0."""
        return digits_for(self.arith.bits, self.size)

    @property
    def sums(self) -> DigitSums:
        """The sums that the engine computes."""
        return DigitSums(self.arith, self.digits, self.outer, 1, self.held)

    def parted(self, b: Builder, x: Value, width: int) -> None:
        """Add the outputs for x < top: ``low`` and the digits of the high part."""
        b.output("low", b.one("low", width, x, k=self.bit))
        high = b.one("shr", width, x, k=self.bit)
        for name, digit in signed_digits(b, high, self.digits, width, self.arith.word):
            b.output(name, digit)


def folded(fold: Fold, m: int) -> Block:
    """Return the codelet z ≡ low + Σ s_i·2^(size·i) below m·q."""
    arith, sums = fold.arith, fold.sums
    frame = Frame(arith, {}, m)
    b, width = frame.b, max(sums.width, arith.width)
    low = b.input("low", 0, (1 << fold.bit) - 1)
    x = b.one("addlo", width, low, sums.lifted(b, frame.q))
    while x.hi >> arith.held:
        x = b.one("folded", width, x, frame.q, k=fold.bit)
    return frame.finish(frame.once(x)).block


def product_parted(fold: Fold, m: int) -> Block:
    """Return the codelet that splits x·y into its parts, for x and y below m·q, where (m·q)² is ``fold.top``."""
    b, arith = Builder(), fold.arith
    width = 2 * arith.width
    x, y = (arith.residue(b, name, m) for name in "xy")
    fold.parted(b, b.one("mullo", width, x, y), width)
    return b.block


def sums_parted(sums: DigitSums, fold: Fold) -> Block:
    """Return the codelet that splits the number which sums of digits represent, plus 2^g·q, into its parts."""
    b = Builder()
    q = b.input("q", 0, sums.arith.top)
    fold.parted(b, sums.lifted(b, q), sums.width)
    return b.block
