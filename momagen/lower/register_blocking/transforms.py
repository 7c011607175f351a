"""Transforms in steps, whose residues fit one digit or one word: several levels in registers, passes depth first.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from momagen.lower.depth_first import COUNT, PassesWriter
from momagen.lower.names import TABLES, C, T, X, Y
from momagen.lower.nest import LegWalk, Nest
from momagen.lower.phases import lower_digits, lower_words
from momagen.lower.programs import TransformPart
from momagen.lower.setup.scalars import write_powers
from momagen.lower.words.passes import TW
from momagen.lower.words.reorder import write_reorder
from momagen.lower.writer import PartWriter, ProgramWriter
from momagen.plan.step_plan import ZEROTH, Placed, StepPlan
from momagen.program import Call, Expr, Function, Name

from .body import StepBody, step_body
from .tables import write_tables

Y_STEP, X_STEP, BLOCKS, INNER = (Name(name) for name in ("y_step", "x_step", "blocks", "inner"))


def write_steps(writer: ProgramWriter, plans: Mapping[str, StepPlan]) -> list[TransformPart]:
    """The functions of each transform, by what their names begin with, and of what makes its constants and tables."""
    quot = ["quot"] * next(iter(plans.values())).whole
    write_powers(writer, any(plan.spec.inverse for plan in plans.values()), *quot)
    if writer.spec.order == "natural":
        write_reorder(writer, "reorder", writer.spec.n.bit_length() - 1)
    return [_write(PartWriter(plan.spec, writer, name), plan) for name, plan in plans.items()]


def _write(writer: PartWriter, plan: StepPlan) -> TransformPart:
    StepsWriter(writer, plan).write()
    write_tables(writer, plan)
    scratch = [plan.spec.n] * (plan.spec.order == "natural")
    return TransformPart(writer.name, ZEROTH + len(plan.inner.letters(True)), plan.table_words, scratch)


class StepsWriter(PassesWriter):
    """Writes columns_k(y, x, c, tables, b), the steps that they call, and transform(y, x, c, tables)."""

    plan: StepPlan

    def __init__(self, writer: PartWriter, plan: StepPlan) -> None:
        super().__init__(writer, plan)
        self.room = plan.spec.n
        self.scratch = [T] * (plan.spec.order == "natural")

    def _body(self, order: Sequence[Placed], copies: int = 1) -> StepBody:
        writer, lower = self.part, lower_words if self.plan.whole else lower_digits
        blocks = tuple(lower(placed.step.block, writer.target, writer.trace) for placed in order)
        writer.operations += sum((block.counts() for block in blocks), Counter[str]())
        return step_body(writer.target, self.plan.inner, tuple(order), blocks, copies)

    def _step(self, name: str, depth: int, placed: Placed) -> str:
        """The loops of one step."""
        doc = (
            f"Levels {depth} to {depth + placed.levels - 1}, in registers: {placed.radix} legs, ``inner`` vectors of"
            " x_step and y_step words apart, of every block."
        )
        body = self._body([replace(placed, depth=0, begin=0)])  # the same at any depth
        f = Function(name, (Y, X, C, TW, Y_STEP, X_STEP, BLOCKS, INNER), doc, vector=True, copies="apart")
        legs = f.let("x_leg", INNER * X_STEP), f.let("y_leg", INNER * Y_STEP)
        walks = [
            LegWalk([Name(f"{at.text}0", at.type)], at, leg, step, leg * placed.radix)
            for at, step, leg in zip((X, Y), (X_STEP, Y_STEP), legs, strict=True)
        ]
        f.add(*body.fixed.values())
        nest = Nest(walks, BLOCKS, INNER, [(TW, placed.words)])
        nest.write(f, [], body.statements(*(walk.legs(placed.radix) for walk in walks)))
        self.part.put(f)
        return name

    def columns(self, f: Function, at: int, tw: Expr) -> None:
        """Every step on the whole block, or column by column all of them, in memory of their own."""
        one, lanes, first = self.tiles.columns[at], self.lanes, Y if self.inverse else X
        row = enumerate(self.plan.chain[at])
        steps = [(self._step(f"step_{at}_{i}", one.depth + placed.depth, placed), placed) for i, placed in row]
        if len(steps) == 1:
            f.do(self.call(steps[0][0], Y, first, C, tw, lanes, lanes, 1, one.stride // lanes))
            return
        s = f.array("s", one.rows * lanes, line=lanes * self.part.target.word // 8)
        with f.each("j", one.stride, step=lanes) as j:
            source, source_step = first + j, one.stride
            for k, (name, placed) in enumerate(steps[:: -1 if self.inverse else 1], 1):
                to, to_step = (Y + j, one.stride) if k == len(steps) else (s, lanes)
                inner = one.rows >> placed.depth + placed.levels
                f.do(self.call(name, to, source, C, tw + placed.begin, to_step, source_step, placed.blocks, inner))
                source, source_step = to, to_step

    def rows(self) -> None:
        """Both steps of the last pass on a tile, each on the side of the transpose where its legs are vectors."""
        plan, lanes, together = self.plan, self.lanes, self.plan.together
        order = plan.chain[-1][:: -1 if self.inverse else 1]
        way = "across lanes first" if self.inverse else "on whole vectors and then across lanes"
        doc = (
            f"The last {sum(plan.steps(-1))} levels of ``count`` blocks: {lanes} * {lanes} residues at a time, {way}."
        )
        body = self._body(order, together)
        f = Function("rows", (Y, X, C, TW, COUNT), doc, vector=True, copies="apart")
        f.add(*body.fixed.values())
        with f.each("i", COUNT, step=together):
            f.add(*body.statements(*([p + lanes * i for i in range(together * lanes)] for p in (X, Y))))
            f.step(X, together * lanes * lanes)
            f.step(Y, together * lanes * lanes)
            f.step(TW, together * plan.block_words(-1))
        self.part.put(f)

    def of_rows(self) -> tuple[Expr, ...]:
        return Y, X if self.inverse else Y

    def call_rows(self, given: Sequence[Expr], b: Expr, count: int) -> Call:
        """Tables come as a pointer: transforms of several sizes share the function."""
        return self.call("rows", *given, C, TABLES + (b * self.plan.block_words(-1) + self.plan.offsets[-1]), count)

    def of_block(self, at: int, i: Expr) -> tuple[Expr, ...]:
        step = i * self.tiles.columns[at].stride
        return tuple(pointer + step for pointer in self.of_rows())

    def whole(self, found: Expr, inside: Expr, source: Expr) -> tuple[Expr, ...]:
        return found, source
