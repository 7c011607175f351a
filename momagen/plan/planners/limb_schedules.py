"""The schedules of transforms on reduced-radix limbs, which follow from the choices of the planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.formula.breakdown import RING
from momagen.kernels.flow.columns import ONE, Columns
from momagen.kernels.flow.layouts import LANES
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.spec import Spec
from momagen.plan.schedule import types
from momagen.plan.schedule.depth_first.choices import LimbChoices
from momagen.plan.schedule.depth_first.limbs import WHOLE
from momagen.plan.schedule.depth_first.reduced_radix import is_fused, matrix_row, opened_levels, stated_limbs
from momagen.plan.schedule.types import LIMB_MEMORY, LIMBS, OPEN_LIMBS, Schedule, TileBlocks

from .breakdowns import breakdown_of
from .places import Between, Places, ScheduleBuilder, StepPlaces


def limb_schedule(spec: Spec, product: bool, made: LimbChoices) -> Schedule:
    """Return the schedule of a transform on reduced-radix limbs.

    Args:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials, whose points stay transposed.
        made: The choices of the planner.
    """
    return _LimbBuilder(spec, product, made).schedule()


def residues_text(inner: ReducedRadix) -> str:
    """Return a description of the limbs of a residue."""
    kind, count = "floating-point limb" if inner.real else "integer limb", inner.words
    return f"{count} {kind}{'s' * (count > 1)} of radix 2^{inner.word}"


class Planned(NamedTuple):
    """A step before it is in a schedule.

    Attributes:
        step: The step.
        carries: Whether it leaves carries of sums; None for a move that leaves range and carries as they are.
    """

    step: StepPlaces
    carries: bool | None = False


class _LimbBuilder:
    """A builder of the schedule of one transform.

    Steps and the values before them are collected in the order of the forward transform.

    Attributes:
        inner: The representation of residues in limbs.
        lanes: The places of lanes, or () if lanes are columns.
        opened: The number of levels that are fused with a conversion.
        bound: The values between levels are from -bound[0]·q to below bound[1]·q.
        kept: The values between passes.
        words: The memory of words between passes.
    """

    def __init__(self, spec: Spec, product: bool, made: LimbChoices) -> None:
        self.spec, self.product, self.made, self.inverse = spec, product, made, spec.inverse
        self.inner = stated_limbs(spec, product, made)
        self.bits, row, width = spec.n.bit_length() - 1, matrix_row(spec), spec.target.lanes.bit_length() - 1
        self.lanes, self.opened = range(0 if row else width), opened_levels(spec, self.inner, made.levels)
        self.columns = Columns(spec.columns, 1 << width, spec.columns >> width) if row else ONE
        self.bound = self.inner.reach if self.inner.real else 0, self.inner.reach
        self.kept = Between(LIMB_MEMORY, LIMBS, range(self.bits))
        natural = spec.order == "natural" and not spec.inverse
        self.words = types.SCRATCH if natural else types.RESULT
        self.steps, self.between = list[Planned](), list[Between]()

    def schedule(self) -> Schedule:
        """Return the schedule."""
        spec, turn = self.spec, slice(None, None, -1 if self.inverse else 1)
        nests = [self._column(at) for at in range(len(self.made.levels))]
        nests += [self._rows() for _ in range(len(self.lanes) > 0)]
        radices = tuple(1 << len(step.operands) for step, _ in self.steps if step.operands)
        breakdown = breakdown_of(spec, self.product, max(radices), algorithm=RING, radices=radices)
        points = Between(types.RESULT, LANES, self._turned) if self.product and self.lanes else None
        to = ScheduleBuilder(breakdown, self.columns, (spec.ranges.input, spec.ranges.output))
        steps, between = self._resolved(self.steps[turn], self.between[1:][turn])
        return to.schedule(residues_text(self.inner), nests[turn], steps, between, points)

    def _resolved(
        self, steps: Sequence[Planned], between: Sequence[Between]
    ) -> tuple[list[StepPlaces], list[Between]]:  # fmt: skip
        """Return steps and the values between them with the ranges and carries that moves leave as they are."""
        found, after, out, carries = list[StepPlaces](), list[Between](), (0, 0), False
        for (step, leaves), values in zip(steps, (*between, self.kept), strict=True):
            out, carries = (out, carries) if leaves is None else (step.out, leaves)
            found.append(step._replace(out=out))
            after.append(values._replace(layout=OPEN_LIMBS) if carries and values.layout == LIMBS else values)
        return found, after[:-1]

    def _column(self, at: int) -> TileBlocks:
        """Collect the steps of pass ``at`` over columns, and return its nest, with places instead of index bits."""
        levels, first = self.made.levels, len(self.steps)
        top, low, upper, lower = self.bits - sum(levels[:at]), len(self.lanes), self._upper(at), self._lower(at)
        own, below = range(top - levels[at], top), range(low, top - levels[at])
        tile, before = Between(types.TILE, LIMBS, (*self.lanes, *own)), self._after(at - 1)
        for move in upper:
            self._put(move, before)
            before = tile
        self._levels(own, self.lanes, before, tile, opened=self.opened * (at == 0))
        for move in lower:
            self._put(move, tile)
        prefetch = self.made.prefetch * (at == len(levels) - 1)
        return self._nest(first, range(top, self.bits), below, self.made.widths[at], prefetch)

    def _rows(self) -> TileBlocks:
        """Collect the steps of the rows, and return their nest, with places instead of index bits."""
        first, at, width = len(self.steps), len(self.made.levels), len(self.lanes)
        whole, turned, ranges = range(width, 2 * width), self.kept._replace(places=self._turned), self.spec.ranges
        for move in self._upper(at):
            self._put(move, self.kept)
        self._levels(whole, self.lanes, self.kept, self.kept, opened=self.opened * (at == 0))
        self._put(Planned(StepPlaces((0, 0)), None), self.kept)
        self._levels(self.lanes, whole, turned, turned)
        below = ranges.input if self.inverse else ranges.output
        self._put(self._converted(self.inverse, below), turned)
        words = Between(self.words, LANES, self._turned)
        if self.inverse:
            words = Between(types.TILE, LANES, self._turned[: 2 * width])
        if not self.product:
            self._put(Planned(StepPlaces((0, below))), words)
        return self._nest(first, range(2 * width, self.bits), (), self.made.together, 0)

    @property
    def _turned(self) -> Places:
        """The places of index bits in memory order if the tiles of the rows are transposed."""
        width = len(self.lanes)
        return (*range(width, 2 * width), *self.lanes, *range(2 * width, self.bits))

    def _nest(self, first: int, blocks: Places, columns: Places, together: int, prefetch: int) -> TileBlocks:
        """Return the nest of the steps from number ``first`` on."""
        made = self.made
        return TileBlocks(
            len(self.steps) - first, tuple(blocks), tuple(columns), together, 1 + made.paired, made.constants,
            made.twiddles, made.chain, prefetch,
        )  # fmt: skip

    def _after(self, at: int) -> Between:
        """Return the values between pass ``at`` and the pass below it."""
        if not 0 <= at < self.made.resting:
            return self.kept
        return self.kept._replace(memory=self.words, layout=LANES if self._rests(at) else LIMBS)

    def _rests(self, at: int) -> bool:
        """Return whether residues are converted to words after pass ``at``, because they have more limbs than words."""
        return at < self.made.resting and self.inner.words != self.spec.arith.words

    def _upper(self, at: int) -> list[Planned]:
        """Return the move between pass ``at`` and the passes above it, if there is one."""
        if at:
            return self._move(at, at - 1, not self.inverse)
        scaled = self.inverse and not self.inner.over
        return [self._converted(False, self.spec.ranges.output)] * scaled

    def _lower(self, at: int) -> list[Planned]:
        """Return the move between pass ``at`` and the passes below it, if there is one."""
        if self.lanes or at < len(self.made.levels) - 1:
            return self._move(at, at, self.inverse)
        ranges = self.spec.ranges
        return [self._converted(self.inverse, ranges.input if self.inverse else ranges.output)]

    def _move(self, at: int, above: int, enters: bool) -> list[Planned]:
        """Return the move between memory and the tiles of a pass, if there is one.

        Args:
            at: The pass.
            above: The pass above the memory.
            enters: Whether the move loads tiles.
        """
        a, copies = self.inner, at < len(self.made.levels) and self.made.widths[at] > 1
        if self._rests(above):
            return [self._converted(enters, a.resting)]
        if enters and a.reduces_between:
            below = (1, 1) if a.real else (0, 2 + a.lift(2))
            return [Planned(StepPlaces(below), not (a.real or a.settles))]
        if enters and a.settles_between:
            return [Planned(StepPlaces(self.bound))]
        return [Planned(StepPlaces((0, 0)), None)] * copies

    def _converted(self, enters: bool, below: int) -> Planned:
        """Return the conversion of words below ``below``·q to limbs, with an offset, or of limbs to these words."""
        a = self.inner
        lifts = enters and not (a.real or a.doubling)
        return Planned(StepPlaces((0, below + a.lift(below) * lifts)))

    def _levels(self, own: Places, lanes: Places, before: Between, inside: Between, opened: int = 0) -> None:
        """Collect butterflies.

        Args:
            own: The places of the index bits that they transform, the lowest first.
            lanes: The places of the lanes.
            before: The values before the first step.
            inside: The values before the other steps.
            opened: The number of levels that are fused with a conversion.
        """
        a, rest = self.inner, len(own) - opened
        sizes = [*[opened] * (opened > 0), *([1] * (rest % 2) + [2] * (rest // 2) if self._fused else [1] * rest)]
        apart, high = lanes != self.lanes, own[-1] + 1
        over = a.over_q or (apart and self.made.twiddles == WHOLE)
        scheme = "nearest" if a.over_q else "shoup" if apart and not a.folds else "fold"
        for at, levels in enumerate(sizes):
            operands, before = range(high - levels, high), inside if at else before
            loops, high = tuple(place for place in own if place not in operands), high - levels
            entry, numbers = ("v", "u") if over else ("v",), lanes if apart else ()
            step = StepPlaces(self.bound, operands, lanes, loops, entry, numbers, scheme)
            self._put(Planned(step, self._carries(apart, len(sizes) - at, len(sizes) - (opened > 0))), before)

    @property
    def _fused(self) -> bool:
        return is_fused(self.inner, self.made)

    def _carries(self, apart: bool, done: int, steps: int) -> bool:
        """Return whether a step leaves carries of sums.

        Levels across lanes of an inverse transform do not normalise carries if they can wait until the end of the pass,
        which begins with converted words and their headroom for one more level. The last levels of the transform,
        however, need normalised carries.

        Args:
            apart: Whether the step is across lanes.
            done: The number of steps of an inverse transform from the first one of its loop up to this one.
            steps: The number of steps of this loop.
        """
        a, lanes = self.inner, self.spec.target.lanes
        if a.single or not self.inverse:
            return not (a.single or a.settles)
        free = len(self.made.levels) > 0 or not a.over or 1 << self.opened < lanes
        waits = apart and free and a.pace + 1 >= 2 * (lanes.bit_length() - 1)
        return a.pace > 1 and (waits or (done % a.pace > 0 and done < steps))

    def _put(self, planned: Planned, before: Between) -> None:
        """Append a step and the values before it."""
        self.steps.append(planned)
        self.between.append(before)
