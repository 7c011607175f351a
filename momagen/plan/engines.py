"""Which engine multiplies a matrix, and by which digits: the cheapest whose sums are exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among, build_error
from momagen.kernels.matrices.digits import SignedDigits, digits_for
from momagen.kernels.matrices.folds import Fold
from momagen.kernels.matrices.merge import quotient_room
from momagen.kernels.matrices.sums import gain
from momagen.kernels.matrices.whole_words import fits
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.options.values import OPTIONS
from momagen.targets import Engine

MONTGOMERY, BARRETT, FOLDED = SUMS = OPTIONS["sums"]
"""How sums of digits become residues."""
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

    def cost(self, rows: int, terms: int) -> float:
        """Nanoseconds of one column of a product with a matrix."""
        return rows * terms * self.products * self.engine.cost + (rows + terms) * self.digits.count * self.engine.beside

    def __str__(self) -> str:
        if self.engine.words:
            return "words of vectors, 1 product"
        digits = self.digits
        return f"{self.engine.name}, {digits.count} parts of {digits.size} bits, {self.products} products"


def room_of(sums: str, arith: Arith) -> int:
    """Bits that sums of digits may have beside q, as :func:`engine_for` takes them."""
    return quotient_room(arith) if sums == BARRETT else 0


def engine_for(
    engines: Sequence[Engine], arith: Arith, rows: int, terms: int, asked: str = "", *, whole: bool = False,
    room: int = 0,
) -> EngineChoice:  # fmt: skip
    """The cheapest for residues of ``arith`` and so many rows of so many terms.

    Args:
        whole: digits hold residues from 0 on, not only around 0, and vectors of words will do. asked: the only engine
            to take; "": any. room: bits that sums may have beside q; 0: those of Montgomery's R.

    Raises:
        MomagenError: none is exact, or there is none of that name.
    """
    if asked and asked not in (names := [each.name for each in engines]):
        raise among("one of the engines", names, asked, "engine")
    taken = [each for each in engines if asked in ("", each.name) and (whole or not each.words)]
    found = [choice for each in taken for choice in _exact(each, arith, terms, whole, room or arith.held)]
    if not found:
        problem = f"{f'the engine {asked} does not' if asked else 'no engine can'} compute sums of {terms} products"
        remedy = "use another engine, fewer terms or a shorter modulus"
        raise build_error(f"{problem} of {arith.bits} bits exactly", "engine", remedy)
    return min(found, key=lambda choice: choice.cost(rows, terms))


def _exact(engine: Engine, arith: Arith, terms: int, whole: bool, room: int) -> Iterator[EngineChoice]:
    """By the largest digits whose products, summed up, stay below 2^exact, and whose numbers stay below q·R."""
    if 0 < engine.terms < terms:
        return
    if engine.words:
        if fits(arith, terms):
            yield EngineChoice(engine, SignedDigits(engine.digit, 1))
        return
    for size in range(engine.digit, LEAST - 1, -1):
        digits = digits_for(arith.bits, size, whole)
        if terms * digits.count << 2 * (size - 1) < 1 << engine.exact and gain(2 * terms + 1, digits) < room:
            yield EngineChoice(engine, digits)
            return


def fold_on(engines: Sequence[Engine], arith: Arith, top: int, asked: str = "") -> tuple[Engine, Fold]:
    """What folds in the high part of numbers below ``top``: the engine whose products cost least.

    Raises:
        MomagenError: there is none, or none of the name ``asked``.
    """
    taken = [each for each in engines if not each.words and asked in ("", each.name)]
    found = [(each, fold) for each in taken for fold in _folds(each, arith, top)]
    if not found:
        raise MomagenError("a target with matrix engines, such as jax", asked or "none", "engine")
    return min(found, key=lambda pair: pair[1].sums.count * pair[1].digits.count * pair[0].cost)


def _folds(engine: Engine, arith: Arith, top: int) -> Iterator[Fold]:
    """That by the largest digits whose sums are exact."""
    for size in range(engine.digit, LEAST - 1, -1):
        fold = Fold(arith, top, size, max(engine.held, arith.word))
        if fold.digits.count << 2 * (size - 1) < 1 << engine.exact:
            yield fold
            return
