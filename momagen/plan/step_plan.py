"""Plans of transforms in steps, whose residues fit one digit or one word: passes, and places of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from momagen.kernels.residues.single_digit import OneDigit, one_digit
from momagen.plan.steps import Placed, StepChain, chain, passes, radix_levels
from momagen.plan.tiles import Tiles, tiles

from .depth_first import DepthFirstPlan

INVERSE, ZEROTH = 4, 5
"""Where a plan has, behind q, 1/q, R^2 and 2^digit·R mod q: 1/q modulo a digit, and twiddle 0."""


@dataclass(frozen=True)
class StepPlan(DepthFirstPlan):
    """The plan of one transform."""

    @cached_property
    def inner(self) -> OneDigit:
        return one_digit(self.spec.arith.bits, self.target.digit)

    @property
    def whole(self) -> bool:
        """Whether residues are whole words."""
        return self.inner.whole

    @property
    def digit(self) -> int:
        """Bits of the factors of products."""
        return self.inner.digit or self.inner.word

    @property
    def entry(self) -> int:
        """Words of a constant that lanes share."""
        return len(self.inner.letters(True))

    @property
    def line(self) -> int:
        return self.lanes

    @property
    def residue(self) -> int:
        return 1

    @property
    def kind(self) -> str:
        if self.whole:
            return f"64-bit words, quotients by {self.digit}-bit products"
        return f"1 digit of radix 2^{self.digit}"

    @cached_property
    def tiles(self) -> Tiles:
        spec, lanes = self.spec, self.target.lanes
        levels = passes((spec.n // lanes**2).bit_length() - 1, self.target)
        return tiles(spec.n, self.target, lanes * self.target.word // 8, levels=levels)

    @cached_property
    def chain(self) -> StepChain:
        """Their steps."""
        spec, asked = self.spec, self.spec.options.get("quotients")
        return chain(
            self.inner, self.tiles, radix_levels(self.target.registers, 1), self.target.first, inverse=spec.inverse,
            m_in=spec.ranges.input, m_out=spec.ranges.output, ones=not spec.negacyclic,
            pairs=asked == "table" if asked else None,
        )  # fmt: skip

    @property
    def together(self) -> int:
        """Tiles of rows that are interleaved: two where one alone would wait for the latency of its products."""
        return min(1 + self.whole, self.tiles.rows.blocks)

    @property
    def shared(self) -> int:
        """Words of the constants of a tile of rows that lanes share, in whole vectors."""
        return -(-self.chain.rows[0].words(1) // self.lanes) * self.lanes

    def steps(self, at: int) -> list[int]:
        return [placed.levels for placed in (self.chain.rows if at < 0 else self.chain.columns[at])]

    def block_words(self, at: int) -> int:
        return starts(self.chain.columns[at])[-1]

    @property
    def row_words(self) -> int:
        return self.shared + self.chain.rows[1].words(self.lanes)


def starts(row: Sequence[Placed]) -> list[int]:
    """Where the constants of every step begin among those of one block of its pass, and the words of them all."""
    return list(accumulate((placed.blocks * placed.words(1) for placed in row), initial=0))
