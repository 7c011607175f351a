"""The choices of the planners of depth-first transforms, which schedules state."""

from __future__ import annotations

from typing import NamedTuple

from momagen.errors import build_error
from momagen.plan.schedule.nests import REMEDY, NestSteps, nests_of
from momagen.plan.schedule.types import LIMB_MEMORY, Schedule, TileBlocks

RUN = 16
"""The number of blocks of rows that one loop after another processes. The first-level cache holds them and their
constants."""
REGISTERS, MEMORY = "registers", "memory"
"""The places from which butterflies read constants."""


class StepChoices(NamedTuple):
    """The choices of the planner, from which everything else of a register-blocked transform follows.

    Attributes:
        residues: The representation of residues, one of ``ONE_LIMB``.
        columns: The numbers of levels of the steps of each pass over columns, from the whole ring down.
        rows: The numbers of levels of a tile of rows on whole vectors and across lanes; (0, 0) without rows.
        pairs: Whether constants that differ by lane are stored with their quotients.
        together: The number of interleaved tiles of rows.
    """

    residues: str
    columns: tuple[tuple[int, ...], ...]
    rows: tuple[int, int] = (0, 0)
    pairs: bool = False
    together: int = 1


class LimbChoices(NamedTuple):
    """The choices of the planner, from which everything else of a transform on reduced-radix limbs follows.

    Attributes:
        levels: The numbers of levels of the passes over columns, from the whole ring down.
        widths: The numbers of neighbouring tiles that these passes load together and store together.
        resting: The number of these passes after which residues are stored as words.
        together: The number of blocks of rows that are processed together; 1 without rows.
        twiddles: The format of twiddles that differ by lane.
        paired: Whether the instructions of two butterflies are interleaved.
        constants: The place from which butterflies read constants.
        chain: The largest number of products in one chain of multiply-adds.
        prefetch: The number of words of the twiddles of the rows that each butterfly of two vectors prefetches during
            the last pass over columns.
    """

    levels: tuple[int, ...]
    widths: tuple[int, ...]
    resting: int
    together: int
    twiddles: str
    paired: bool
    constants: str
    chain: int
    prefetch: int


def step_choices(schedule: Schedule) -> StepChoices:
    """Return the choices that the schedule of a register-blocked transform states.

    Raises:
        MomagenError: The nests do not contain all steps, or one of them contains none.
    """
    inverse, groups = schedule.breakdown.inverse, nests_of(schedule)
    levels = [tuple(len(step.operands) for step in own.computing[:: -1 if inverse else 1]) for own in groups]
    rows, columns, last = (0, 0), levels, groups[-1]
    has_lanes = has_rows(last)
    if has_lanes:
        *columns, (first, *across) = levels
        rows = first, sum(across)
    entries = {step.table.entry for step in last.computing}
    pairs = has_lanes and len(entries) == 1  # levels on whole vectors always have quotients
    return StepChoices(schedule.residues, tuple(columns), rows, pairs, last.nest.together)


def limb_choices(schedule: Schedule) -> LimbChoices:
    """Return the choices that the schedule of a transform on reduced-radix limbs states.

    Raises:
        MomagenError: The nests are no tiles, or do not contain all steps.
    """
    nests, inverse = nests_of(schedule), schedule.breakdown.inverse
    first = nests[0].nest
    if not isinstance(first, TileBlocks):
        raise build_error("the nests of reduced-radix limbs are tiles", "schedule.nests", REMEDY)
    columns = nests[: len(nests) - has_rows(nests[-1])]
    together = 1 if columns == nests else nests[-1].nest.together
    lower = [each.edges[0 if inverse else -1].memory for each in columns]
    last = columns[-1].nest if columns else first
    return LimbChoices(
        tuple(sum(len(step.operands) for step in each.computing) for each in columns),
        tuple(each.nest.together for each in columns), sum(each != LIMB_MEMORY for each in lower[:-1]), together,
        first.twiddles, first.butterflies > 1, first.constants, first.chain,
        last.prefetch if isinstance(last, TileBlocks) else 0,
    )  # fmt: skip


def has_rows(last: NestSteps) -> bool:
    """Return whether the last nest computes levels across lanes."""
    return bool(last.computing[0].lanes)
