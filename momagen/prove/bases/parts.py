"""Parts of a program with several moduli, each of which is proven for one of them.

A part that divides by a modulus, or that reads only one modulus, is proven for every value of this modulus. For this
part, other moduli and residues modulo other moduli are unknown integers between two bounds. The *face* of an integer
for another modulus is its residue modulo that modulus. A face has no relation to other residues, except that equal
integers have equal faces: two numbers below q that are congruent modulo q are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.transforms.part import Part
from momagen.prove.transforms.relations import state_relations
from momagen.prove.transforms.stored import Stored
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.facts import Path
    from momagen.prove.transforms.claim import Moduli


SLACK = 2
"""The slack of bounds if all moduli have the same length: a bound in q is preferred to a number that may be less."""


class Chosen(Exception):
    """A part must be proven for a certain modulus, which was not known when it began."""

    def __init__(self, tag: int) -> None:
        super().__init__(tag)
        self.tag = tag


class BasisPart(Part):
    """A part that is proven for one modulus of a basis.

    Args:
        run: The run that it belongs to.
        tag: The number of the modulus, or None if none is known yet.
        path: The decisions of its branches.
        guide: Where the proofs come from.

    Attributes:
        shifted: For the variable of each number that was shifted to the right: its modulus, and the unshifted number.
    """

    def __init__(self, run: Any, tag: int | None, moduli: Moduli, path: Path, guide: Guide) -> None:
        super().__init__(moduli, run.claim.word, path, guide, moduli.least if moduli.parity is not None else 0)
        self.run, self.tag = run, tag
        self.shifted: dict[int, tuple[int, Any]] = {}
        if tag is not None and tag >= run.claim.count:
            self.facts.search.slack = SLACK

    def _introduce(self, number: Stored) -> list[Value]:
        own = self.run.tag_of(number)
        if number.is_modulus and self.tag is None:
            raise Chosen(own)
        if own == self.tag and own is not None:
            return super()._introduce(number)
        ends = self.run.ends_of(number)
        shadow = Stored(number.name, number.words, ends[:1], ends[1:], None, number.is_secret, bits=number.bits)
        words = super()._introduce(shadow)
        self._variables[number] = self._variables[shadow]
        if number.is_modulus and own in self.run.parities:
            word = Value(words[0].polynomial, self.run.claim.least, words[0].high)
            self.facts.words.state_remainder(word, 2, self.run.parities[own])
        return words

    def state_relations(self) -> None:
        """State the relations modulo the modulus of the part."""
        own = {number: self._variables[number] for number in self.inputs if self.run.tag_of(number) == self.tag}
        state_relations(self.facts, own)
