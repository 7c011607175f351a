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

from .ends import EndsWriter
from .passes import TilePassesWriter
from .tables import write_tables


def write_tiles(writer: ProgramWriter, plans: Mapping[str, DigitPasses]) -> list[TransformPart]:
    """The functions of each transform, by what their names begin with; scalar functions for all."""
    write_powers(writer, any(plan.spec.inverse for plan in plans.values()), "quot")
    if writer.spec.order == "natural":
        write_reorder(writer, "reorder", writer.spec.n.bit_length() - 1)
    return [_write(TileWriter(plan, writer, name)) for name, plan in plans.items()]


def _write(part: TileWriter) -> TransformPart:
    """One transform. Where rows are one run, carries of sums are normalised at its end alone: it begins with words, and
    so bears one level more; but the last levels of the way back want them normalised."""
    plan, a, pace, lanes = part.plan, part.inner, part.inner.pace, part.plan.lanes
    free = len(plan.passes) > 1 or not a.over or plan.legs < lanes
    opens = free and pace > 1 and pace + 1 >= 2 * (lanes.bit_length() - 1)
    if plan.fused:
        FusedLevels(part, "shared", plan.runs).write()
        FusedLevels(part, "apart").write()
    else:
        Levels(part, "shared").write()
        Levels(part, "apart", opens=opens).write()
    EndsWriter(part).write()
    TilePassesWriter(part).write()
    write_tables(part)
    scratch = plan.room, plan.tile_vectors * part.step
    return TransformPart(part.name, kept_words(part), plan.table_words, scratch)
