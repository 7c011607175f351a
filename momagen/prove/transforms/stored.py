"""Integers in memory between two straight-line parts of a program, with their proven bounds, residues and relations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from momagen.prove.polynomial import InModulus


@dataclass(eq=False)
class Stored:
    """An integer that memory holds in a few words.

    Attributes:
        name: Its name for messages.
        words: The number of its words.
        low: A lower bound as a polynomial in q.
        high: An upper bound.
        residue: The value in the field of the polynomial that it is congruent to modulo q; None if none is known.
        is_secret: Whether it depends on a vector of the caller.
        relations: The relations between this number and others.
        bits: The bits of a word; 0 for those of a word of the claim.
        is_negated: Whether the only word holds the negative of the number, modulo 2 to the power of the bits of a word.
    """

    name: str
    words: int
    low: InModulus
    high: InModulus
    residue: Any = None
    is_secret: bool = False
    relations: list[Relation] = field(default_factory=list)
    bits: int = 0
    is_negated: bool = False

    @property
    def is_modulus(self) -> bool:
        """Whether the number is q."""
        return self.low == self.high == (0, 1)

    @property
    def is_reduced(self) -> bool:
        """Whether the words hold a number between 0 and q - 1."""
        return self.low == (0,) and self.high == (-1, 1) and not self.is_negated


@dataclass(frozen=True)
class Relation:
    """The statement that a polynomial in stored numbers is ``unit * s`` for an integer s between ``low`` and ``high``.

    Attributes:
        terms: The products of numbers, each with its coefficient; None is q.
        unit: A positive integer.
        low: The least s, as a polynomial in q.
        high: The greatest s.
    """

    terms: tuple[tuple[int, tuple[Stored | None, ...]], ...]
    unit: int
    low: InModulus
    high: InModulus

    def numbers(self) -> set[Stored]:
        """Return the stored numbers that the relation is about."""
        return {number for _, product in self.terms for number in product if number is not None}


@dataclass(frozen=True)
class Word:
    """A word of a stored number, the lowest of which is word 0."""

    number: Stored
    index: int
