"""Which engine multiplies a matrix, and by which digits: the cheapest whose sums are exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.kernels.matrices.digits import SignedDigits, digits_for
from momagen.targets import Engine

LEAST = 4
"""Bits of a digit, fewer of which nothing asks for."""


@dataclass(frozen=True)
class EngineChoice:
    """An engine, and the digits of residues and of matrices."""

    engine: Engine
    digits: SignedDigits

    @property
    def products(self) -> int:
        """Of digits, for one of residues."""
        return self.digits.count**2

    @property
    def cost(self) -> float:
        """Of one product of residues."""
        return self.products * self.engine.cost

    @property
    def held(self) -> int:
        """Bits of a sum as whole words."""
        return 32 if self.engine.exact < 32 else 64

    def __str__(self) -> str:
        digits = self.digits
        return f"{self.engine.name}, {digits.count} digits of {digits.size} bits, {self.products} products"


def engine_for(
    engines: Sequence[Engine], bits: int, terms: int, asked: str = "", *, whole: bool = False
) -> EngineChoice:
    """The cheapest for residues of so many bits and rows of so many terms.

    Args:
        whole: digits hold residues from 0 on, not only around 0. asked: the only engine to take; "": any.

    Raises:
        MomagenError: none is exact, or there is none of that name.
    """
    if asked and asked not in (names := [each.name for each in engines]):
        raise among("an engine among", names, asked, "engine")
    taken = [each for each in engines if asked in ("", each.name)]
    found = [choice for each in taken for choice in _exact(each, bits, terms, whole)]
    if not found:
        raise MomagenError("sums that an engine gives exactly", f"{terms} products of {bits} bits", "engine")
    return min(found, key=lambda choice: choice.cost)


def _exact(engine: Engine, bits: int, terms: int, whole: bool) -> Iterator[EngineChoice]:
    """By the largest digits whose products, summed up, stay below 2^exact."""
    for size in range(engine.digit, LEAST - 1, -1):
        digits = digits_for(bits, size, whole)
        if terms * digits.count << 2 * (size - 1) < 1 << engine.exact:
            yield EngineChoice(engine, digits)
            return
