"""The loop bodies of a transform whose residues fit one digit: several levels at a time in registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from momagen.ir import Block
from momagen.kernels.near import OneDigit
from momagen.kernels.one_word import OneWord, one
from momagen.kernels.spec import Spec
from momagen.kernels.steps import Chain, Placed, chain, passes, radix_levels
from momagen.kernels.tiles import Tiles, tiles
from momagen.lower import lower_digits, lower_words

from .source import Writer
from .step_body import StepBody, printed
from .tile_loops import Lines


class StepWriter(Writer):
    """Collects the loop bodies of one transform."""

    def __init__(self, spec: Spec, beside: Writer | None = None) -> None:
        """``beside``: of the product that this transform is a part of; what all use is counted there."""
        super().__init__(spec)
        self.between = beside is not None
        if beside:
            self.trace, self.operations, self.chains = beside.trace, beside.operations, beside.chains
        target, ranges = self.target, spec.ranges
        self.inner: OneDigit = one(self.arith.bits, target.digit)
        above = (spec.n // target.lanes**2).bit_length() - 1
        self.plan: Tiles = tiles(spec.n, target.lanes, target.lanes * target.word // 8, levels=passes(above))
        levels = radix_levels(target.registers, 1)
        asked = spec.options.get("quotients")
        self.chain: Chain = chain(
            self.inner, self.plan, levels, inverse=spec.inverse, m_in=ranges.input, m_out=ranges.output,
            ones=not spec.negacyclic, pairs=asked == "table" if asked else None,
        )  # fmt: skip

    @property
    def whole(self) -> bool:
        """Whether residues are whole words."""
        return isinstance(self.inner, OneWord)

    @property
    def digit(self) -> int:
        """Bits of the factors of products."""
        return self.inner.digit if isinstance(self.inner, OneWord) else self.inner.word

    def step(self, placed: Placed) -> Lines:
        """The body of a step on legs at x and y, ``x_leg`` and ``y_leg`` words apart."""
        return self._body([placed], ("x + {} * x_leg", "y + {} * y_leg"))

    def rows(self) -> Lines:
        """The body of a tile of rows: both steps, each on the side of the turn where its legs are vectors."""
        order = self.chain.rows[:: -1 if self.spec.inverse else 1]
        return self._body(order, ("x + {} * LANES", "y + {} * LANES"), self.together, self.shared, self.per_tile)

    @property
    def together(self) -> int:
        """Tiles of rows that go together: two where products are so long that the machine would wait for one's."""
        return min(1 + self.whole, self.plan.rows.blocks)

    def _body(self, order: Sequence[Placed], pointers: tuple[str, str], *tiles: int) -> Lines:
        blocks = tuple(self._lowered_step(placed) for placed in order)
        self.operations += sum((block.counts() for block in blocks), Counter[str]())
        alike = tuple(replace(placed, depth=0) for placed in order)  # at any depth
        body = printed(StepBody(self.target, self.inner, alike, blocks, pointers, *tiles))
        self.chains |= body.chains
        return body.lines

    def _lowered_step(self, placed: Placed) -> Block:
        lower = lower_words if self.whole else lower_digits
        return lower(placed.step.block, self.target, self.trace)

    @property
    def shared(self) -> int:
        """Words of the constants of a tile of rows that lanes share, in whole vectors."""
        return padded(self.chain.rows[0].words(1), self.plan.lanes)

    @property
    def per_tile(self) -> int:
        """Words of all constants of a tile of rows."""
        return self.shared + self.chain.rows[1].words(self.plan.lanes)


def padded(count: int, unit: int) -> int:
    """``count`` made a multiple of ``unit``."""
    return -(-count // unit) * unit
