"""The description of a transform's plan for readers: its formula, its passes, and its representation of residues.

The passes are read from the schedule: the steps of a nest of blocks or rectangles are one pass, and each other step is
one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from momagen.formula.atoms import I
from momagen.formula.expression import Tensor
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kinds.modular.spec import Spec

from .schedule.passes import formula_of, pass_of
from .schedule.types import ARRAYS, Bits, Blocks, Edge, MatrixProduct, Move, Rectangles, Schedule, Step, ThreadLaunch
from .tree import AXIS, BLOCK, COLUMN, LANE, LEG, LOOP, THREAD, PlannedPass, TransformPlan
from .tuning import effects
from .ways import plans

LAYOUTS = {USER: "", ARRAYS: "", LANES: "words by lane"}
"""Descriptions of layouts, if they differ from their names."""
SINGLE = ThreadLaunch, MatrixProduct
"""The nests of which each step is a pass."""
Words = Callable[[int, Sequence[Step]], int]
"""A function of the number of a nest and of its steps that returns the number of words of their tables."""


class _Group(NamedTuple):
    """Consecutive steps that are one pass.

    Attributes:
        bits: The number of index bits.
        nest: Their nest, or None.
        number: The number of the nest, or of the pass without a nest.
        steps: The steps.
        edges: The edges before, between and after the steps.
    """

    bits: int
    nest: ThreadLaunch | Rectangles | Blocks | MatrixProduct | None
    number: int
    steps: Sequence[Step | Move]
    edges: Sequence[Edge]

    @property
    def computing(self) -> list[Step]:
        """The steps that compute."""
        return [step for step in self.steps if isinstance(step, Step)]

    @property
    def operands(self) -> set[int]:
        """The index bits of the operands of all steps."""
        return {bit for step in self.computing for bit in step.operands}

    @property
    def lanes(self) -> set[int]:
        """The index bits of the lanes of all steps."""
        return {bit for step in self.computing for bit in step.lanes}

    @property
    def numbers(self) -> Bits:
        """The index bits on which the twiddles of the steps depend."""
        return tuple(bit for step in self.computing for bit in step.table.bits)


def plan_of(spec: Spec) -> TransformPlan:
    """Return the description of the plan of a transform.

    Args:
        spec: The specification of a transform of one size, not of all sizes up to n.
    """
    plan = plans(spec).first
    one = formula_of(replace(plan.breakdown, columns=1))
    formula = str(Tensor(one, I(spec.columns)) if spec.columns > 1 else one)
    passes = described(plan.schedule, plan.words_of_tables, plan.inner_words)
    why = [plan.why, *([] if spec.options.schedule else effects(spec))]
    return TransformPlan(spec.n, formula, plan.held, spec.arith.word, passes, why, spec.rows, spec.columns)


def described(schedule: Schedule, words: Words, inner_words: int) -> list[PlannedPass]:
    """Return the passes of a schedule in the order of execution.

    Args:
        schedule: The schedule.
        words: A function that returns the number of words of the tables of steps.
        inner_words: The number of words of a value in a tile.
    """
    last = len(schedule.nests) - 1 if schedule.breakdown.inverse else 0
    return [_described(each, abs(last - each.number), words, inner_words) for each in _groups(schedule)]


def _groups(schedule: Schedule) -> Iterator[_Group]:
    """Yield the groups of steps in the order of execution.

    Only an inverse transform in natural order has a move before its nests.
    """
    nests, own, first, bits = schedule.nests, schedule.breakdown, 0, len(schedule.edges[0].order)
    outside = [(None, number, 1) for number in range(len(schedule.steps) - sum(nest.steps for nest in nests))]
    inside = [
        (nest, number, 1 if isinstance(nest, SINGLE) else nest.steps)
        for number, nest in enumerate(nests) for _ in range(nest.steps if isinstance(nest, SINGLE) else 1)
    ]  # fmt: skip
    for nest, number, count in [*outside, *inside] if own.natural and own.inverse else [*inside, *outside]:
        last = first + count
        yield _Group(bits, nest, number, schedule.steps[first:last], schedule.edges[first : last + 1])
        first = last


def _described(of: _Group, depth: int, words: Words, inner_words: int) -> PlannedPass:
    """Return the description of a group of steps.

    Args:
        of: The group.
        depth: The number of nests within which it runs, if it is a nest of blocks.
        words: A function that returns the number of words of the tables of steps.
        inner_words: The number of words of a value in a tile.
    """
    reads, writes, steps = _memory(of.edges[0]), _memory(of.edges[-1]), of.computing
    if not steps:
        return PlannedPass("", reads, writes, note="reorders")
    levels, entries = [len(step.operands) for step in steps if step.operands], sum(step.entries for step in steps)
    deep, tile = isinstance(of.nest, Blocks), steps[0].columns.lanes * inner_words << len(of.operands | of.lanes)
    return PlannedPass(
        _bits(of), reads, writes, levels, entries, words(of.number, steps), tile * deep, depth * deep, _note(of)
    )  # fmt: skip


def _bits(of: _Group) -> str:
    """Return the place of each index bit and of each bit of a column's number, the highest bit first.

    Without threads and arrays, the iterations of a loop are blocks if they have separate twiddles.
    """
    loop, blocks, order = LOOP, of.numbers, tuple(range(of.bits))
    if of.edges[0].layout == ARRAYS:
        loop, blocks, order = AXIS, (), of.edges[0].order
    elif isinstance(of.nest, ThreadLaunch):
        loop, blocks = THREAD, of.nest.blocks
    places = dict.fromkeys(order, loop) | dict.fromkeys(blocks, BLOCK)
    places |= dict.fromkeys(of.lanes, LANE) | dict.fromkeys(of.operands, LEG)
    columns = of.computing[0].columns
    vectors = COLUMN * (-(-columns.row // columns.lanes) - 1).bit_length()
    return "".join(places[bit] for bit in reversed(order)) + vectors + LANE * (columns.lanes.bit_length() - 1)


def _memory(edge: Edge) -> str:
    """Return the memory of an edge, and its layout if that is not the user's."""
    layout = LAYOUTS.get(edge.layout, edge.layout)
    return layout if layout.startswith(edge.memory) else ", ".join(filter(None, (edge.memory, layout)))


def _note(of: _Group) -> str:
    """Return remarks on a group of steps that compute."""
    moves, count = len(of.steps) - len(of.computing), 1 << len(of.operands - {*of.computing[0].lanes})
    if isinstance(of.nest, Rectangles):
        return f"moves bits of lanes {moves} time{'s' * (moves > 1)}" * (moves > 0)
    if isinstance(of.nest, Blocks):
        several = f", {of.nest.together} of them together" * (of.nest.together > 1)
        return f"tiles of {count} vectors{several}{', transposed' * bool(of.operands & of.lanes)}"
    (step,), (source, goal) = of.computing, of.edges
    if isinstance(of.nest, MatrixProduct) and not step.operands:
        return "twiddles"
    if isinstance(of.nest, MatrixProduct):
        return f"matrix of {step.radix} × {step.radix}{f', blocks of {of.nest.lanes} columns' * (of.nest.lanes > 0)}"
    rest, permutes = step.columns.rest, bool(step.lanes) and pass_of(step, source, goal).networks > 0
    return ", ".join(["permutes lanes"] * permutes + ([f"{rest.count} columns one by one"] if rest else []))
