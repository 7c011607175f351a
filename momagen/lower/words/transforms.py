"""Transforms on full-radix limbs: the functions of their passes, of their tables, and of the whole transform."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from momagen.kernels.flow.index_bits import Order, moved
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.lower.programs import TransformPart
from momagen.lower.setup.blocks import block_words, of_blocks
from momagen.lower.setup.derived import held_words
from momagen.lower.setup.entries import Entry, TransformConstants
from momagen.lower.setup.exponents import Exponents
from momagen.lower.setup.tables import TablesWriter
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.passes import Pass, needs_copy, needs_scratch, order_of_move, passes_of
from momagen.plan.schedule.transform import ScheduledTransform
from momagen.plan.schedule.types import Schedule
from momagen.program import Call, Expr, Function, Name

from .parts import PartsWriter
from .passes import write_pass


def write_words(writer: ProgramWriter, plans: Mapping[str, ScheduledTransform]) -> list[TransformPart]:
    """Write the functions of each transform and of its tables, and return the transforms.

    Args:
        writer: The writer of the program.
        plans: The plans of the transforms, by the prefix of the names of their functions.
    """
    return [_write(writer, name, plan) for name, plan in plans.items()]


def _write(writer: ProgramWriter, name: str, plan: ScheduledTransform) -> TransformPart:
    offsets, schedule, count = _write_tables(writer, name, plan), plan.schedule, writer.arith.words
    copied = needs_copy(schedule) and not plan.product
    elements, tables = schedule.elements, block_words(plan.breakdown, offsets[-1])
    if plan.split:
        phases = PartsWriter(writer, schedule, plan.arith, copied, partial(_move, writer)).write(offsets)
        scratch = [elements * count * (needs_scratch(schedule) or copied), 0]
        return TransformPart(name, 2 * count, tables, scratch, shared=True, lined=False, phases=phases)
    _write_passes(writer, name, plan, offsets)
    scratch = [elements * count] if needs_scratch(schedule) else []
    return TransformPart(
        name, 2 * count, tables, scratch, plan.breakdown.blocks, shared=True, lined=False, copied=copied
    )


def _write_tables(writer: ProgramWriter, name: str, plan: ScheduledTransform) -> list[int]:
    """Write the function put_tables, and return the offset of the table of each pass and the end of the last one."""
    arith, exponents = plan.arith, Exponents(plan.schedule)
    entry, tables = Entry(tuple(held_words(arith))), exponents.tables(arith.twiddle_words)
    made, inverse = TransformConstants(arith, entry, entry), plan.breakdown.inverse
    words = sum(done.own.entries for done in exponents.passes) * arith.twiddle_words
    put = TablesWriter(writer, made, plan.breakdown, inverse and exponents.direct, inverse, name=name)
    put.write(of_blocks(tables, plan.breakdown, words))
    return [*(table.at for table in tables), words]


MEMORIES: Mapping[str, Name] = {"x": X, "y": Y, "t": T}
"""The argument of a transform for each memory."""


def _write_passes(writer: ProgramWriter, name: str, plan: ScheduledTransform, offsets: list[int]) -> None:
    """Write the function transform, which calls the passes, each with its table."""
    schedule, tables, count = plan.schedule, iter(offsets), writer.arith.words
    f = Function(f"{name}transform", (Y, *[T] * needs_scratch(schedule), X, C, TABLES))
    for at, done in enumerate(passes_of(schedule)):
        source, goal = schedule.edges[at : at + 2]
        x, y = MEMORIES[source.memory], MEMORIES[goal.memory]
        if not isinstance(done, Pass):
            f.do(_move(writer, f, at, y, x, schedule))
            continue
        table = TABLES + next(tables)
        for first, some in done.parts():
            called, strides = write_pass(writer, some, plan.arith)
            f.do(writer.call(called, y + first * count, x + first * count, C, table, *strides.values()))
    writer.put(f)


def _move(writer: ProgramWriter, f: Function, at: int, to: Expr, source: Expr, schedule: Schedule) -> Call:
    """Return the call of step ``at``, which only moves elements."""
    order = order_of_move(schedule.edges[at], schedule.edges[at + 1], schedule.breakdown.columns)
    return writer.call(_reorder(writer, schedule), to, source, f.table(f"s{at}", _flips(order)))


def _flips(order: Order) -> list[int]:
    """Return the masks that change the position to read when the position is incremented.

    Mask k belongs to an increment that carries through k bits.
    """
    return [moved(order, (2 << k) - 1) for k in range(len(order))] + [0]


def _reorder(writer: ProgramWriter, of: Schedule) -> str:
    """Write the function of passes that only move elements, or rows of a matrix, and return its name."""
    return writer.write("reorder_bits", "reorder", n=of.breakdown.n, size=of.columns * writer.arith.words)
