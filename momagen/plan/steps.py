"""Register blocking: tiles whose levels are done in *steps*, each on 2^levels vectors in registers.

The ranges of the values pass from step to step, in the order in which the transform takes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.single_digit_levels import step_codelet
from momagen.kernels.residues.single_digit import OneDigit
from momagen.targets import Memory, Target

from .tiles import Tiles, parts, tile_bytes

WORD = 8
"""Bytes of a word."""
SHARE = 2
"""Of the registers, one in so many holds values; the others are for products and constants."""


@dataclass(frozen=True)
class Placed:
    """A step under every block of one pass.

    Attributes:
        depth: levels of its pass above it. apart: whether its constants differ by lane.
        letters: what a table holds of each of them. scaled: whether some come a second time, with 1/n in them.
    """

    depth: int
    levels: int
    apart: bool
    letters: str
    scaled: bool
    step: Codelet

    @property
    def radix(self) -> int:
        return 1 << self.levels

    def words(self, lanes: int) -> int:
        """Words of its constants under one block, or under one for every lane."""
        count = self.radix - 1 + self.scaled * (self.radix // 2 - 1)
        return count * len(self.letters) * (lanes if self.apart else 1)

    @property
    def blocks(self) -> int:
        """Blocks of the step under one block of its pass."""
        return 1 << self.depth


@dataclass(frozen=True)
class StepChain:
    """All steps of one transform: by column pass, and of the rows, from the whole ring down."""

    columns: tuple[tuple[Placed, ...], ...]
    rows: tuple[Placed, ...]


def radix_levels(registers: int, digits: int) -> int:
    """Levels of a step: their values fill the registers that are for values."""
    return (registers // SHARE // digits).bit_length() - 1


def passes(levels: int, target: Target) -> list[int]:
    """Levels of every column pass. A pass that is alone has what a tile has room for, the last of several one level
    less; those above it are one step each, of as many levels as registers hold or one less."""
    whole = (tile_bytes(target.first) * 8 // (target.lanes * target.word)).bit_length() - 1
    if levels <= whole:
        return [levels] * (levels > 0)
    most = max(radix_levels(target.registers, 1), 2)
    above = levels - (whole - 1)
    above = min(levels, max(above, (most - 1) * -(-above // most)))
    return [*parts(above, most), *[levels - above] * (above < levels)]


def chain(
    arith: OneDigit, plan: Tiles, levels: int, first: Memory, *, inverse: bool, m_in: int, m_out: int,
    ones: bool = False, pairs: bool | None = None,
) -> StepChain:  # fmt: skip
    """The steps of ``levels`` levels at most, from values below m_in·q to values below m_out·q.

    Args:
        ones: the ring is x^n - 1, so that the first twiddle of every level is 1.
        pairs: whether constants that differ by lane come with their quotients; None: where these fit the first cache.
    """
    log = plan.lanes.bit_length() - 1
    shapes = [[(n, False) for n in parts(one.levels, levels)] for one in plan.columns] + [[(log, False), (log, True)]]
    order = [(at, place) for at, row in enumerate(shapes) for place in range(len(row))]
    pairs = quotients_fit(plan, len(arith.letters(True)), first) if pairs is None else pairs
    flat = [(n, pairs or not apart) for row in shapes for n, apart in row]
    found = dict(zip(order, _steps(arith, flat, inverse, m_in, m_out, ones), strict=True))
    placed = [
        tuple(
            Placed(
                sum(n for n, _ in row[:i]), n, apart, arith.letters(pairs or not apart), inverse and at == i == 0,
                found[at, i],
            )
            for i, (n, apart) in enumerate(row)
        )
        for at, row in enumerate(shapes)
    ]  # fmt: skip
    return StepChain(tuple(placed[:-1]), placed[-1])


def quotients_fit(plan: Tiles, words: int, first: Memory) -> bool:
    """Whether the first cache holds input, output, and constants that differ by lane: almost one a point, of ``words``
    words."""
    return WORD * (2 + words) * plan.n <= first.bytes


def _steps(
    arith: OneDigit, shapes: list[tuple[int, bool]], back: bool, m_in: int, m_out: int, ones: bool
) -> Iterator[Codelet]:
    """Steps from the whole ring down, by levels and pairs; made in the order of the transform, which may go up."""
    lift = sum(n for n, _ in shapes) * (not arith.whole)  # on words a lift would cost an operation
    lift = 0 if m_in + ones + 2 * lift > arith.room else lift
    made, given = list[Codelet](), (0, m_in)
    for at, (levels, pairs) in enumerate(reversed(shapes) if back else shapes):
        opens, last = not back and at == 0, m_out * (at == len(shapes) - 1)
        lifted, plain = lift * opens, ones and opens
        made.append(step_codelet(arith, 1 << levels, given, back=back, pairs=pairs, lift=lifted, last=last, ones=plain))
        given = made[-1].out
    return reversed(made) if back else iter(made)
