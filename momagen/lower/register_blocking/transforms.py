"""Transforms in steps, whose residues fit one digit or one word: several levels in registers, passes depth first.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from momagen.kernels.flow.register_blocking import Placed
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.lower.phases import lower_digits, lower_words
from momagen.lower.programs import TransformPart, product_program, program, runner, transform_program
from momagen.lower.setup.powers import write_powers
from momagen.lower.setup.scalars import write_scalars
from momagen.lower.words.passes import TW
from momagen.lower.words.reorder import write_reorder
from momagen.lower.writer import ProgramWriter
from momagen.program import Field, Function, Name, Number, Program

from .body import StepBody, step_body
from .part import ZEROTH, StepPart, starts
from .tables import put_tables, write_put

Y_STEP, X_STEP, BLOCKS, INNER, B = (Name(name) for name in ("y_step", "x_step", "blocks", "inner", "b"))


def steps_transform(writer: ProgramWriter, part: StepPart) -> Program:
    """The program of one transform."""
    (transform,) = _written(writer, [part])
    if writer.spec.order != "natural":
        return transform_program(writer, transform)
    n = part.spec.n
    write_reorder(writer, "reorder", n.bit_length() - 1)
    run = runner(writer, transform, room=n)
    calls = [writer.call("reorder", T, X), transform.call(writer, Y, T)]
    if not part.spec.inverse:
        calls = [transform.call(writer, T, X), writer.call("reorder", Y, T)]
    for call in calls:
        run.do(call)
    return program(writer, [transform], run, [Field("t", n)])


def steps_product(writer: ProgramWriter, forward: StepPart, inverse: StepPart) -> Program:
    """The program of a polynomial product; the function product(z, x, y, c, n) on vectors is there."""
    there, back = _written(writer, [forward, inverse])
    return product_program(writer, there, back, writer.target.lanes)


def _written(writer: ProgramWriter, parts: Sequence[StepPart]) -> list[TransformPart]:
    """The functions of each part, and of what makes its constants and tables."""
    back, first = any(part.spec.inverse for part in parts), parts[0]
    write_scalars(writer, {"mont", "add", "newton", *["quot"] * first.whole, *["half"] * back})
    write_powers(writer, scaled=back, inverted=back)
    write_put(writer, first)
    for part in parts:
        _write_transform(writer, part)
        writer.put(put_tables(writer, part))
    return [TransformPart(part.name, ZEROTH + part.entry, part.table_words) for part in parts]


def _write_transform(writer: ProgramWriter, part: StepPart) -> None:
    count = len(part.plan.columns)
    columns = [_columns(writer, part, at) for at in range(count)]
    below = _rows(writer, part)
    for at in reversed(range(count)):
        below = _from(writer, part, at, columns[at], below)
    if not count:
        f = Function(f"{part.name}transform", (Y, X, C, TABLES))
        f.do(writer.call(below, Y, X, C, TABLES, 1))
        writer.put(f)


def _body(writer: ProgramWriter, part: StepPart, order: Sequence[Placed], *tiles: int) -> StepBody:
    lower = lower_words if part.whole else lower_digits
    blocks = tuple(lower(placed.step.block, writer.target, writer.trace) for placed in order)
    writer.operations += sum((block.counts() for block in blocks), Counter[str]())
    alike = tuple(replace(placed, depth=0) for placed in order)  # at any depth
    return step_body(writer.target, part.inner, alike, blocks, *tiles)


def _step(writer: ProgramWriter, part: StepPart, name: str, depth: int, placed: Placed) -> str:
    """The loops of one step."""
    doc = (
        f"Levels {depth} to {depth + placed.levels - 1}, in registers: {placed.radix} legs, ``inner`` vectors of x_step"
        " and y_step words apart, of every block."
    )
    body = _body(writer, part, [placed])
    f = Function(name, (Y, X, C, TW, Y_STEP, X_STEP, BLOCKS, INNER), doc, vector=True, copies="apart")
    x_leg, y_leg = f.let("x_leg", INNER * X_STEP), f.let("y_leg", INNER * Y_STEP)
    f.add(*body.fixed.values())
    with f.each("b", BLOCKS):
        with f.each("i", INNER):
            body.put(f, x_leg, y_leg)
            f.step(X, X_STEP)
            f.step(Y, Y_STEP)
        f.step(X, x_leg * (placed.radix - 1))
        f.step(Y, y_leg * (placed.radix - 1))
        f.step(TW, placed.words(1))
    return writer.put(f)


def _columns(writer: ProgramWriter, part: StepPart, at: int) -> str:
    """One pass of columns: every step on the whole block, or column by column all of them, in memory of their own."""
    one, row, lanes = part.plan.columns[at], part.chain.columns[at], part.plan.lanes
    steps = [
        (_step(writer, part, f"{part.name}step_{at}_{i}", one.depth + placed.depth, placed), placed, begin)
        for i, (placed, begin) in enumerate(zip(row, starts(row), strict=False))
    ]
    doc = (
        f"Levels {one.depth} to {one.depth + one.levels - 1} of one block: columns of {one.rows} vectors, {one.stride}"
        " residues apart."
    )
    f = Function(f"{part.name}columns_{at}", (Y, X, C, TW), doc)
    if len(steps) == 1:
        f.do(writer.call(steps[0][0], Y, X, C, TW, lanes, lanes, 1, one.stride // lanes))
        return writer.put(f)
    s = f.array("s", one.rows * lanes, line=lanes * writer.target.word // 8)
    with f.each("j", one.stride, step=lanes) as j:
        source, source_step = X + j, one.stride
        for k, (name, placed, begin) in enumerate(steps[:: -1 if part.spec.inverse else 1], 1):
            to, to_step = (Y + j, one.stride) if k == len(steps) else (s, lanes)
            inner = one.rows >> placed.depth + placed.levels
            f.do(writer.call(name, to, source, C, TW + begin, to_step, source_step, placed.blocks, inner))
            source, source_step = to, to_step
    return writer.put(f)


def _rows(writer: ProgramWriter, part: StepPart) -> str:
    """The last pass: both steps on a tile, each on the side of the turn where its legs are vectors."""
    lanes, together, levels = part.plan.lanes, part.together, sum(placed.levels for placed in part.chain.rows)
    order, way = part.chain.rows, "on whole vectors and then across lanes"
    if part.spec.inverse:
        order, way = order[::-1], "across lanes first"
    doc = f"The last {levels} levels of ``blocks`` blocks: {lanes} * {lanes} residues at a time, {way}."
    body = _body(writer, part, order, together, part.shared, part.per_tile)
    f = Function(f"{part.name}rows", (Y, X, C, TW, BLOCKS), doc, vector=True, copies="apart")
    f.add(*body.fixed.values())
    with f.each("b", BLOCKS, step=together):
        body.put(f, lanes, lanes)
        f.step(X, together * lanes * lanes)
        f.step(Y, together * lanes * lanes)
        f.step(TW, together * part.per_tile)
    return writer.put(f)


def _from(writer: ProgramWriter, part: StepPart, at: int, columns: str, below: str) -> str:
    """All levels from one pass of columns on: the whole transform from the first one on."""
    one, words, inverse = part.plan.columns[at], starts(part.chain.columns[at])[-1], part.spec.inverse
    name, b = (f"from_{at}", B) if at else ("transform", Number(0))
    what = f"All levels from {one.depth} on, of block b" if at else "All levels"
    doc = f"{what}: depth first, so that what fits a cache stays there."
    f = Function(part.name + name, (Y, X, C, TABLES, *[B] * (at > 0)), doc)
    tw, source = TABLES + (b * words + part.offsets[at]), X if inverse else Y
    if not inverse:
        f.do(writer.call(columns, Y, X, C, tw))
    if at + 1 == len(part.plan.columns):
        tables = TABLES + (b * (one.rows * part.per_tile) + part.offsets[-1])
        f.do(writer.call(below, Y, source, C, tables, one.rows))
    else:
        with f.each("i", one.rows) as i:
            step = i * one.stride
            f.do(writer.call(below, Y + step, source + step, C, TABLES, b * one.rows + i))
    if inverse:
        f.do(writer.call(columns, Y, Y, C, tw))
    return writer.put(f)
