"""The methods of a context: how ModUp converts digits, and how ModDown divides sums by the auxiliary moduli."""

from __future__ import annotations

from typing import NamedTuple


class Methods(NamedTuple):
    """The methods of a context, each "corrected", "exact" or "fast".

    Attributes:
        mod_up: How digits are converted to the basis with the auxiliary moduli.
        mod_down: How sums are divided by the product of the auxiliary moduli.
    """

    mod_up: str = "corrected"
    mod_down: str = "corrected"


class MethodTexts(NamedTuple):
    """Descriptions of a method's results for the header.

    Attributes:
        raised: The digits of key switching.
        converted: The result of a conversion.
        divided: The result of ModDown.
    """

    raised: str
    converted: str
    divided: str


METHOD_TEXTS = {
    "exact": MethodTexts(
        "the number r with |r| < D_j/2 that is congruent to x modulo D_j",
        "a number a with |a| < Q/2 is converted exactly, where Q is the product of all q",
        "x/P rounded to the nearest integer",
    ),
    "corrected": MethodTexts(
        "the number r with |r| < D_j/2 that is congruent to x modulo D_j; a number within D_j/2^40 of ±D_j/2 may get"
        " the other sign",
        "a number a with |a| < Q/2 is converted, where Q is the product of all q; if a is within Q/2^40 of ±Q/2, the"
        " result may be off by Q",
        "x/P rounded to the nearest integer, or to the other neighbour if x modulo P is within P/2^40 of P/2",
    ),
    "fast": MethodTexts(
        "a number that is congruent to x modulo D_j, at least 0 and below D_j times the number of moduli of the digit",
        "a number a with 0 <= a < Q is converted to a + u·Q with 0 <= u < moduli, where Q is the product of all q",
        "an integer that is at most x/P and less than `special` below x/P",
    ),
}
"""The methods by name."""
