"""Signed digits of residues: x = Σ d_k·2^(digit·k), |x| ≤ q/2 or x below what so many digits hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import Arith


@dataclass(frozen=True)
class SignedDigits:
    """``count`` digits from -2^(size - 1) to 2^(size - 1) - 1."""

    size: int
    count: int

    @property
    def most(self) -> int:
        """The largest number."""
        return sum((1 << self.size - 1) - 1 << self.size * at for at in range(self.count))

    @property
    def least(self) -> int:
        """The negated smallest number: the sum of the smallest digits."""
        return sum(1 << self.size - 1 + self.size * at for at in range(self.count))

    def width(self, word: int) -> int:
        """The width of numbers: of so many words, a power of two, as hold the digits."""
        words = -(-self.size * self.count // word)
        return word << (words - 1).bit_length()


def digits_for(bits: int, size: int, whole: bool = False) -> SignedDigits:
    """Those that hold all residues of a modulus of so many bits around 0; ``whole``: from 0 on."""
    count, most = -(-bits // size), 1 << bits - (not whole)
    return next(held for held in (SignedDigits(size, count), SignedDigits(size, count + 1)) if held.most >= most)


def split(arith: Arith, digits: SignedDigits, m: int) -> Block:
    """Digits d0, d1, … of x < m·q, each in a word modulo 2^word. x becomes x - q where it is more than they hold."""
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
    """Names and digits of a number that they hold, the low one first."""
    if digits.count == 1:
        yield "d0", x
        return
    lifted = b.one("addlo", width, x, const(digits.least))
    for at in range(digits.count):
        raised = b.one("shr", width, lifted, k=digits.size * at) if at else lifted
        digit = b.one("low", width, raised, k=digits.size)
        yield f"d{at}", b.one("sublo", word, digit, const(1 << digits.size - 1))


def _reduced(b: Builder, x: Value, q: Value, m: int, arith: Arith) -> Value:
    """x mod q for x < m·q, m a power of two."""
    while m > 1:
        m //= 2
        x = b.one("csub", arith.width, x, arith.times_q(b, q, m))
    return x
