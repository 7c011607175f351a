"""Transforms in tiles as programs: the functions of their constants, tables and passes, and of the whole."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.lower.digits.constants import kept_words
from momagen.lower.digits.fused_levels import FusedLevels
from momagen.lower.digits.levels import Levels
from momagen.lower.digits.writer import TileWriter
from momagen.lower.programs import TransformPart
from momagen.lower.setup.scalars import write_powers
from momagen.lower.words.reorder import write_reorder
from momagen.lower.writer import ProgramWriter
from momagen.plan.digit_passes import DigitPasses
from momagen.plan.digit_plan import DigitPlan

from .columns import ColumnsWriter
from .ends import EndsWriter
from .tables import write_tables


def write_tiles(writer: ProgramWriter, plans: Mapping[str, DigitPlan]) -> list[TransformPart]:
    """The functions of each transform, by what their names begin with; scalar functions for all."""
    write_powers(writer, any(plan.spec.inverse for plan in plans.values()), "quot")
    if writer.spec.order == "natural":
        write_reorder(writer, "reorder", writer.spec.n.bit_length() - 1)
    return [_write(TileWriter(plan, writer, name), DigitPasses(plan)) for name, plan in plans.items()]


def _write(part: TileWriter, passes: DigitPasses) -> TransformPart:
    """One transform. Where rows are one run, carries of sums are normalised at its end alone: it begins with words, and
    so bears one level more; but the last levels of the way back want them normalised."""
    a, pace, lanes = part.inner, part.inner.pace, part.plan.lanes
    free = bool(passes.columns) or not a.over or passes.legs < lanes
    opens = free and pace > 1 and pace + 1 >= 2 * (lanes.bit_length() - 1)
    if part.plan.fused:
        FusedLevels(part, "shared", passes.runs).write()
        FusedLevels(part, "apart").write()
    else:
        Levels(part, "shared", lone=passes.lone).write()
        Levels(part, "apart", lone=passes.lone, opens=opens).write()
    EndsWriter(part, passes).write()
    ColumnsWriter(part, passes).write()
    write_tables(part)
    return TransformPart(part.name, kept_words(part), part.plan.table_words, (passes.room, passes.tile_words))
