"""Comparisons of mixed-radix digits with half of a modulus, which say whether a number is above (Q - 1) / 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.bases.functions import FunctionRun
from momagen.prove.polynomial import plus

if TYPE_CHECKING:
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.transforms.stored import Stored
    from momagen.prove.words import Value


class FlagRun(FunctionRun):
    """A run in which a number may be the flag that a digit plus an earlier flag is above half of a modulus.

    Attributes:
        halves: The modulus of each number that is proven to be (q - 1) / 2 for an odd q.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.halves: dict[Stored, int] = {}

    @staticmethod
    def key_above(tag: int, digit: Any, earlier: Any) -> Any:
        """Return the key of the flag that a digit plus an earlier flag is above half of a modulus.

        Args:
            tag: The index of the modulus.
            digit: The residue of the digit, which is below this modulus.
            earlier: The key of the earlier flag; None for a flag that is 0.
        """
        return "above", tag, digit, earlier

    def _relate_to_modulus(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the results that are (q - 1) / 2: the quotient of q by 2, where the remainder is 1."""
        if part.tag not in self.parities or list(part.inputs) != [self.moduli_of_basis[part.tag]]:
            return
        quotient, rest = part.facts.words.divide(part.inputs[self.moduli_of_basis[part.tag]][0], 2, "half")
        for (at, *others), number in results.items():
            if not others and rest.low == rest.high == 1 and values[at].polynomial == quotient.polynomial:
                self.halves[number] = part.tag

    def _recognise(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the results that are flags, and give them their keys."""
        halves = [number for number in part.inputs if number in self.halves]
        for (at, *others), number in results.items() if halves else ():
            compared = part.facts.words.compared_with_zero(values[at])
            for half in halves if compared is not None and not others else ():
                total = plus(part.inputs[half][0].polynomial, compared.polynomial, -1)
                found = self._key_of(part, half, total)
                if found is not None:
                    self.name_by_key(number, found, 1)

    def _key_of(self, part: Any, half: Stored, compared: Polynomial) -> Any:
        """Return the key of the flag that a digit, or the sum of a digit and a flag, is above half of its modulus."""
        tag = self.halves[half]
        own = [n for n in part.inputs if n.is_reduced and n.is_secret and self.tag_of(n) == tag]
        for digit in own:
            for flag in (None, *(number for number in part.inputs if number in self.keys)):
                total = part.inputs[digit][0].polynomial
                if flag is not None:
                    total = plus(total, part.inputs[flag][0].polynomial)
                if total == compared:
                    return self.key_above(tag, digit.residue, None if flag is None else self.keys[flag])
        return None
