"""The tables of register-blocked transforms: for each block of a pass the tables of its steps."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.errors import build_error
from momagen.kernels.residues.single_digit import HALF, LANE
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.lower.setup.blocks import of_blocks
from momagen.lower.setup.derived import Held
from momagen.lower.setup.entries import Entry, TransformConstants
from momagen.lower.setup.exponents import REMEDY, grown, nodes_of
from momagen.lower.setup.tables import TablesWriter, TwiddleTable
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.depth_first.one_limb import StepTransform


def write_tables(writer: ProgramWriter, plan: StepTransform) -> None:
    """Write the function put_tables of a transform."""
    inverse = plan.breakdown.inverse
    TablesWriter(writer, _constants(plan), plan.breakdown, inverse, inverse, zeroth=plan.kept.zeroth).write(
        of_blocks(_tables(plan), plan.breakdown, plan.table_words)
    )


def _constants(plan: StepTransform) -> TransformConstants:
    """Return the constants of a transform; the representation of residues determines the columns of its entries."""
    arith, digit, kept = plan.arith, plan.digit, dict[str, Held]()
    inner = plan.inner
    if isinstance(inner, OneDouble):
        entry = Entry((Held("balanced", 1, arith.word, unit=0), Held("near", 1, LANE, LANE, unit=-LANE)))
        kept["q"] = Held("modulus", 1, inner.word, unit=0)
        kept["mu"] = Held("over", 1, inner.word, inner.cut + inner.word, unit=inner.unit("mu", 0))
        return TransformConstants(arith, entry, entry, digit, kept)
    if isinstance(inner, OneSigned):
        entry = Entry((Held("halves", 1, LANE), Held("nearest", 1, LANE)), 2, 0)
        return TransformConstants(arith, entry, entry, digit, {"qh": Held("high_half", 1, LANE)})
    ring = plan.inner.ring
    found = {
        "v": Held("", 1, arith.word), "u": Held("over" if ring else "ratio", 1, digit, digit * ring),
        "f": Held("over", 1, digit, digit),
        "e": Held("over", 1, digit, HALF + digit), "g": Held("over", 1, HALF, HALF),
    }  # fmt: skip
    if plan.longer:
        held = plan.value_words, arith.word
        entry = Entry((Held("", *held, beside=True), Held("over", *held, digit, beside=True)))
        kept |= {"q": Held("modulus", *held), "mu": Held("over", *held, digit)}
        return TransformConstants(arith, entry, entry, digit, kept)
    if ring:
        kept["mu"] = Held("over", 1, digit, digit)
    elif not plan.inner.split:
        kept["qi"] = Held("inverse", 1, digit)
    last, copies = [each for row in plan.chain for each in row][-1], plan.target.copies
    shared, apart = (
        Entry(tuple(found[letter] for letter in letters for _ in range(times)), int(not (plan.inner.split or ring)))
        for letters, times in ((plan.inner.letters(True), copies), (last.letters, last.copies))
    )
    return TransformConstants(arith, shared, apart, digit, kept)


def _tables(plan: StepTransform) -> Iterator[TwiddleTable]:
    """Yield the tables in memory order.

    The exponents of the twiddles are those of the schedule. If a step is scaled, the nodes of its last level
    contain the factor 1/n. All other nodes occur a second time after them, with this factor.

    Raises:
        MomagenError: The twiddles of a step are not the nodes of a tree.
    """
    steps = iter(plan.schedule.computing[:: -1 if plan.breakdown.inverse else 1])
    for one, row, offset in zip(plan.tiles.passes, plan.chain, plan.offsets, strict=False):
        for placed in (placed for placed in row if placed.levels):
            levels, last = range(placed.levels * placed.scaled), placed.levels - 1
            scaled = [(1 << level) - 1 + (placed.radix - 1) * (level < last) for level in levels]
            nodes = nodes_of(next(steps), plan.breakdown)
            if min(nodes) < 0:
                raise build_error("the twiddles of a step are not the nodes of a tree", "formula", REMEDY)
            lanes, loops = plan.lanes if placed.across else 1, [(one.blocks, row[-1].end)]
            loops.append((placed.blocks, placed.words))
            if placed.across:
                loops = [loops[0], *[(placed.across.copies, placed.words * lanes)] * (placed.across.copies > 1)]
            at, node, between = offset + placed.begin, {"node": grown(nodes)}, plan.value_words
            yield TwiddleTable(at, placed.levels, node, loops, 1, lanes, scaled=scaled, between=between)
