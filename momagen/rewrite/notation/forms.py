"""Forms of a known modulus: sums and differences of few powers of two, or a power of two minus a number.

The form ``q = 2^a - 2^b + 1`` defines the exponents a > b if q is such a number. The form ``q = 2^a - c``
defines a as the number of bits of q, and c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from momagen.errors import MomagenError

TERM = r"(?:2\^[a-z]|1|[a-z])"
"""A regular expression for a power of two, 1 or the name of a number."""
FORM = re.compile(rf"(?P<name>\w+) = (?P<terms>2\^[a-z](?: [+-] {TERM})+)")
"""A regular expression for a form."""
POWER = "2^"
SHORT = 1 << 16
"""The numbers from this one on are written in hexadecimal."""
WANTED = "a form such as q = 2^a - 2^b + 1 or q = 2^a - c"
"""The description of forms in errors."""


@dataclass(frozen=True)
class Form:
    """The form of an argument.

    Attributes:
        name: The name of the argument.
        terms: The terms, each with its sign 1 or -1: a power of two whose exponent has a name, "1", or the
            name of a number.
    """

    name: str
    terms: tuple[tuple[int, str], ...]

    @property
    def names(self) -> list[str]:
        """The names of exponents and numbers that the form defines."""
        return [text.removeprefix(POWER) for _, text in self.terms if text != "1"]

    @property
    def sparse(self) -> bool:
        """Whether all terms are powers of two."""
        return all(text.startswith(POWER) or text == "1" for _, text in self.terms)

    @lru_cache(maxsize=256)  # noqa: B019 - there are few forms, so keeping them alive is harmless
    def of(self, value: int) -> dict[str, int] | None:
        """Return the values of names for which the form equals ``value``, or None if there are none."""
        length, (_, last) = value.bit_length(), self.terms[-1]
        if not self.sparse:
            return {self.names[0]: length, last: (1 << length) - value} if value > 0 else None
        found = [*_powers(value)][::-1]
        signs = [sign for sign, _ in found] == [sign for sign, _ in self.terms]
        if not signs or (last == "1" and found[-1][1]):
            return None
        return {name: at for name, (_, at) in zip(self.names, found, strict=False)}

    def written(self, value: int) -> str:
        """Return ``value`` in this form, such as "2^255 - 19", or "" if it has another form.

        Numbers from ``SHORT`` on are in hexadecimal.
        """
        found = self.of(value)
        if found is None:
            return ""
        texts = [_term(text, found) for _, text in self.terms]
        signs = [" - " if sign < 0 else " + " for sign, _ in self.terms]
        return texts[0] + "".join(sign + text for sign, text in zip(signs[1:], texts[1:], strict=True))


def _term(text: str, found: Mapping[str, int]) -> str:
    """Return a term with the values of its names."""
    name = text.removeprefix(POWER)
    number = found.get(name, 1)
    return f"{POWER}{number}" if text.startswith(POWER) else str(number) if number < SHORT else hex(number)


def _powers(value: int) -> Iterator[tuple[int, int]]:
    """Yield the signs and exponents of the non-adjacent form of ``value``, the lowest power of two first."""
    at = 0
    while value:
        if value & 1:
            sign = 2 - (value & 3)
            yield sign, at
            value -= sign
        value, at = value >> 1, at + 1


def parse_form(text: str, where: str) -> Form | None:
    """Return the form that a text describes, or None for an empty text.

    Args:
        text: The text.
        where: The place of the text, for errors.

    Raises:
        MomagenError: The text is no form.
    """
    if not text:
        return None
    found = FORM.fullmatch(text)
    if not found:
        raise MomagenError(WANTED, text, where)
    terms = re.findall(rf"(?:^|([+-]) )({TERM})", found["terms"])
    return Form(found["name"], tuple((-1 if sign == "-" else 1, term) for sign, term in terms))
