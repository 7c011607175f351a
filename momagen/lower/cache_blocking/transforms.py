"""Transforms in tiles as programs: the functions of their constants, tables and passes, and of the whole."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.kernels.spec.spec import Spec
from momagen.lower.digits.constants import ConstantsWriter, kept_words
from momagen.lower.digits.doubles import RealTileWriter
from momagen.lower.digits.fused_levels import FusedLevels
from momagen.lower.digits.levels import Levels
from momagen.lower.digits.writer import TileWriter
from momagen.lower.programs import TransformPart, product_program, transform_program
from momagen.lower.setup.powers import write_powers
from momagen.lower.setup.scalars import write_scalars
from momagen.lower.words.reorder import write_reorder
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Program

from .columns import ColumnsWriter
from .ends import EndsWriter
from .layout import Passes
from .passes import RowsWriter
from .tables import TablesWriter


class TiledWriter(ProgramWriter):
    """Collects the transforms of ``specs``, by what the names of their functions begin with; "" where there is but one.

    Attributes:
        parts: their writers.
    """

    def __init__(self, spec: Spec, specs: Mapping[str, Spec]) -> None:
        super().__init__(spec)
        make = RealTileWriter if self.target.real else TileWriter
        self.parts: list[TileWriter] = [make(each, self, name) for name, each in specs.items()]
        self.narrower = max(self.parts, key=lambda part: part.inner.least)

    @property
    def moduli(self) -> str:
        return self.narrower.moduli

    def fits(self, q: Expr) -> Expr:
        return self.narrower.fits(q)


def tiles_transform(writer: TiledWriter) -> Program:
    """The program of one transform."""
    (transform,) = _written(writer)
    return transform_program(writer, transform)


def tiles_product(writer: TiledWriter) -> Program:
    """The program of a polynomial product; the function product(z, x, y, c, n) on vectors is there."""
    forward, inverse = _written(writer)
    return product_program(writer, forward, inverse, writer.target.lanes)


def _written(writer: TiledWriter) -> list[TransformPart]:
    """The functions of each part; scalar functions for all."""
    back = [part for part in writer.parts if part.spec.inverse]
    scaled = any(not part.inner.over for part in back)
    write_scalars(writer, ["mont", "add", "newton", "quot", *["half"] * scaled])
    write_powers(writer, scaled=scaled, inverted=bool(back))
    if writer.spec.order == "natural":
        write_reorder(writer, "reorder", writer.spec.n.bit_length() - 1)
    return [_write(part, Passes(part)) for part in writer.parts]


def _write(part: TileWriter, passes: Passes) -> TransformPart:
    """One transform. Where rows are one run, carries of sums are normalised at its end alone: it begins with words, and
    so bears one level more; but the last levels of the way back want them normalised."""
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
    return TransformPart(part.name, kept_words(part), passes.table_words, (passes.room, passes.tile_words))
