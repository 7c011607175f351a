"""Sums and products of doubles by their bits, rounded once, for the tests of stand-ins."""

from __future__ import annotations

import struct
from fractions import Fraction

KEPT, SET = 0x83FFFFFFFFFFFFFF, 0x3C00000000000000
"""``word & KEPT | SET`` is a double of either sign between 2^-63 and 2."""
DEFAULT_CSR = 0x1F80
"""Rounding to nearest, no exceptions."""


def double(word: int) -> float:
    (number,) = struct.unpack("<d", struct.pack("<Q", word & KEPT | SET))
    return float(number)


def bits(number: float | Fraction) -> int:
    (word,) = struct.unpack("<Q", struct.pack("<d", float(number)))
    return int(word)


def plus(x: int, y: int) -> int:
    return bits(double(x) + double(y))


def minus(x: int, y: int) -> int:
    return bits(double(x) - double(y))


def times(x: int, y: int) -> int:
    return bits(double(x) * double(y))


def multiply_subtract(x: int, y: int, z: int) -> int:
    return bits(Fraction(double(x)) * Fraction(double(y)) - Fraction(double(z)))


def subtract_product(x: int, y: int, z: int) -> int:
    return bits(Fraction(double(z)) - Fraction(double(x)) * Fraction(double(y)))


def multiply_add(x: int, y: int, z: int) -> int:
    return bits(Fraction(double(x)) * Fraction(double(y)) + Fraction(double(z)))
