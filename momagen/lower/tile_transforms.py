"""Transforms in tiles as programs: the functions of their constants, tables and passes, and of the whole."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.kernels.spec import Spec
from momagen.targets import load_target

from .fused_levels import FusedLevels
from .powers import write_powers
from .real_tiles import RealTileWriter
from .reorder import write_reorder
from .scalars import write_scalars
from .tile_columns import ColumnsWriter
from .tile_constants import ConstantsWriter
from .tile_ends import EndsWriter
from .tile_levels import Levels
from .tile_passes import RowsWriter
from .tile_shape import Passes
from .tile_tables import TablesWriter
from .tile_writer import TileWriter
from .writer import ProgramWriter


def tile_writer(spec: Spec, beside: ProgramWriter, name: str = "") -> TileWriter:
    """The writer of a transform in tiles on the target's digits; see :class:`TileWriter`."""
    return (RealTileWriter if load_target(spec.target).real else TileWriter)(spec, beside, name)


def write_tiles(writer: ProgramWriter, parts: Iterable[TileWriter]) -> None:
    """For each part, the functions transform, put_constants and put_tables; scalar functions for all."""
    parts = list(parts)
    back = [part for part in parts if part.spec.inverse]
    scaled = any(not part.inner.over for part in back)
    write_scalars(writer, ["mont", "add", "newton", "quot", *["half"] * scaled])
    write_powers(writer, scaled=scaled, inverted=bool(back))
    if writer.spec.order == "natural":
        write_reorder(writer, "reorder", writer.spec.n.bit_length() - 1)
    for part in parts:
        _write_part(part, Passes(part))


def _write_part(part: TileWriter, passes: Passes) -> None:
    """One transform. Where rows are one run, sums are settled at its end alone: it begins with words, and so bears one
    level more; but the last levels of the way back want them settled."""
    a, pace, lanes = part.inner, part.inner.pace, part.plan.lanes
    free = bool(passes.columns) or not a.over or passes.legs < lanes
    opens = free and pace > 1 and pace + 1 >= 2 * (lanes.bit_length() - 1)
    if part.fused:
        FusedLevels(part, "shared", passes.runs).write()
        FusedLevels(part, "apart").write()
    else:
        Levels(part, "shared", lone=passes.lone).write()
        Levels(part, "apart", lone=passes.lone, opens=opens).write()
    EndsWriter(part, passes).write()
    RowsWriter(part, passes).write()
    ColumnsWriter(part, passes).write()
    ConstantsWriter(part).write()
    TablesWriter(part, passes).write()
