"""The choice of the matrix engine and of the digits for a product: the cheapest engine whose sums are exact."""

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
from momagen.targets import Engine

MONTGOMERY, BARRETT, FOLDED = SUMS = ("montgomery", "barrett", "folded")
"""The reductions of sums of products of digits to residues."""
LEAST = 4
"""The smallest number of bits of a digit that is tried."""


@dataclass(frozen=True)
class EngineChoice:
    """An engine, and the digits of residues and of matrices that it multiplies.

    Attributes:
        engine: The engine.
        digits: The digits.
    """

    engine: Engine
    digits: SignedDigits

    @property
    def products(self) -> int:
        """The number of products of digits for one product of residues."""
        return self.digits.count**2

    def cost(self, rows: int, terms: int) -> float:
        """Return the time in nanoseconds of a product of a matrix and one column.

        Args:
            rows: The number of rows of the matrix.
            terms: The number of elements of a row.
        """
        return rows * terms * self.products * self.engine.cost + (rows + terms) * self.digits.count * self.engine.beside

    def __str__(self) -> str:
        """Return a description of the engine and its digits for reports."""
        if self.engine.words:
            return "words of vectors, 1 product"
        digits = self.digits
        return f"{self.engine.name}, {digits.count} parts of {digits.size} bits, {self.products} products"


def room_of(sums: str, arith: Arith) -> int:
    """Return the number of bits that sums of digits may have above the bits of q, as :func:`engine_for` takes it.

    It is 0, which means the bits of Montgomery's R, unless sums are reduced by Barrett's method.
    """
    return quotient_room(arith) if sums == BARRETT else 0


def engine_for(
    engines: Sequence[Engine], arith: Arith, rows: int, terms: int, asked: str = "", *, whole: bool = False,
    room: int = 0,
) -> EngineChoice:  # fmt: skip
    """Return the cheapest engine for a product with a matrix of residues, and the digits.

    Args:
        engines: The engines of the target.
        arith: The representation of residues.
        rows: The number of rows of the matrix.
        terms: The number of elements of a row.
        asked: The name of the only engine to consider, or "" for all.
        whole: Whether digits represent residues from 0 on instead of around 0, and engines for whole words
            are considered.
        room: The number of bits that sums may have above the bits of q, or 0 for the bits of Montgomery's R.

    Raises:
        MomagenError: No engine computes the sums exactly, or no engine has this name.
    """
    taken = _taken(engines, asked, whole)
    found = [choice for each in taken for choice in _exact(each, arith, terms, whole, room or arith.held)]
    if not found:
        problem = f"{f'the engine {asked} does not' if asked else 'no engine can'} compute sums of {terms} products"
        remedy = "use another engine, fewer terms or a shorter modulus"
        raise build_error(f"{problem} of {arith.bits} bits exactly", "engine", remedy)
    return min(found, key=lambda choice: choice.cost(rows, terms))


def _taken(engines: Sequence[Engine], asked: str, whole: bool = False) -> list[Engine]:
    """Return the engines to consider; see :func:`engine_for` for the arguments."""
    if asked and asked not in (names := [each.name for each in engines]):
        raise among("one of the engines", names, asked, "engine")
    return [each for each in engines if asked in ("", each.name) and (whole or not each.words)]


def _exact(engine: Engine, arith: Arith, terms: int, whole: bool, room: int) -> Iterator[EngineChoice]:
    """Yield the choice of the largest digits for which an engine is exact, if there are any.

    The sums of products must stay below 2^exact, and the numbers that they represent below q·2^room.
    """
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
    """Return the engine that folds the high part of numbers below ``top`` at the lowest cost, and the fold.

    Args:
        engines: The engines of the target.
        arith: The representation of residues.
        top: The bound of the numbers.
        asked: The name of the only engine to consider, or "" for all.

    Raises:
        MomagenError: The target has no engine, none with this name, or none whose sums are exact.
    """
    if not engines:
        raise MomagenError("a target with matrix engines, such as jax", "none", "engine")
    taken = _taken(engines, asked)
    found = [(each, fold) for each in taken for fold in _folds(each, arith, top)]
    if not found:
        which, bits = f"the engine {asked} cannot" if asked else "no engine can", top.bit_length()
        problem = f"{which} fold numbers of {bits} bits exactly"
        raise build_error(problem, "engine", "use another engine or another reduction")
    return min(found, key=lambda pair: pair[1].sums.count * pair[1].digits.count * pair[0].cost)


def _folds(engine: Engine, arith: Arith, top: int) -> Iterator[Fold]:
    """Yield the fold with the largest digits whose sums are exact on an engine, if there is one."""
    for size in range(engine.digit, LEAST - 1, -1):
        fold = Fold(arith, top, size, max(engine.held, arith.word))
        if fold.digits.count << 2 * (size - 1) < 1 << engine.exact:
            yield fold
            return
