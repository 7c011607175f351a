"""Forms of a modulus, such as ``q = 2^a - 2^b + 1`` and ``q = 2^a - c``.

The exponent a is a known number. The other powers of two stay variables, so that one proof holds for all exponents;
a proof may use that each power is at most a quarter of the one before it (the signs are those of the non-adjacent
form), and not that it is a power of two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TERM = re.compile(r"([+-]?) ?(2\^([a-z])|1|([a-z]))")


@dataclass(frozen=True)
class ModulusForm:
    """The terms of a form after ``2^a``: each has a sign, and the name of an exponent, the name of a number, or "1"."""

    name: str
    leading: str
    terms: tuple[tuple[int, str, str], ...]

    @property
    def powers(self) -> list[str]:
        """The names of the exponents after the first one."""
        return [name for _, kind, name in self.terms if kind == "power"]

    @property
    def number(self) -> str:
        """The name of the number that is subtracted, or ""."""
        return next((name for _, kind, name in self.terms if kind == "number"), "")

    def exponents(self, q: int) -> dict[str, int] | None:
        """Return the values of all names for a modulus, or None if it does not have the form."""
        if self.number:
            return {self.leading: q.bit_length(), self.number: (1 << q.bit_length()) - q}
        signs, places = [1, *(sign for sign, _, _ in self.terms)], _signed_digits(q)
        if [sign for sign, _ in places] != signs or (self.terms[-1][1] == "one" and places[-1][1]):
            return None
        names = [self.leading, *self.powers]
        return {name: at for name, (_, at) in zip(names, places, strict=False)}


def parse_modulus_form(text: str) -> ModulusForm | None:
    """Return the form that a text describes, or None for an empty text."""
    if not text:
        return None
    name, _, terms = text.partition(" = ")
    found = []
    for match in TERM.finditer(terms):
        kind = "power" if match[3] else "number" if match[4] else "one"
        found.append((-1 if match[1] == "-" else 1, kind, match[3] or match[4] or "1"))
    return ModulusForm(name, found[0][2], tuple(found[1:]))


def _signed_digits(q: int) -> list[tuple[int, int]]:
    """Return the non-adjacent form of a number: signs and exponents, the greatest one first."""
    found, at = [], 0
    while q:
        if q & 1:
            sign = 2 - q % 4
            found.append((sign, at))
            q -= sign
        q >>= 1
        at += 1
    return found[::-1]
