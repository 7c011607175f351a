"""The steps of a register-blocked transform, with the positions of their constants and with their codelets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.flow.lane_levels import LaneLevels, lane_levels
from momagen.plan.schedule.placed import Placed
from momagen.plan.step_plan import StepPlan

from .codelets import StepChain, step_codelets

ENDS = 2
"""The bound, in multiples of q, that results must have before their conversion to words, which reduces them
once more. That reduction uses all lanes of the words."""
Shape = tuple[int, LaneLevels | None]
"""The number of levels of a step, and its levels across lanes, or None if it is on whole vectors."""


def step_chain(plan: StepPlan, columns: Sequence[Sequence[int]]) -> list[list[Placed]]:
    """Return the steps of each pass over columns, followed by the steps of the rows, from the whole ring down.

    Args:
        plan: The plan of the transform.
        columns: The numbers of levels of the steps of each pass over columns.
    """
    (vectors, across), rows = plan.row_levels, not plan.tiles.row
    shapes: list[list[Shape]] = [[(n, None) for n in levels] for levels in columns]
    lanes = lane_levels(plan.lanes.bit_length() - 1, vectors, across) if rows else []
    ends = [lanes[-1]._replace(levels=0)] * plan.finishes if lanes else []
    shapes.append([*[(vectors, None)] * rows, *((each.levels, each) for each in (*lanes, *ends))])
    pairs, found = plan.whole, list[list[Placed]]()
    steps = [each for row in shapes for each in row]
    codelets = _codelets(plan, [(levels, each is not None, pairs or not each) for levels, each in steps])
    for row in shapes:
        depth, begin, placed = 0, 0, list[Placed]()
        for levels, each in row:
            begin = -(-begin // plan.line) * plan.line if each else begin
            letters, scaled = plan.inner.letters(pairs or not each), plan.spec.inverse and not found and not depth
            copies = plan.value_words if plan.longer else 1 if each else plan.target.copies
            placed.append(Placed(depth, begin, levels, each, letters, copies, scaled, next(codelets)))
            depth, begin = depth + levels, placed[-1].end
        found.append(placed)
    return found


def _codelets(plan: StepPlan, shapes: Sequence[tuple[int, bool, bool]]) -> Iterator[Codelet]:
    """Yield the codelets of steps, from the whole ring down.

    They are generated in the order of the transform, which is the opposite order for an inverse
    transform.

    Args:
        plan: The plan of the transform.
        shapes: For each step, the number of levels, whether constants differ by lane, and whether they
            come with quotients.
    """
    spec, turn = plan.spec, slice(None, None, -1 if plan.spec.inverse else 1)
    last = max(spec.ranges.output, ENDS) if plan.longer else spec.ranges.output
    ones, apart = not spec.splits, plan.lanes * plan.finishes
    chain = StepChain(tuple(shapes[turn]), spec.inverse, spec.ranges.input, last, ones, apart)
    return iter(step_codelets(plan.inner, chain)[turn])
