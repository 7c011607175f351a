"""The planner of register-blocked transforms, whose residues fit one limb, word or double."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from momagen.kernels.residues.single_digit import OneDigit, one_digit, unreduced
from momagen.kernels.residues.single_signed import OneSigned
from momagen.kinds.modular.derived.sharing import is_split
from momagen.plan.choices import by_signed_halves, in_double
from momagen.plan.schedule.depth_first.choices import RUN, StepChoices, step_choices
from momagen.plan.schedule.depth_first.one_limb import StepTransform
from momagen.plan.schedule.types import DOUBLE, LIMB, LONG_RING, RING, SIGNED, WORD, Schedule
from momagen.plan.tiles import few, parts, radix_levels, ragged, step_passes, tile_levels

from .planner import ChoicePlanner, Demand
from .step_schedules import step_schedule

FAR_LEVELS = 3
"""The largest number of levels of a step in an inverse pass over columns that takes several steps."""
TOGETHER = 8
"""The largest number of interleaved blocks."""


@dataclass(frozen=True)
class StepPlanner(ChoicePlanner[StepChoices]):
    """The planner of one transform."""

    stated = staticmethod(step_choices)

    @cached_property
    def choices(self) -> StepChoices:
        """The choices of the planner."""
        bare = self._of(StepChoices(self._residues, ()))
        rows = self._rows(bare)
        made = StepChoices(self._residues, self._columns(bare, *rows), rows, self.pairs)
        own = self._of(made)
        made = made._replace(pairs=own.whole and any(made.rows))
        return made._replace(together=self._together(own)) if any(made.rows) else made

    def _of(self, made: StepChoices) -> StepTransform:
        """Return the transform with the given choices, before it has a schedule."""
        return StepTransform(self.spec, self.product, choices=made)

    @cached_property
    def _residues(self) -> str:
        """The representation of residues between steps."""
        spec = self.spec
        if in_double(spec) or by_signed_halves(spec):
            return DOUBLE if in_double(spec) else SIGNED
        if self._is_longer():
            return LONG_RING
        return self._short(spec.options.quotients != "computed" and self._is_free())

    def _short(self, ring: bool) -> str:
        """Return the representation by one limb or word of the target, whose values are not reduced if ``ring``."""
        inner = one_digit(self.spec.arith.bits, self.spec.target.digit, self.spec.target.word, ring=ring)
        return RING if inner.ring else WORD if inner.whole else LIMB

    def _is_free(self, inside: bool = False) -> bool:
        """Return whether no level reduces values in limbs of the target, or of its longer lanes if ``inside``."""
        spec, target = self.spec, self.spec.target
        digit = target.inside_target.digit if inside else target.digit
        return unreduced(spec.arith.bits, digit, spec.depth, spec.ranges.input, spec.inverse)

    def _is_longer(self) -> bool:
        """Return whether values between loads of operands and stores of results are limbs in longer lanes.

        These lanes have several words of the target.
        """
        spec, target = self.spec, self.spec.target
        plain = spec.columns == spec.blowup == 1 and not is_split(spec)
        least, most = target.points.get("inverse" if spec.inverse else "forward", (1, 0))
        able = target.inside and plain and least <= spec.n <= most and spec.options.quotients != "computed"
        return bool(able) and self._is_free(inside=True)

    def _rows(self, own: StepTransform) -> tuple[int, int]:
        """Return the numbers of levels of a tile of rows on whole vectors and across lanes, or (0, 0) without rows.

        On whole vectors, they are the largest number that registers and points allow.
        """
        spec, target = self.spec, self.spec.target
        if not few(spec.columns, own.lanes):
            return 0, 0
        lanes, columns = (number.bit_length() - 1 for number in (own.lanes, spec.columns))
        vectors = (spec.elements // own.lanes).bit_length() - 1
        if self._is_crowded(own):
            return min(vectors, target.registers.bit_length() - 1), lanes - columns
        return min(lanes, vectors, radix_levels(target.registers)), lanes - columns

    def _is_crowded(self, own: StepTransform) -> bool:
        """Return whether a tile of rows has as many vectors as the target has registers, because it has few registers.

        Products of short words take only a few cycles, and values are spilled during them. It is false for an
        inverse transform if a pass over columns of one level would remain. That pass multiplies half of all
        values by 1/n, which costs more than it saves if a product takes several instructions.
        """
        spec, target = self.spec, self.spec.target
        short = isinstance(own.inner, OneDigit) and own.inner.high and not target.many_registers
        left = spec.elements // own.lanes == 2 * target.registers
        return short and not (left and spec.inverse and "redc" in target.ops)

    def _columns(self, own: StepTransform, vectors: int, across: int) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of levels of the steps of each pass over columns, from the whole ring down.

        Args:
            own: The transform, before it has passes.
            vectors: The number of levels of a tile of rows on whole vectors.
            across: The number of levels across lanes, or 0 without rows.
        """
        spec = self.spec
        if across:
            levels = step_passes((spec.elements // own.lanes >> vectors).bit_length() - 1, own.machine)
        else:
            last = ragged(spec.n, spec.columns, own.lanes)
            levels = [*step_passes((spec.n >> last).bit_length() - 1, spec.target), *[last] * (last > 0)]
        return tuple(tuple(parts(each, self._most(each))) for each in levels)

    def _most(self, levels: int) -> int:
        """Return the largest number of levels of a step in a pass over columns, which registers and an option limit.

        The last step of an inverse pass stores rows that are far apart. Eight of them fit the ways of a cache set
        together with the rows that the step loads; sixteen took 1.06 to 1.5 times as long on Zen 5.

        Args:
            levels: The number of levels of the pass.
        """
        held = radix_levels(self.spec.target.registers)
        most = min(held, self.spec.options.levels or held)
        return min(most, FAR_LEVELS) if self.spec.inverse and levels > most else most

    @property
    def pairs(self) -> bool:
        """Whether constants that differ by lane are stored with their quotients.

        By default they are if the first-level cache holds the input, the output and these constants, of which
        there is almost one for each point.
        """
        if asked := self.spec.options.quotients:
            return asked == "table"
        letters, target = self._of(StepChoices(self._residues, ())).inner.letters(True), self.spec.target
        return (2 + len(letters)) * self.spec.elements * target.word // 8 <= target.first.bytes

    def _together(self, own: StepTransform) -> int:
        """Return the number of interleaved tiles of rows.

        By default, two tiles hide the latency of products: a CPU looks ahead over about one tile, which is a
        chain of six levels.
        """
        rows, inner = own.tiles.rows, own.inner
        if asked := self.spec.options.interleave_blocks:
            return min(asked, rows.blocks)
        if isinstance(inner, OneSigned):
            return 1
        crowded = self._is_crowded(own) and self.spec.target.registers <= rows.rows
        several = (isinstance(inner, OneDigit) and not crowded) or inner.ring
        return min(1 + several, rows.blocks)

    def scheduled(self, made: StepChoices) -> Schedule:
        """Return the schedule that follows from choices."""
        return step_schedule(self._of(made))

    def transform(self, schedule: Schedule) -> StepTransform:
        """Return the transform with a schedule."""
        return StepTransform(self.spec, self.product, choices=step_choices(schedule), chosen=schedule)

    def demands(self, stated: StepChoices) -> Iterator[Demand]:
        """Yield the demands on the choices of a schedule."""
        own, most = self.choices, radix_levels(self.spec.target.registers)
        longer = own.residues == LONG_RING
        same = (stated.residues == LONG_RING) == longer
        yield same, "residues", "the lanes of values follow from the number of points"
        rows = f"rows have {own.rows[0]} levels on whole vectors and {own.rows[1]} across lanes"
        yield stated.rows == own.rows, "steps", rows
        yield from self._of_steps(stated.columns, own.columns, most)
        same = not longer or stated.columns == own.columns
        yield same, "nests", "the passes of long limbs follow from the number of points"
        yield stated.residues != RING or own.residues == RING, "residues", "values of this transform must be reduced"
        possible = [own.residues, *[self._short(ring=False)] * (own.residues == RING)]
        yield stated.residues in possible, "residues", f"residues are {' or '.join(possible)}"
        on_rows, plan = any(own.rows), self._of(own)
        last = 1 << sum(stated.columns[-1]) if stated.columns and on_rows else 1  # blocks of rows in one call
        enough = not plan.looped or last >= min(RUN, plan.tiles.rows.blocks)
        yield enough, "nests", f"the last pass over columns must leave at least {RUN} blocks"
        same = on_rows or sum(stated.columns[-1]) == sum(own.columns[-1])
        yield same, "nests", "the levels of the last pass follow from the number of columns"
        interleaved = 1 if plan.looped else min(TOGETHER, last)
        blocks = stated.together in (1 << k for k in range(interleaved.bit_length()))
        yield blocks, "nests", f"{stated.together} blocks cannot be interleaved"

    def _of_steps(
        self, stated: Sequence[tuple[int, ...]], own: Sequence[tuple[int, ...]], most: int
    ) -> Iterator[Demand]:  # fmt: skip
        """Yield the demands on the levels of steps over columns, of which a step has at most ``most``."""
        levels = [each for row in stated for each in row]
        once = sum(levels) == sum(each for row in own for each in row)
        yield once, "steps", "the steps must compute each level once"
        deepest = tile_levels(self._of(self.choices).machine)
        shallow = all(sum(row) <= deepest for row in stated if len(row) > 1)
        fits = shallow and all(1 <= each <= most for each in levels)
        yield fits, "steps", f"a step has at most {most} levels, and several steps at most {deepest}"


step_plan = StepPlanner.plan
"""The function :meth:`ChoicePlanner.plan` for residues of one limb."""
