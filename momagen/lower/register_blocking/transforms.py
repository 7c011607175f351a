"""Register-blocked transforms, whose residues fit one limb or one word: several levels in registers, depth first.

The user's words are processed directly, so nothing is converted, and passes work in place in the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial

from momagen.ir import Block
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.single_double_levels import DoubleCodelet
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.lower.depth_first import DepthFirstWriter
from momagen.lower.names import C
from momagen.lower.phases import lower, lower_digits, lower_plain, lower_words, noted
from momagen.plan.schedule.depth_first.one_limb import StepTransform
from momagen.plan.schedule.placed import Placed
from momagen.plan.schedule.tiles import PassTiles
from momagen.program import Do, Expr, Statement
from momagen.program.expressions import number

from .body import StepBody, step_body
from .doubles import on_doubles
from .tables import write_tables
from .words import Words


class StepWriter(DepthFirstWriter):
    """A writer of one transform in register-blocked passes."""

    plan: StepTransform

    @cached_property
    def given(self) -> dict[str, object]:
        """The values that the texts of functions use, by name."""
        plan = self.plan
        own = {"tiles": 0, "room": self.room, "longer": plan.longer, "apart": int(plan.longer)}
        return {**super().given, **own, "wide": plan.value_words}

    @property
    def scratch(self) -> Sequence[int]:
        """The number of words of the scratch array, if there is one."""
        return [self.room] * (self.room > 0)

    @property
    def shares(self) -> Sequence[int]:
        """The number of words that threads share. A thread has no words of its own."""
        return [self.room]

    @property
    def room(self) -> int:
        """The number of words of scratch memory, for reordering and for longer values between passes."""
        plan, columns = self.plan, self.plan.tiles.columns
        between = columns[0].rows * plan.reach(0) if columns else plan.schedule.elements * plan.value_words
        return plan.schedule.elements * plan.breakdown.natural + between * plan.longer

    def write_blocks(self) -> None:
        """Write the function of the levels on rows, in which one loop does all steps, or each step has a loop."""
        plan, looped, turned = self.plan, self.plan.looped, False
        if plan.tiles.rows not in plan.tiles.passes:
            return
        order = plan.chain[-1][:: -1 if plan.breakdown.inverse else 1]
        for at, steps in enumerate([[placed] for placed in order] if looped else [order]):
            left = looped and all(placed.apart for placed in order[at : at + 2]) and at + 1 < len(order)
            words = self.words(plan.tiles.rows)
            body, name = self.body(steps, plan.together, (turned, left), words), f"rows_{at}" if looped else "rows"
            gaps = {"come_gap": plan.gap * (words[0] > 1), "go_gap": plan.gap * (words[1] > 1)}
            loops = _known(body, plan.tiles.rows.rows, *gaps.values())
            self.write("step_rows", name, come=words[0], go=words[1], leg=plan.target.lanes, **gaps, **loops)
            turned = left
        if looped:
            self.write("split_rows", "rows", run=plan.tiles.rows.group, last=len(order) - 1)

    def write_tables(self) -> int:
        """Write the function put_tables, and return the number of words of all plan constants in c."""
        plan = self.plan
        write_tables(self, plan)
        return plan.kept.zeroth + len(plan.inner.letters(True)) * plan.kept.copies

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

    def of_pass(self, at: int) -> dict[str, object]:
        """Write the steps of pass ``at``, and return the values that the text of the pass uses, by name.

        One step works on the whole block. Several steps work on one column after another, in separate scratch
        memory; each is called with its loops, from ``source`` to ``goal``.
        """
        plan, one, lanes, chain = self.plan, self.plan.tiles.columns[at], self.plan.lanes, self.plan.chain[at]
        single, low, (come, go) = len(chain) == 1, plan.tiles.columns[-1].stride, self.words(one)
        order = range(len(chain))[:: -1 if plan.breakdown.inverse else 1]
        for i, placed in enumerate(chain):
            words = self.words(one, i == order[0], i == order[-1])
            body, first = self.body([placed._replace(depth=0, begin=0)], words=words), one.depth + placed.depth
            name, called = "step_level", f"step_{at}_{i}"
            if single and plan.split and at == 0:
                name = called = "step_part"
            name = "step_runs" if plan.longer and single else name
            own = {"placed": placed, "come": come, "go": go, "run": low // lanes, **_known(body)}
            self.write(name, called, first=first, last=first + placed.levels - 1, **own)

        def apart(words: int, stride: Expr, at: int = at) -> Expr:
            return number(plan.reach(at)) if words > 1 else stride

        def steps(source: Expr, goal: Expr, s: Expr, tw: Expr, stride: Expr) -> list[Statement]:
            found, (x, x_step) = list[Statement](), (source, apart(come, stride))
            for i in order:
                placed, last = chain[i], i == order[-1]
                y, y_step = (goal, apart(go, stride)) if last else (s, number(lanes * plan.value_words))
                inner = one.rows >> placed.depth + placed.levels
                step = self.call(f"step_{at}_{i}", y, x, C, tw + placed.begin, y_step, x_step, placed.blocks, inner)
                found.append(Do(step))
                x, x_step = y, y_step
            return found

        legs = {f"{way}_leg": apart(words, number(one.stride)) for way, words in (("come", come), ("go", go))}
        runs = {f"{way}_run": apart(words, number(low), -1) for way, words in (("come", come), ("go", go))}
        own = {"reach": plan.reach(at), "runs": one.stride // low, **legs, **runs}
        step_0, vector = partial(self.call, f"step_{at}_0"), lanes * plan.machine.word // 8
        return {"single": single, "step_0": step_0, "steps": steps, "vector": vector, "come": come, "go": go, **own}


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


write_steps = StepWriter.write_all
