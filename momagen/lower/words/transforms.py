"""Transforms on full-radix limbs: the functions of their passes, of their tables, and of the whole transform."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from momagen.kernels.flow.data_flow import Move
from momagen.kernels.flow.index_bits import moved
from momagen.kernels.flow.ntt_flow import Flow
from momagen.kinds.modular.derived.sharing import is_split
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.lower.programs import TransformPart
from momagen.lower.setup.blocks import block_words, blocks_of, of_blocks
from momagen.lower.setup.derived import held_words
from momagen.lower.setup.entries import Entry, TransformConstants
from momagen.lower.setup.exponents import Exponents
from momagen.lower.setup.tables import TablesWriter
from momagen.lower.writer import ProgramWriter
from momagen.plan.word_plan import WordPlan
from momagen.program import Call, Expr, Function

from .parts import PartsWriter
from .passes import write_pass


def write_words(writer: ProgramWriter, plans: Mapping[str, WordPlan]) -> list[TransformPart]:
    """Write the functions of each transform and of its tables, and return the transforms.

    Args:
        writer: The writer of the program.
        plans: The plans of the transforms, by the prefix of the names of their functions.
    """
    return [_write(writer, name, plan) for name, plan in plans.items()]


def _write(writer: ProgramWriter, name: str, plan: WordPlan) -> TransformPart:
    offsets, flow, count = _write_tables(writer, name, plan), plan.flow, writer.arith.words
    elements, copied, tables = plan.spec.elements, flow.copied and not plan.product, block_words(plan.spec, offsets[-1])
    if is_split(plan.spec):
        phases = PartsWriter(writer, flow, copied, partial(_move, writer)).write(offsets)
        scratch = [elements * count * (flow.scratch or copied), 0]
        return TransformPart(name, 2 * count, tables, scratch, shared=True, lined=False, phases=phases)
    _write_passes(writer, name, flow, offsets)
    scratch = [elements * count] if flow.scratch else []
    return TransformPart(
        name, 2 * count, tables, scratch, blocks_of(plan.spec), shared=True, lined=False, copied=copied
    )


def _write_tables(writer: ProgramWriter, name: str, plan: WordPlan) -> list[int]:
    """Write the function put_tables, and return the offset of the table of each pass and the end of the last one."""
    arith, exponents = plan.arith, Exponents(plan.flow, plan.spec.n << plan.spec.splits)
    entry, tables = Entry(tuple(held_words(arith))), exponents.tables(arith.twiddle_words)
    made, inverse = TransformConstants(arith, entry, entry), plan.spec.inverse
    words = sum(done.entries() for done in exponents.passes) * arith.twiddle_words
    put = TablesWriter(writer, made, plan, inverse and exponents.direct, inverse, name=name)
    put.write(of_blocks(tables, plan.spec, words))
    return [*(table.at for table in tables), words]


def _write_passes(writer: ProgramWriter, name: str, flow: Flow, offsets: list[int]) -> None:
    """Write the function transform, which calls the passes, each with its table."""
    tables = iter(offsets)
    f = Function(f"{name}transform", (Y, *[T] * flow.scratch, X, C, TABLES))
    source: Expr = X
    for at, (step, goal) in enumerate(zip(flow.steps, flow.targets(), strict=True)):
        to = {"y": Y, "t": T}[goal]
        if isinstance(step, Move):
            f.do(_move(writer, f, at, to, source, step))
        else:
            table = TABLES + next(tables)
            for first, some in step.parts():
                called, strides = write_pass(writer, some)
                own = first * writer.arith.words
                f.do(writer.call(called, to + own, source + own, C, table, *strides.values()))
        source = to
    writer.put(f)


def _move(writer: ProgramWriter, f: Function, at: int, to: Expr, source: Expr, step: Move) -> Call:
    """Return the call of pass ``at``, which only moves elements."""
    return writer.call(_reorder(writer), to, source, f.table(f"s{at}", _flips(step)))


def _flips(step: Move) -> list[int]:
    """Return the masks that change the position to read when the position is incremented.

    Mask k belongs to an increment that carries through k bits.
    """
    return [moved(step.order, (2 << k) - 1) for k in range(len(step.order))] + [0]


def _reorder(writer: ProgramWriter) -> str:
    """Write the function of passes that only move elements, or rows of a matrix, and return its name."""
    spec = writer.spec
    return writer.write("reorder_bits", "reorder", n=spec.n, size=spec.columns * writer.arith.words)
