"""One transform in steps, whose residues fit one digit or one word: its passes, and where their tables stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from momagen.kernels.flow.cache_blocking import Tiles, tiles
from momagen.kernels.flow.register_blocking import Placed, StepChain, chain, passes, radix_levels
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.single_word import OneWord, one
from momagen.kernels.spec.spec import Spec
from momagen.targets import Target, load_target

RADIX, INVERSE, ZEROTH = 3, 4, 5
"""Where a plan has, behind q, 1/q and R^2 mod q: 2^digit·R mod q, 1/q modulo a digit, and twiddle 0."""


@dataclass(frozen=True)
class StepPart:
    """One transform of a program.

    Attributes:
        name: how the names of its own functions begin. after_product: its inputs are Montgomery products, which lack a
            factor R.
    """

    spec: Spec
    name: str = ""
    after_product: bool = False

    @cached_property
    def target(self) -> Target:
        return load_target(self.spec.target)

    @cached_property
    def inner(self) -> OneDigit:
        return one(self.spec.arith.bits, self.target.digit)

    @property
    def whole(self) -> bool:
        """Whether residues are whole words."""
        return isinstance(self.inner, OneWord)

    @property
    def digit(self) -> int:
        """Bits of the factors of products."""
        return self.inner.digit if isinstance(self.inner, OneWord) else self.inner.word

    @property
    def entry(self) -> int:
        """Words of a constant that lanes share."""
        return len(self.inner.letters(True))

    @cached_property
    def plan(self) -> Tiles:
        """The passes over memory."""
        spec, lanes = self.spec, self.target.lanes
        levels = passes((spec.n // lanes**2).bit_length() - 1, self.target)
        return tiles(spec.n, self.target, lanes * self.target.word // 8, levels=levels)

    @cached_property
    def chain(self) -> StepChain:
        """Their steps."""
        spec, asked = self.spec, self.spec.options.get("quotients")
        return chain(
            self.inner, self.plan, radix_levels(self.target.registers, 1), self.target.first, inverse=spec.inverse,
            m_in=spec.ranges.input, m_out=spec.ranges.output, ones=not spec.negacyclic,
            pairs=asked == "table" if asked else None,
        )  # fmt: skip

    @property
    def together(self) -> int:
        """Tiles of rows that go together: two where products are so long that the machine would wait for one's."""
        return min(1 + self.whole, self.plan.rows.blocks)

    @property
    def shared(self) -> int:
        """Words of the constants of a tile of rows that lanes share, in whole vectors."""
        return _padded(self.chain.rows[0].words(1), self.plan.lanes)

    @property
    def per_tile(self) -> int:
        """Words of all constants of a tile of rows."""
        return self.shared + self.chain.rows[1].words(self.plan.lanes)

    @cached_property
    def offsets(self) -> list[int]:
        """Where the tables of every pass of columns begin, and those of the rows."""
        sizes = (one.blocks * starts(row)[-1] for one, row in zip(self.plan.columns, self.chain.columns, strict=True))
        found = list(accumulate(sizes, initial=0))
        return [*found[:-1], _padded(found[-1], self.plan.lanes)]

    @property
    def table_words(self) -> int:
        """Words of all tables."""
        return self.offsets[-1] + self.plan.rows.blocks * self.per_tile


def starts(row: Sequence[Placed]) -> list[int]:
    """Where the constants of every step begin among those of one block of its pass, and the words of them all."""
    return list(accumulate((placed.blocks * placed.words(1) for placed in row), initial=0))


def _padded(count: int, unit: int) -> int:
    """``count`` made a multiple of ``unit``."""
    return -(-count // unit) * unit
