"""Transforms in steps, whose residues fit one digit or one word: several levels in registers, passes depth first.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from momagen.lower.depth_first import known, write_passes, write_reorder
from momagen.lower.names import C
from momagen.lower.phases import lower_digits, lower_words
from momagen.lower.programs import TransformPart
from momagen.lower.writer import PartWriter, ProgramWriter
from momagen.plan.step_plan import ZEROTH, Placed, StepPlan
from momagen.program import Do, Expr, Statement
from momagen.program.expressions import number

from .body import StepBody, step_body
from .tables import write_tables


def write_steps(writer: ProgramWriter, plans: Mapping[str, StepPlan]) -> list[TransformPart]:
    """The functions of each transform, by what their names begin with, and of what makes its constants and tables."""
    write_reorder(writer)
    return [_write(StepWriter(plan, writer, name)) for name, plan in plans.items()]


def _write(part: StepWriter) -> TransformPart:
    plan, back = part.plan, slice(None, None, -1 if part.plan.spec.inverse else 1)
    if plan.tiles.rows in plan.tiles.passes:
        body, count = part.body(plan.chain[-1][back], plan.together), plan.together * plan.tiles.rows.rows
        part.write("step_rows", "rows", **_known(body, count))
    write_passes(part, plan, plan.tiles.columns, partial(_columns, part))
    write_tables(part, plan)
    scratch = [plan.spec.elements] * (plan.spec.order == "natural")
    zeroth = len(plan.inner.letters(True)) * plan.target.copies
    return TransformPart(part.name, ZEROTH + zeroth, plan.table_words, scratch)


class StepWriter(PartWriter):
    """Writes one transform."""

    def __init__(self, plan: StepPlan, beside: ProgramWriter, name: str) -> None:
        super().__init__(plan.spec, beside, name)
        self.plan = plan

    @cached_property
    def given(self) -> dict[str, object]:
        return {**super().given, **known(self.plan), "tiles": 0, "room": self.plan.spec.elements, "apart": 0}

    def body(self, order: Sequence[Placed], copies: int = 1) -> StepBody:
        """The loop body of steps one after another."""
        lower = lower_words if self.plan.inner.whole else lower_digits
        blocks = tuple(lower(placed.step.block, self.target, self.trace) for placed in order)
        self.operations += sum((block.counts() for block in blocks), Counter[str]())
        return step_body(self.target, self.plan.inner, tuple(order), blocks, copies)


def _known(body: StepBody, legs: int) -> dict[str, object]:
    """What the text of loops knows of their body."""

    def butterflies(x: Expr, x_leg: Expr, y: Expr, y_leg: Expr) -> list[Statement]:
        return body.statements([x + x_leg * i for i in range(legs)], [y + y_leg * i for i in range(legs)])

    return {"constants": lambda: [*body.fixed.values()], "butterflies": butterflies}


def _columns(part: StepWriter, at: int) -> dict[str, object]:
    """Writes the steps of pass ``at``: one on the whole block; or column by column all of them, in memory of their own,
    each by its loops from ``source`` to ``goal``."""
    plan, one, lanes = part.plan, part.plan.tiles.columns[at], part.plan.lanes
    for i, placed in enumerate(plan.chain[at]):
        body = part.body([placed._replace(depth=0, begin=0)])  # the same at any depth
        first = one.depth + placed.depth
        part.write(
            "step_level", f"step_{at}_{i}", placed=placed, first=first, last=first + placed.levels - 1,
            **_known(body, placed.radix),
        )  # fmt: skip

    def steps(source: Expr, goal: Expr, s: Expr, tw: Expr, stride: Expr) -> list[Statement]:
        found, order, place = list[Statement](), range(len(plan.chain[at])), (source, stride)
        for i in reversed(order) if plan.spec.inverse else order:
            placed, last = plan.chain[at][i], len(found) == len(order) - 1
            inner, to = one.rows >> placed.depth + placed.levels, (goal, stride) if last else (s, number(lanes))
            (x, x_step), (y, y_step), place = place, to, to
            step = part.call(f"step_{at}_{i}", y, x, C, tw + placed.begin, y_step, x_step, placed.blocks, inner)
            found.append(Do(step))
        return found

    single, alone = len(plan.chain[at]) == 1, partial(part.call, f"step_{at}_0")
    return {"single": single, "step_0": alone, "steps": steps, "vector": lanes * part.target.word // 8}
