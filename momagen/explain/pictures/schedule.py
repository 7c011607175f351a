"""The picture of a schedule: a row of squares for each step, whose colours show the place of every index bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from momagen.lazy import on_call
from momagen.plan.schedule.codec import from_json, to_data
from momagen.plan.schedule.types import Edge, Move, Schedule, Step, ThreadLaunch

from .drawing import INK, PicturedNest, PicturedStep, draw

templates: Callable[[], Any] = on_call("momagen.explain.plan_page", "templates")
OPERAND, LANE, LOOP, BLOCK, COLUMN, THREAD = "operand", "lane", "loop", "block", "outer loop", "thread"
PLACES: Mapping[str, tuple[str, str]] = {
    OPERAND: ("#c8502f", "butterfly input"), LANE: ("#1d6fb8", "lane of a vector"), LOOP: ("#8a94a6", "loop"),
    THREAD: ("#3f8f6b", "number of a thread"), COLUMN: ("#b08a2e", "loop around several steps"),
    BLOCK: ("#8a6fc9", "number of a block"),
}  # fmt: skip
"""The colour of each place of an index bit, and its description."""


class ScheduleText(str):
    """A schedule as JSON text, which Jupyter shows as a picture."""

    __slots__ = ()

    def picture(self) -> str:
        """Return the picture as SVG text."""
        return schedule_picture(from_json(self))

    def _repr_svg_(self) -> str:
        return self.picture()


def schedule_picture(schedule: Schedule) -> str:
    """Return the picture of a schedule as SVG text."""
    nests = [*_nests(schedule)]
    used = {place for nest in nests for step in nest.steps for place in step.places}
    own = schedule.breakdown
    title = f"{'inverse ' * own.inverse}transform of {own.n:,} points, residues: {schedule.residues}"
    places = {place: row for place, row in PLACES.items() if place in used}
    picture = draw(title, nests, len(schedule.edges[0].order), places)
    found: str = templates().get_template("html/schedule.svg.j2").render(title=title, picture=picture, ink=INK)
    return found


def _nests(schedule: Schedule) -> Iterator[PicturedNest]:
    """Yield the nests, and the steps outside of them, in the order of execution."""
    own, count = schedule.breakdown, len(schedule.steps)
    first = int(own.natural and own.inverse and len(schedule.nests) > 0)
    ends = [first, *(first + done for done in accumulate(nest.steps for nest in schedule.nests))]
    if first:
        yield PicturedNest("", [_row(schedule, 0, None)])
    for nest, begin, end in zip(schedule.nests, ends, ends[1:], strict=False):
        yield PicturedNest(_title(nest), [_row(schedule, at, nest) for at in range(begin, end)])
    if ends[-1] < count:
        yield PicturedNest("", [_row(schedule, at, None) for at in range(ends[-1], count)])


def _title(nest: Any) -> str:
    """Return the kind of a nest, and its fields that are no lists of index bits."""
    fields = [f"{key.replace('_', ' ')} {value}" for key, value in to_data(nest).items() if not isinstance(value, list)]
    return ", ".join(each for each in fields if not each.startswith("steps"))


def _row(schedule: Schedule, at: int, nest: Any) -> PicturedStep:
    """Return the row of a step in its nest, which is None outside of nests."""
    step, source, goal = schedule.steps[at], schedule.edges[at], schedule.edges[at + 1]
    places = _places(step, nest)
    bits = reversed(range(len(schedule.edges[0].order)))
    read = frozenset(step.table.bits) if isinstance(step, Step) else frozenset[int]()
    return PicturedStep(at, [places.get(bit, "") for bit in bits], read, _work(step), _ends(source, goal))


def _places(step: Step | Move, nest: Any) -> dict[int, str]:
    """Return the place of each index bit in a step."""
    threads = nest.threads.bit_length() - 1 if isinstance(nest, ThreadLaunch) else 0
    places = dict.fromkeys(step.loops, LOOP) | dict.fromkeys(step.loops[:threads], THREAD)
    places |= dict.fromkeys(getattr(nest, "columns", ()), COLUMN) | dict.fromkeys(getattr(nest, "blocks", ()), BLOCK)
    if isinstance(step, Step):
        places |= dict.fromkeys(step.lanes, LANE) | dict.fromkeys(step.operands, OPERAND)
    return places


def _work(step: Step | Move) -> str:
    """Return what a step computes."""
    if isinstance(step, Move):
        return "move or conversion"
    return f"radix {step.radix}, decimation in {step.decimation}, {step.reduction}, {step.entries:,} twiddles"


def _ends(source: Edge, goal: Edge) -> str:
    """Return the memories and layouts that a step reads and writes, and the range of its results."""
    before, after = (f"{edge.memory} ({edge.layout})" for edge in (source, goal))
    least = f"-{goal.least}·q" if goal.least else "0"
    return f"{before} → {after}, {least} to {goal.below}·q"
