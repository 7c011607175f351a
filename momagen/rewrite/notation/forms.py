"""Forms of a modulus that is known: sums and differences of few powers of two, or a power of two less a number.

``q = 2^a - 2^b + 1`` gives the exponents a > b their names where q is such a number, ``q = 2^a - c`` both a and c,
where a is the number of bits of q.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from momagen.errors import MomagenError

TERM = r"(?:2\^[a-z]|1|[a-z])"
FORM = re.compile(rf"(?P<name>\w+) = (?P<terms>2\^[a-z](?: [+-] {TERM})+)")
POWER = "2^"
SHORT = 1 << 16
"""Numbers from here on are written in hexadecimal."""
WANTED = "a form such as q = 2^a - 2^b + 1 or q = 2^a - c"


@dataclass(frozen=True)
class Form:
    """Of the argument ``name``, its ``terms``: a sign, and 2^ with the name of an exponent, 1, or a number's name."""

    name: str
    terms: tuple[tuple[int, str], ...]

    @property
    def names(self) -> list[str]:
        """What it gives names to."""
        return [text.removeprefix(POWER) for _, text in self.terms if text != "1"]

    @property
    def sparse(self) -> bool:
        """Whether its terms are powers of two alone."""
        return all(text.startswith(POWER) or text == "1" for _, text in self.terms)

    @lru_cache(maxsize=256)  # noqa: B019 - forms are as few as rules
    def of(self, value: int) -> dict[str, int] | None:
        """What its names stand for in ``value``; None where that has another form."""
        length, (_, last) = value.bit_length(), self.terms[-1]
        if not self.sparse:
            return {self.names[0]: length, last: (1 << length) - value} if value > 0 else None
        found = [*_powers(value)][::-1]
        signs = [sign for sign, _ in found] == [sign for sign, _ in self.terms]
        if not signs or (last == "1" and found[-1][1]):
            return None
        return {name: at for name, (_, at) in zip(self.names, found, strict=False)}

    def written(self, value: int) -> str:
        """``value`` in this form, "2^255 - 19", a long number in hexadecimal; "" where it has another."""
        found = self.of(value)
        if found is None:
            return ""
        texts = [_term(text, found) for _, text in self.terms]
        signs = [" - " if sign < 0 else " + " for sign, _ in self.terms]
        return texts[0] + "".join(sign + text for sign, text in zip(signs[1:], texts[1:], strict=True))


def _term(text: str, found: Mapping[str, int]) -> str:
    name = text.removeprefix(POWER)
    number = found.get(name, 1)
    return f"{POWER}{number}" if text.startswith(POWER) else str(number) if number < SHORT else hex(number)


def _powers(value: int) -> Iterator[tuple[int, int]]:
    """Signs and exponents of the powers of two that make ``value``, no two of them neighbours, the lowest first."""
    at = 0
    while value:
        if value & 1:
            sign = 2 - (value & 3)
            yield sign, at
            value -= sign
        value, at = value >> 1, at + 1


def parse_form(text: str, where: str) -> Form | None:
    """The form ``text``; None where there is none.

    Raises:
        MomagenError: it is none of the notation.
    """
    if not text:
        return None
    found = FORM.fullmatch(text)
    if not found:
        raise MomagenError(WANTED, text, where)
    terms = re.findall(rf"(?:^|([+-]) )({TERM})", found["terms"])
    return Form(found["name"], tuple((-1 if sign == "-" else 1, term) for sign, term in terms))
