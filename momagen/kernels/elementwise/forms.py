"""Montgomery form of residues: a number x is held as x·R mod q for R = 2^k, as libraries of field arithmetic hold it.

A product of two such numbers has one R too many, so a kernel in this form gives it over R. Sums stay as they are. In
formulas R is R and I is 1/R modulo q.
"""

from __future__ import annotations

import re

from momagen.errors import MomagenError, quoted

PLAIN, MONTGOMERY = "plain", "montgomery"
FORMS = (PLAIN, MONTGOMERY)
CONVERSIONS = {"tomont": "x·R", "frommont": "x·I"}
"""The kernels between the forms, by what they compute."""
PRODUCT = re.compile("[ax]·[xy]")
"""A product of two residues in a formula."""


def in_form(text: str) -> str:
    """The formula on numbers in Montgomery form."""
    return PRODUCT.sub(r"\g<0>·I", text)


def for_people(text: str) -> str:
    """A formula as people write it."""
    return text.replace("·I", "/R")


def factors(k: int, q: int) -> dict[str, int]:
    """R = 2^k and I = 1/R modulo an odd q, by their names in formulas; neither where k is 0."""
    return {"R": 1 << k, "I": pow(1 << k, -1, int(q))} if k else {}


def form_bits_of(text: str) -> int:
    """The number that the option ``form_bits`` is.

    Raises:
        MomagenError: it is none.
    """
    if not text.isdecimal():
        raise MomagenError("the number of bits k of the Montgomery factor R = 2^k", quoted(text), "form_bits")
    return int(text)


def check_form_bits(k: int, bits: int, held: int) -> None:
    """Refuse R = 2^k that is no residue's: ``bits`` of the modulus, ``held`` of its words.

    Raises:
        MomagenError: naming the option.
    """
    if not bits <= k <= held:
        expected = f"a number of bits from {bits} (the length of the modulus) to {held} (the length of its words)"
        raise MomagenError(expected, k, "form_bits")
