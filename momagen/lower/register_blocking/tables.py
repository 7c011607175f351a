"""The tables of transforms in steps: under every block of a pass those of its steps, and what entries hold."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.kernels.residues.single_digit import HALF
from momagen.lower.setup.derived import Held
from momagen.lower.setup.entries import Entry, TransformConstants
from momagen.lower.setup.tables import TablesWriter, TwiddleTable
from momagen.lower.writer import ProgramWriter
from momagen.plan.step_plan import ZEROTH, StepPlan, starts
from momagen.plan.steps import Placed


def write_tables(writer: ProgramWriter, plan: StepPlan) -> None:
    """The function put_tables of ``plan``."""
    inverse = plan.spec.inverse
    TablesWriter(writer, _constants(plan), plan, inverse, inverse, zeroth=ZEROTH).write(list(_tables(plan)))


def _constants(plan: StepPlan) -> TransformConstants:
    """Entries by the letters of their names; what a plan keeps stands before :data:`ZEROTH`."""
    arith, digit, kept = plan.spec.arith, plan.digit, dict[str, Held]()
    found = {
        "v": Held("", 1, arith.word), "u": Held("ratio", 1, digit), "f": Held("over", 1, digit, digit),
        "e": Held("over", 1, digit, HALF + digit), "g": Held("over", 1, HALF, HALF),
    }  # fmt: skip
    if not plan.whole:
        kept["qi"] = Held("inverse", 1, digit)
    shared, apart = (
        Entry(tuple(found[letter] for letter in letters), int(not plan.whole))
        for letters in (plan.inner.letters(True), plan.chain.rows[-1].letters)
    )
    return TransformConstants(arith, shared, apart, digit, kept)


def _tables(plan: StepPlan) -> Iterator[TwiddleTable]:
    """In the order of memory."""
    rows, (first, second) = plan.tiles.rows, plan.chain.rows
    for one, row, offset in zip(plan.tiles.columns, plan.chain.columns, plan.offsets, strict=False):
        *begins, size = starts(row)
        for placed, begin in zip(row, begins, strict=True):
            yield _table(plan, placed, offset + begin, one.depth, one.blocks, size)
    yield _table(plan, first, plan.offsets[-1], rows.depth, rows.blocks, plan.row_words)
    yield _table(plan, second, plan.offsets[-1] + plan.shared, rows.depth, rows.blocks, plan.row_words)


def _table(plan: StepPlan, placed: Placed, at: int, depth: int, blocks: int, size: int) -> TwiddleTable:
    """Of one step under ``blocks`` nodes. Where it is scaled, the nodes of its last level bring 1/n in their place, all
    others once more behind them."""
    node, last = plan.spec.negacyclic << depth + placed.depth, placed.levels - 1
    loops = [(blocks, size), (placed.blocks, placed.words(1))]
    scaled = [(1 << level) - 1 + (placed.radix - 1) * (level < last) for level in range(placed.levels) if placed.scaled]
    lanes = plan.lanes if placed.apart else 1
    return TwiddleTable(at, placed.levels, {"node": (node, 1)}, loops[: 2 - placed.apart], 1, lanes, scaled=scaled)
