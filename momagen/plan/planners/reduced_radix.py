"""The planner of transforms on reduced-radix limbs, which chooses the limbs and the passes together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from momagen.errors import build_error
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.plan.schedule.depth_first.choices import MEMORY, REGISTERS, LimbChoices, limb_choices
from momagen.plan.schedule.depth_first.limbs import TWIDDLES, limbs_of
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform, matrix_row, stated_limbs
from momagen.plan.schedule.tiles import Tiles
from momagen.plan.schedule.types import Schedule
from momagen.plan.tiles import LARGEST, tile_bytes, tiles

from .limb_choices import can_pair, prefetched, row_words, usual_twiddles, vector_bytes, widest
from .limb_schedules import limb_schedule
from .planner import ChoicePlanner, Demand

TOGETHER = 8
"""The largest number of blocks of rows that are processed together."""
CHAINS = (8, 16, 32, 64)
"""The largest numbers of products in a chain that a schedule may state besides the target's number."""


@dataclass(frozen=True)
class LimbPlanner(ChoicePlanner[LimbChoices]):
    """The planner of one transform."""

    stated = staticmethod(limb_choices)

    @cached_property
    def inner(self) -> ReducedRadix:
        """The representation of residues in limbs between levels.

        If residues are stored as words between some passes, it has headroom for their conversion.
        """
        found = self._limbs()
        rests = any(one.rests for one in self._passes(found).columns)
        return self._limbs(rests=True) if rests and found.words != self.spec.arith.words else found

    def _limbs(self, rests: bool = False) -> ReducedRadix:
        return limbs_of(self.spec, self.product, usual_twiddles(self.spec, self.product, rests), rests)

    def _passes(self, inner: ReducedRadix) -> Tiles:
        """Return the passes for residues in this representation.

        Raises:
            MomagenError: The option ``storage`` requests words between passes, and the transform has no two
                passes over columns.
        """
        spec, target, options, run = self.spec, self.spec.target, self.spec.options, inner.run
        row = matrix_row(spec)
        levels, group = options.levels or 0, options.interleave_blocks or 0
        rest = {None: target.word_storage_from, "words": 1, "limbs": 0}[options.storage] * (row <= spec.columns)
        vector, opening = vector_bytes(spec, inner), min(levels or LARGEST, inner.opening)
        found = tiles(spec.n, target, vector, min(levels or run, run), group, rest, opening=opening, row=row)
        if options.storage == "words" and not any(one.rests for one in found.columns):
            problem = '`storage="words"` requires two passes over columns, between which residues are stored as words'
            remedy = f"omit `storage`, because a transform of {found.n} points has fewer"
            raise build_error(problem, "storage", remedy)
        return found

    @cached_property
    def choices(self) -> LimbChoices:
        """The choices of the planner.

        Raises:
            MomagenError: An option requests what the transform does not support.
        """
        spec, inner, row = self.spec, self.inner, matrix_row(self.spec)
        found = self._passes(inner)
        levels = tuple(one.levels for one in found.columns)
        whole = [widest(spec, levels, at) > 1 for at in range(len(levels))]
        widths = tuple(one.width if free else 1 for one, free in zip(found.columns, whole, strict=True))
        paired, asked = self._pairs(levels), spec.options.constants
        operands = {MEMORY: 1, REGISTERS: 0}.get(asked or "", spec.target.operands)
        made = LimbChoices(
            levels, widths, sum(one.rests for one in found.columns), 1 if row else found.rows.group,
            usual_twiddles(spec, self.product, inner.rests), paired,
            MEMORY if not paired and 0 < operands <= inner.words else REGISTERS,
            spec.options.chain or spec.target.longest, 0,
        )  # fmt: skip
        return made._replace(prefetch=self._prefetch(made))

    def _pairs(self, levels: tuple[int, ...]) -> bool:
        """Return whether the instructions of two butterflies are interleaved.

        By default they are if two butterflies nearly fit the registers.
        """
        asked = self.spec.options.interleave_butterflies
        if not can_pair(self.spec, self.inner, levels):
            return False
        if asked is not None or self.spec.options.constants == MEMORY:
            return bool(asked)
        return self.inner.short and self.spec.target.many_registers

    def _prefetch(self, made: LimbChoices) -> int:
        """Return the number of words of the rows' table that each butterfly of two vectors prefetches.

        The rows read one twiddle for each point, and the passes over columns read hardly any. If the tables
        exceed the caches, prefetching loads the table of the rows from memory during the columns, too. The
        part for one block must fit the second-level cache.

        Raises:
            MomagenError: The option ``prefetch`` requests it, and no pass supports it.
        """
        target, asked, byte = self.spec.target, self.spec.options.prefetch, self.spec.target.word // 8
        each = prefetched(self.spec, self.inner, made)
        if asked and not each:
            problem = '`prefetch="yes"` requires two separate passes over columns, which this transform does not have'
            raise build_error(problem, "prefetch", "omit `prefetch`")
        blocks, shared, rows = 1 << sum(made.levels), self.inner.shared_words, row_words(self.spec, self.inner)
        long = 0 < target.prefetch <= ((blocks - 1) * shared + blocks * rows) * byte
        fits = rows * byte << made.levels[-1] <= target.second.bytes if made.levels else False
        return each if asked or (long and fits and asked is None) else 0

    def scheduled(self, made: LimbChoices) -> Schedule:
        """Return the schedule that follows from choices."""
        return limb_schedule(self.spec, self.product, made)

    def transform(self, schedule: Schedule) -> LimbTransform:
        """Return the transform with a schedule."""
        return LimbTransform(self.spec, self.product, choices=limb_choices(schedule), chosen=schedule)

    def demands(self, stated: LimbChoices) -> Iterator[Demand]:
        """Yield the demands on the choices of a schedule."""
        spec, own, levels = self.spec, self.choices, stated.levels
        row, passes = matrix_row(spec), len(levels)
        formats = _formats(self.inner)
        yield stated.twiddles in formats, "nests", f"twiddles are {' or '.join(formats)}"
        once = sum(levels) == sum(own.levels) and min(levels, default=1) > 0
        yield once, "steps", f"the passes over columns must compute {sum(own.levels)} levels once"
        fewer = max(passes - 1, 0) * (row <= spec.columns)
        yield stated.resting <= fewer, "edges", "the rows of this matrix are stored as limbs"
        inner = stated_limbs(spec, self.product, stated)
        fitting = (tile_bytes(spec.target.first) // vector_bytes(spec, inner)).bit_length() - 1
        for at, each in enumerate(levels):
            most = max(2, min(inner.run if at else max(inner.run, inner.opening), fitting))
            yield each <= most, "nests", f"limbs and cache allow at most {most} levels in pass {at}, not {each}"
        for at, width in enumerate(stated.widths):
            fits = width in _powers(widest(spec, levels, at))
            yield fits, "nests", f"{width} tiles of pass {at} cannot be processed together"
        blocks = min(1 << levels[-1], TOGETHER) if levels and not row else 1
        yield stated.together in _powers(blocks), "nests", f"{stated.together} blocks cannot be processed together"
        yield stated.constants in (REGISTERS, MEMORY), "nests", f"constants are in {REGISTERS} or {MEMORY}"
        alone = not stated.paired or (stated.constants == REGISTERS and can_pair(spec, inner, levels))
        yield alone, "nests", "one butterfly for a twiddle, or with constants in memory, cannot be interleaved"
        chains = {own.chain, *CHAINS} if not inner.real else {own.chain}
        yield stated.chain in chains, "nests", f"a chain has at most {' or '.join(map(str, sorted(chains)))} products"
        amounts = sorted({0, prefetched(spec, inner, stated)})
        yield stated.prefetch in amounts, "nests", f"butterflies prefetch {' or '.join(map(str, amounts))} words"


def _formats(inner: ReducedRadix) -> tuple[str, ...]:
    """Return the formats of twiddles that a schedule may state."""
    return TWIDDLES[: 1 if inner.single else 2 if inner.real else 3]


def _powers(most: int) -> list[int]:
    """Return the powers of two up to ``most``."""
    return [1 << k for k in range(most.bit_length())]


limb_plan = LimbPlanner.plan
"""The function :meth:`ChoicePlanner.plan` for reduced-radix limbs."""
