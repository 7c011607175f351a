"""Register-blocked transforms, whose residues fit one limb or one word: several levels in registers, depth first.

The user's words are processed directly, so nothing is converted, and passes work in place in the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from momagen.ir import Block
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.single_double_levels import DoubleCodelet
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.lower.depth_first import known, write_passes, write_reorder
from momagen.lower.names import C
from momagen.lower.parts import Split, grain_of, phases_of
from momagen.lower.phases import lower, lower_digits, lower_plain, lower_words, noted
from momagen.lower.programs import TransformPart
from momagen.lower.setup.blocks import block_words
from momagen.lower.writer import PartWriter, ProgramWriter
from momagen.plan.schedule.depth_first.one_limb import StepTransform
from momagen.plan.schedule.placed import Placed
from momagen.plan.schedule.tiles import PassTiles
from momagen.program import Do, Expr, Statement
from momagen.program.expressions import number

from .body import StepBody, step_body
from .doubles import on_doubles
from .tables import write_tables
from .words import Words


def write_steps(writer: ProgramWriter, plans: Mapping[str, StepTransform]) -> list[TransformPart]:
    """Write the functions of each transform, of its constants and of its tables, and return the transforms.

    Args:
        writer: The writer of the program.
        plans: The plans of the transforms, by the prefix of the names of their functions.
    """
    write_reorder(writer, plans.values())
    return [_write(StepWriter(plan, writer, name)) for name, plan in plans.items()]


def _write(part: StepWriter) -> TransformPart:
    plan, back = part.plan, slice(None, None, -1 if part.plan.breakdown.inverse else 1)
    if plan.tiles.rows in plan.tiles.passes:
        _write_rows(part, plan.chain[-1][back])
    room, split, phases = part.room, None, 0
    if plan.split:
        groups, grain = plan.tiles.columns[0].stride // plan.lanes, grain_of(plan.tiles, plan.rows_at_once)
        split, phases = Split(groups, grain, room), len(phases_of(plan))
    write_passes(part, plan, plan.tiles.columns, partial(_columns, part), split)
    write_tables(part, plan)
    scratch = [room, 0] if split else [room] * (room > 0)
    kept = plan.kept.zeroth + len(plan.inner.letters(True)) * plan.kept.copies
    tables = block_words(plan.breakdown, plan.table_words)
    return TransformPart(part.name, kept, tables, scratch, plan.breakdown.blocks, phases=phases)


def _write_rows(part: StepWriter, order: Sequence[Placed]) -> None:
    """Write the function of the levels on rows, in which one loop does all steps, or each step has a loop."""
    plan, looped, turned = part.plan, part.plan.looped, False
    for at, steps in enumerate([[placed] for placed in order] if looped else [order]):
        left = looped and all(placed.apart for placed in order[at : at + 2]) and at + 1 < len(order)
        words = part.words(plan.tiles.rows)
        body, name = part.body(steps, plan.together, (turned, left), words), f"rows_{at}" if looped else "rows"
        gaps = {"come_gap": plan.gap * (words[0] > 1), "go_gap": plan.gap * (words[1] > 1)}
        loops = _known(body, plan.tiles.rows.rows, *gaps.values())
        part.write("step_rows", name, come=words[0], go=words[1], leg=plan.target.lanes, **gaps, **loops)
        turned = left
    if looped:
        part.write("split_rows", "rows", run=plan.rows_at_once, last=len(order) - 1)


class StepWriter(PartWriter):
    """A writer of one transform."""

    def __init__(self, plan: StepTransform, beside: ProgramWriter, name: str) -> None:
        super().__init__(plan.spec, beside, name)
        self.plan = plan

    @cached_property
    def given(self) -> dict[str, object]:
        """The values that the texts of functions use, by name."""
        plan = self.plan
        own = {"room": self.room, "longer": plan.longer, "apart": int(plan.longer), "wide": plan.value_words}
        return {**super().given, **known(plan), "tiles": 0, **own}

    @property
    def room(self) -> int:
        """The number of words of scratch memory, for reordering and for longer values between passes."""
        plan, columns = self.plan, self.plan.tiles.columns
        between = columns[0].rows * plan.reach(0) if columns else plan.schedule.elements * plan.value_words
        return plan.schedule.elements * plan.breakdown.natural + between * plan.longer

    def words(self, one: PassTiles, first: bool = True, last: bool = True) -> tuple[int, int]:
        """Return the numbers of words of a value that a pass, or a step of it, loads and stores.

        Args:
            one: The pass.
            first: Whether the step is the first one of the pass.
            last: Whether it is the last one.
        """
        plan, top = self.plan, one.depth == 0
        if not plan.longer:
            return 1, 1
        rows = one is plan.tiles.rows
        user = (rows, top) if plan.breakdown.inverse else (top, rows)
        return 1 if user[0] and first else plan.value_words, 1 if user[1] and last else plan.value_words

    def lowered(self, step: Codelet) -> Block:
        """Return the codelet of a step in the operations of the target."""
        inner = self.plan.inner
        if isinstance(step, DoubleCodelet) and isinstance(inner, OneDouble):
            return on_doubles(step, inner, self.target, self.trace)
        if isinstance(inner, OneSigned):
            return lower_plain(step.block, self.target, self.trace)
        if inner.high and not self.target.many_registers:  # all steps are ordered together
            return lower(noted(step.block, self.trace), self.target, self.trace)
        lowered = lower_words if inner.whole else lower_digits
        return lowered(step.block, self.plan.machine, self.trace)

    def body(
        self, order: Sequence[Placed], copies: int = 1, turned: tuple[bool, bool] = (False, False),
        words: tuple[int, int] = (1, 1),
    ) -> StepBody:  # fmt: skip
        """Return the loop body of consecutive steps.

        Args:
            order: The steps, the first one first.
            copies: The number of interleaved tiles.
            turned: Whether vectors are transposed when they are loaded, and when they are stored.
            words: The numbers of words of a value that is loaded and that is stored.
        """
        blocks = tuple(self.lowered(placed.step) for placed in order)
        self.operations += sum((block.counts() for block in blocks), Counter[str]())
        plan, whole = self.plan, order[-1].apart or order[0].apart
        come, go = (plan.longer and each == 1 for each in words)
        own = Words(self.target, come, go, whole, plan.schedule.ranges[1]) if come or go else None
        return step_body(
            plan.machine, plan.inner, plan.kept, tuple(order), blocks, copies, turned, plan.breakdown.inverse, own
        )


def _known(body: StepBody, rows: int = 1, come_gap: int = 0, go_gap: int = 0) -> dict[str, object]:
    """Return the values that the text of a loop uses, by name.

    Args:
        body: The loop body.
        rows: The number of vectors of a tile.
        come_gap: The number of additional words between tiles that are loaded.
        go_gap: The number of additional words between tiles that are stored.
    """
    xs, ys = len(body.xs), len(body.ys)

    def butterflies(x: Expr, x_leg: Expr, y: Expr, y_leg: Expr) -> list[Statement]:
        legs = [x + (x_leg * i + i // rows * come_gap) for i in range(xs)]
        return body.statements(legs, [y + (y_leg * i + i // rows * go_gap) for i in range(ys)])

    return {"constants": lambda: [*body.fixed.values()], "butterflies": butterflies}


def _columns(part: StepWriter, at: int) -> dict[str, object]:
    """Write the steps of pass ``at``, and return the values that the text of the pass uses, by name.

    One step works on the whole block. Several steps work on one column after another, in separate scratch
    memory; each is called with its loops, from ``source`` to ``goal``.
    """
    plan, one, lanes = part.plan, part.plan.tiles.columns[at], part.plan.lanes
    come, go = part.words(one)
    single = len(plan.chain[at]) == 1
    for i, placed in enumerate(plan.chain[at]):
        ends = (0, len(plan.chain[at]) - 1)[:: -1 if plan.breakdown.inverse else 1]
        body = part.body([placed._replace(depth=0, begin=0)], words=part.words(one, i == ends[0], i == ends[1]))
        first, split = one.depth + placed.depth, plan.split and at == 0 and len(plan.chain[at]) == 1
        name, called = ("step_part", "step_part") if split else ("step_level", f"step_{at}_{i}")
        name, run = ("step_runs" if plan.longer and single else name), plan.tiles.columns[-1].stride // lanes
        own = {"placed": placed, "come": come, "go": go, "run": run, **_known(body)}
        part.write(name, called, first=first, last=first + placed.levels - 1, **own)

    def apart(words: int, stride: Expr, at: int = at) -> Expr:
        return number(plan.reach(at)) if words > 1 else stride

    def steps(source: Expr, goal: Expr, s: Expr, tw: Expr, stride: Expr) -> list[Statement]:
        found, order, place = list[Statement](), range(len(plan.chain[at])), (source, apart(come, stride))
        for i in reversed(order) if plan.breakdown.inverse else order:
            placed, last = plan.chain[at][i], len(found) == len(order) - 1
            tile = s, number(lanes * plan.value_words)
            inner, to = one.rows >> placed.depth + placed.levels, (goal, apart(go, stride)) if last else tile
            (x, x_step), (y, y_step), place = place, to, to
            step = part.call(f"step_{at}_{i}", y, x, C, tw + placed.begin, y_step, x_step, placed.blocks, inner)
            found.append(Do(step))
        return found

    alone, low = partial(part.call, f"step_{at}_0"), plan.tiles.columns[-1].stride
    legs = {f"{way}_leg": apart(words, number(one.stride)) for way, words in (("come", come), ("go", go))}
    runs = {f"{way}_run": apart(words, number(low), -1) for way, words in (("come", come), ("go", go))}
    own = {"reach": plan.reach(at), "runs": one.stride // low, **legs, **runs}
    vector = lanes * plan.machine.word // 8
    return {"single": single, "step_0": alone, "steps": steps, "vector": vector, "come": come, "go": go, **own}
