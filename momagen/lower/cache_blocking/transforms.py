"""Cache-blocked transforms as programs: the functions of their constants, tables and passes, and of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from momagen.lower.depth_first import write_passes, write_reorder
from momagen.lower.digits.levels import write_levels
from momagen.lower.digits.writer import TileWriter
from momagen.lower.parts import Split, grain_of, phases_of
from momagen.lower.programs import TransformPart
from momagen.lower.setup.blocks import block_words
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform

from .ends import write_conversions
from .tables import write_tables


def write_tiles(writer: ProgramWriter, plans: Mapping[str, LimbTransform]) -> list[TransformPart]:
    """Write the functions of each transform and the scalar functions, and return the transforms.

    Args:
        writer: The writer of the program.
        plans: The plans of the transforms, by the prefix of the names of their functions.
    """
    write_reorder(writer, plans.values())
    return [_write(TileWriter(plan, writer, name)) for name, plan in plans.items()]


def _write(part: TileWriter) -> TransformPart:
    """Write the functions of one transform, and return the transform."""
    plan = part.plan
    write_levels(part, "shared")
    if not plan.row:
        write_levels(part, "apart", opens=plan.waits)
    write_conversions(part)
    if not plan.row:
        part.write("tile_rows", "rows", one=plan.passes[-1], **_of_pass(part, -1))
    split = _split(part) if plan.split else None
    write_passes(part, plan, plan.passes, partial(_of_pass, part), split)
    scratch = (split.shared, split.each) if split else (plan.room, plan.tile_vectors * part.step)
    tables, phases = block_words(plan.breakdown, plan.table_words), len(phases_of(plan)) if split else 0
    return TransformPart(part.name, write_tables(part), tables, scratch, plan.breakdown.blocks, phases=phases)


def _split(part: TileWriter) -> Split:
    """Return how threads share the transform.

    If residues are stored as words after the first pass, each thread has separate memory for the limbs of a
    block.
    """
    plan, first = part.plan, part.plan.passes[0]
    digits, tiles = plan.tiles.room * part.inner.words, plan.tile_vectors * part.step
    own, natural = digits * first.rests, plan.schedule.elements * part.arith.words * plan.breakdown.natural
    groups, grain = first.stride // (first.width * plan.lanes), grain_of(plan.tiles, plan.passes[-1].group)
    return Split(groups, grain, natural + digits - own, own + tiles, tiles, int(first.rests))


def _of_pass(part: TileWriter, at: int) -> dict[str, object]:
    """Return the values that the text of pass ``at`` uses.

    They are its function for levels on whole vectors, and the offset of the factor of all results.
    """
    one, scale = part.plan.passes[at], part.constants.places["scale"]
    return {"shared_run": partial(part.call, f"shared_{one.vectors}_{one.half}"), "scale": scale}
