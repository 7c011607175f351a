"""Reduction by an engine: what overflows 2^k is folded in by its digits, times 2^k modulo q (CROSS, appendix J).

The high part has digits h_j, and Σ h_j·(2^(k + size·j) mod q) has few bits more than q. What still overflows is folded
in without an engine, until it fits the words of a residue. A last quotient makes that a residue.
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
"""Bits that the words of a residue have beside it, without which folding brings nothing down."""


def check_room(arith: Arith) -> None:
    """Refuse a modulus that leaves its words too little room.

    Raises:
        MomagenError: fewer than ``LEAST`` bits are left.
    """
    if arith.held - arith.bits < LEAST:
        raise MomagenError(
            f"a modulus of at most {arith.held - LEAST} bits for the reduction folded", f"{arith.bits} bits", "modulus"
        )


@dataclass(frozen=True)
class Fold:
    """One of numbers below ``top``, by digits of so many bits, whose sums come in ``held`` bits."""

    arith: Arith
    top: int
    size: int
    held: int

    @property
    def bit(self) -> int:
        """k: what lies above overflows."""
        return self.arith.held - 1

    @property
    def digits(self) -> SignedDigits:
        """Of the high part."""
        return digits_for((self.top >> self.bit).bit_length(), self.size, whole=True)

    @property
    def outer(self) -> SignedDigits:
        """Of residues around 0."""
        return digits_for(self.arith.bits, self.size)

    @property
    def sums(self) -> DigitSums:
        """What the engine gives."""
        return DigitSums(self.arith, self.digits, self.outer, 1, self.held)

    def parted(self, b: Builder, x: Value, width: int) -> None:
        """Outputs ``low`` and the digits of the high part of x < top."""
        b.output("low", b.one("low", width, x, k=self.bit))
        high = b.one("shr", width, x, k=self.bit)
        for name, digit in signed_digits(b, high, self.digits, width, self.arith.word):
            b.output(name, digit)


def folded(fold: Fold, m: int) -> Block:
    """z ≡ low + Σ s_i·2^(size·i) below m·q."""
    arith, sums = fold.arith, fold.sums
    frame = Frame(arith, {}, m)
    b, width = frame.b, max(sums.width, arith.width)
    low = b.input("low", 0, (1 << fold.bit) - 1)
    x = b.one("addlo", width, low, sums.lifted(b, frame.q))
    while x.hi >> arith.held:
        x = b.one("folded", width, x, frame.q, k=fold.bit)
    return frame.finish(frame.once(x)).block


def product_parted(fold: Fold, m: int) -> Block:
    """The parts of x·y for x and y below m·q, where (m·q)² is ``fold.top``."""
    b, arith = Builder(), fold.arith
    width = 2 * arith.width
    x, y = (arith.residue(b, name, m) for name in "xy")
    fold.parted(b, b.one("mullo", width, x, y), width)
    return b.block


def sums_parted(sums: DigitSums, fold: Fold) -> Block:
    """The parts of what sums of digits stand for, and 2^g·q."""
    b = Builder()
    q = b.input("q", 0, sums.arith.top)
    fold.parted(b, sums.lifted(b, q), sums.width)
    return b.block
