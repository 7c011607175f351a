"""Plans of transforms in *steps*, whose residues fit one digit or one word: each takes 2^levels vectors in registers.

The ranges of the values pass from step to step, in the order in which the transform takes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.single_digit_levels import step_codelet
from momagen.kernels.residues.single_digit import OneDigit, one_digit
from momagen.plan.tiles import Tiles, parts, ragged, tile_bytes, tiles
from momagen.targets import Target

from .depth_first import DepthFirstPlan

INVERSE, ZEROTH = 4, 5
"""Where a plan has, behind q, 1/q, R^2 and 2^digit·R mod q: 1/q modulo a digit, and twiddle 0."""
SHARE = 2
"""Of the registers, one in so many holds values; the others are for products and constants."""


class Placed(NamedTuple):
    """A step under every block of one pass.

    Attributes:
        depth: levels of its pass above it. begin: words of constants of one block of the pass in front of its own.
        apart: whether its constants differ by lane. letters: what a table holds of each of them.
        scaled: whether some come a second time, with 1/n in them.
    """

    depth: int
    begin: int
    levels: int
    apart: bool
    letters: str
    scaled: bool
    step: Codelet

    @property
    def radix(self) -> int:
        return 1 << self.levels

    @property
    def blocks(self) -> int:
        """Blocks of the step under one block of its pass."""
        return 1 << self.depth

    @property
    def words(self) -> int:
        """Words of its constants under one of these blocks."""
        return (self.radix - 1 + self.scaled * (self.radix // 2 - 1)) * len(self.letters)

    @property
    def end(self) -> int:
        """Words of constants of one block of the pass up to its own."""
        return self.begin + self.blocks * self.words


def radix_levels(registers: int) -> int:
    """Levels of a step: their values fill the registers that are for values."""
    return (registers // SHARE).bit_length() - 1


def passes(levels: int, target: Target) -> list[int]:
    """Levels of every column pass. A pass that is alone has what a tile has room for, the last of several one level
    less; those above it are one step each, of as many levels as registers hold or one less."""
    whole = (tile_bytes(target.first) * 8 // (target.lanes * target.word)).bit_length() - 1
    if levels <= whole:
        return [levels] * (levels > 0)
    most = max(radix_levels(target.registers), 2)
    above = levels - (whole - 1)
    above = min(levels, max(above, (most - 1) * -(-above // most)))
    return [*parts(above, most), *[levels - above] * (above < levels)]


@dataclass(frozen=True)
class StepPlan(DepthFirstPlan):
    """The plan of one transform."""

    @cached_property
    def inner(self) -> OneDigit:
        return one_digit(self.spec.arith.bits, self.target.digit, self.target.word)

    @property
    def digit(self) -> int:
        """Bits of the factors of products."""
        return self.inner.digit or self.inner.word

    @property
    def line(self) -> int:
        return self.lanes

    @property
    def kind(self) -> str:
        if self.inner.high:
            return f"{self.inner.word}-bit words"
        if self.inner.whole:
            return f"64-bit words, quotients by {self.digit}-bit products"
        return f"1 digit of radix 2^{self.digit}"

    @cached_property
    def tiles(self) -> Tiles:
        spec, lanes = self.spec, self.target.lanes
        vector, matrix = lanes * self.target.word // 8, spec.columns > 1
        last = ragged(spec.n, spec.columns, lanes) if matrix else 0
        whole = (spec.n >> last if matrix else spec.n // lanes**2).bit_length() - 1
        levels = [*passes(whole, self.target), *[last] * (last > 0)]
        return tiles(spec.n, self.target, vector, levels=levels, row=spec.columns * matrix)

    @property
    def pairs(self) -> bool:
        """Whether constants that differ by lane come with their quotients, unless the options say: where the first
        cache holds input, output, and these constants, almost one a point."""
        if asked := self.spec.options.get("quotients"):
            return asked == "table"
        held = (2 + len(self.inner.letters(True))) * self.spec.n
        return held * self.target.word // 8 <= self.target.first.bytes

    @cached_property
    def chain(self) -> list[list[Placed]]:
        """The steps of every pass over columns, then of the rows, from the whole ring down."""
        most, log_lanes = radix_levels(self.target.registers), self.lanes.bit_length() - 1
        columns = [[(levels, False) for levels in parts(one.levels, most)] for one in self.tiles.columns]
        shapes = [*columns, [(log_lanes, False), (log_lanes, True)] * (not self.tiles.row)]
        pairs, found = self.pairs, list[list[Placed]]()
        codelets = self._codelets([(levels, apart, pairs or not apart) for row in shapes for levels, apart in row])
        for row in shapes:
            depth, begin, placed = 0, 0, list[Placed]()
            for levels, apart in row:
                begin = -(-begin // self.lanes) * self.lanes if apart else begin
                letters, scaled = self.inner.letters(pairs or not apart), self.spec.inverse and not found and not depth
                placed.append(Placed(depth, begin, levels, apart, letters, scaled, next(codelets)))
                depth, begin = depth + levels, placed[-1].end
            found.append(placed)
        return found

    def _codelets(self, shapes: Sequence[tuple[int, bool, bool]]) -> Iterator[Codelet]:
        """Those of steps from the whole ring down, by levels, whether constants differ by lane, and whether quotients
        come along; made in the order of the transform, which may go up."""
        arith, back, ranges, ones = self.inner, self.spec.inverse, self.spec.ranges, not self.spec.negacyclic
        lift = sum(levels for levels, *_ in shapes) * (not arith.whole)  # on words a lift would cost an operation
        lift = 0 if ranges.input + ones + 2 * lift > arith.room else lift
        made, given = list[Codelet](), (0, ranges.input)
        for at, (levels, apart, pairs) in enumerate(reversed(shapes) if back else shapes):
            opens, last = not back and at == 0, ranges.output * (at == len(shapes) - 1)
            made.append(step_codelet(
                arith, 1 << levels, given, back=back, pairs=pairs, lift=lift * opens, last=last, ones=ones and opens,
                apart=apart,
            ))  # fmt: skip
            given = made[-1].out
        return reversed(made) if back else iter(made)

    @property
    def together(self) -> int:
        """Tiles of rows that are interleaved: two where one alone would wait for the latency of its products."""
        return min(1 + self.inner.whole, self.tiles.rows.blocks)

    def steps(self, at: int) -> list[int]:
        return [placed.levels for placed in self.chain[at]]

    def block_words(self, at: int) -> int:
        return max((placed.end for placed in self.chain[at]), default=0)
