"""Signed digits of residues: x = Σ d_k·2^(digit·k) for |x| ≤ q/2, or for x ≥ 0 within the range of the digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import Arith


@dataclass(frozen=True)
class SignedDigits:
    """Signed digits from -2^(size - 1) to 2^(size - 1) - 1.

    Attributes:
        size: The number of bits of a digit.
        count: The number of digits.
    """

    size: int
    count: int

    @property
    def most(self) -> int:
        """The largest number that the digits represent."""
        return sum((1 << self.size - 1) - 1 << self.size * at for at in range(self.count))

    @property
    def least(self) -> int:
        """The negated smallest number: the sum of the smallest digits."""
        return sum(1 << self.size - 1 + self.size * at for at in range(self.count))

    def width(self, word: int) -> int:
        """Return the width of operations on the numbers, a power of two times ``word`` bits."""
        words = -(-self.size * self.count // word)
        return word << (words - 1).bit_length()


def digits_for(bits: int, size: int, whole: bool = False) -> SignedDigits:
    """Return the digits that represent all residues of a modulus of ``bits`` bits.

    Args:
        bits: The number of bits of the modulus.
        size: The number of bits of a digit.
        whole: Whether residues are from 0 on instead of around 0.
    """
    count, most = -(-bits // size), 1 << bits - (not whole)
    return next(held for held in (SignedDigits(size, count), SignedDigits(size, count + 1)) if held.most >= most)


def split(arith: Arith, digits: SignedDigits, m: int) -> Block:
    """Return the codelet that splits x < m·q into digits d0, d1, …, each in a word modulo 2^word.

    If x is larger than the largest number that the digits represent, x - q is split instead.
    """
    b, width, word = Builder(), max(digits.width(arith.word), arith.width), arith.word
    top = arith.top
    x = b.input("x", 0, m * top - 1)
    if x.hi > digits.most:
        q = b.input("q", 0, top)
        x = _reduced(b, x, q, m, arith)
        above = b.one("lt", width, const(digits.most), x)
        x = b.one("select", width, above, b.one("sublo", width, x, q), x)
    for name, digit in signed_digits(b, x, digits, width, word):
        b.output(name, digit)
    return b.block


def signed_digits(b: Builder, x: Value, digits: SignedDigits, width: int, word: int) -> Iterator[tuple[str, Value]]:
    """Yield the names and the digits of a number that is in their range, the lowest digit first."""
    if digits.count == 1:
        yield "d0", x
        return
    lifted = b.one("addlo", width, x, const(digits.least))
    for at in range(digits.count):
        raised = b.one("shr", width, lifted, k=digits.size * at) if at else lifted
        digit = b.one("low", width, raised, k=digits.size)
        yield f"d{at}", b.one("sublo", word, digit, const(1 << digits.size - 1))


def _reduced(b: Builder, x: Value, q: Value, m: int, arith: Arith) -> Value:
    """Return x mod q for x < m·q and a power of two m."""
    while m > 1:
        m //= 2
        x = b.one("csub", arith.width, x, arith.times_q(b, q, m))
    return x
