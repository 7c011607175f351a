"""Arithmetic on residues of one word, made with products of digits: Shoup's, the quotient by multiply-adds of digits.

The quotient of y·v by q is ⌊y·g⌋ + ⌊y·f⌋ of the halves of y: what a lane holds is a word as it is, sums are sums of
words, and the low halves of two products of words give the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir import Value

from .near import LANE, Near, OneDigit, Residues


@dataclass(frozen=True)
class OneWord(OneDigit):
    """As :class:`OneDigit` for moduli that leave room in a word; the machine's products take ``digit`` bits."""

    word: int = LANE
    digit: int = 52

    @property
    def most(self) -> int:
        return self.room

    @property
    def spread(self) -> int:
        return 3

    @property
    def far(self) -> int:
        return self.most

    def letters(self, pairs: bool) -> str:
        return "vfeg" if pairs else "vfe"

    def twiddle(self, frame: Residues, t: int) -> tuple[Value, ...]:
        """v, f = ⌊v·2^digit/q⌋, the next ``digit`` bits e of that quotient, and its leading half word g."""
        v = frame.b.input(f"v{t}", 0, self.top - 1)
        f, e = (frame.b.input(f"{name}{t}", 0, (1 << self.digit) - 1) for name in "fe")
        if frame.pairs or t == 0:
            return v, f, e, frame.b.input(f"g{t}", 0, (1 << self.word // 2) - 1)
        return v, f, e, frame.one("shr", f, k=self.digit - self.word // 2)

    def product(self, frame: Residues, y: Value, twiddle: tuple[Value, ...], c: int) -> Near:
        """v·y, from 0 to 3q: another multiple of q would cost an operation."""
        value = frame.one("shoup_split", y, *twiddle, frame.q, k=self.digit)
        return frame.near(value, 0, self.spread)


def one(bits: int, digit: int) -> OneDigit:
    """The arithmetic for residues of one digit, where they are that short, or of one word."""
    return OneDigit(bits, digit) if bits <= digit else OneWord(bits, digit=digit)
