"""Integers in scientific notation: ``1e9`` and ``1.5e3`` are integers, ``1.5`` and ``1e-3`` are not."""

from __future__ import annotations

import re

MAX_EXPONENT = 4096
"""The largest exponent of 10; larger ones exceed the 8192 bits that an expression may have."""
PATTERN = re.compile(r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)(?![\w.])")


def exact(text: str) -> int:
    """Return the integer that ``text`` denotes; ``PATTERN`` matches the text.

    Raises:
        ArithmeticError: The number is not an integer, is written without an exponent, or is too large; the message says
            what was expected.
    """
    mantissa, _, exponent = text.lower().replace("_", "").partition("e")
    if not exponent:
        raise ArithmeticError("an integer without a decimal point")
    whole, _, fraction = mantissa.partition(".")
    digits, power = whole + fraction, int(exponent) - len(fraction)
    if power > MAX_EXPONENT:
        raise ArithmeticError(f"an exponent of 10 up to {MAX_EXPONENT}")
    dropped = digits[power:] if power < 0 else ""
    if dropped.strip("0"):
        raise ArithmeticError("an integer")
    return int(digits[:power] or "0") if power < 0 else int(digits) * 10**power
