"""Montgomery form of residues: x is represented by x·R mod q for R = 2^k, as libraries for field arithmetic do.

The product of two such numbers has one factor R too many, so a kernel in this form divides it by R. Sums need
no change. In formulas R is R, and I is 1/R modulo q.
"""

from __future__ import annotations

import re

from momagen.errors import MomagenError, quoted

PLAIN, MONTGOMERY = "plain", "montgomery"
FORMS = (PLAIN, MONTGOMERY)
"""The forms of residues."""
CONVERSIONS = {"tomont": "x·R", "frommont": "x·I"}
"""The kernels that convert between the forms, with their formulas."""
PRODUCT = re.compile("[ax]·[xy]")
"""A product of two residues in a formula."""


def in_form(text: str) -> str:
    """Return the formula on numbers in Montgomery form."""
    return PRODUCT.sub(r"\g<0>·I", text)


def for_people(text: str) -> str:
    """Return a formula as readers expect it."""
    return text.replace("·I", "/R")


def factors(k: int, q: int) -> dict[str, int]:
    """Return R = 2^k and I = 1/R modulo an odd q, by their names in formulas; nothing if k is 0."""
    return {"R": 1 << k, "I": pow(1 << k, -1, int(q))} if k else {}


def form_bits_of(text: str) -> int:
    """Return the number in the option ``form_bits``.

    Raises:
        MomagenError: The text is not a number.
    """
    if not text.isdecimal():
        raise MomagenError("the number of bits k of the Montgomery factor R = 2^k", quoted(text), "form_bits")
    return int(text)


def check_form_bits(k: int, bits: int, held: int) -> None:
    """Check that R = 2^k fits the residues.

    Args:
        k: The exponent.
        bits: The number of bits of the modulus.
        held: The number of bits of its words.

    Raises:
        MomagenError: k is out of range.
    """
    if not bits <= k <= held:
        expected = f"a number of bits from {bits} (the length of the modulus) to {held} (the length of its words)"
        raise MomagenError(expected, k, "form_bits")
