"""A number theoretic transform by any data flow, as passes over memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from momagen.formula.atoms import I
from momagen.formula.expression import Formula, Tensor
from momagen.kernels.butterflies.codelets import CLOSED, Codelet, codelet
from momagen.kernels.residues.arith import Arith

from .columns import ONE, Columns
from .data_flow import Move, butterflies, fold, route
from .layouts import LANES, USER
from .loop_nest import LoopNest, cost, shape_of


@dataclass(frozen=True, kw_only=True)
class Pass(LoopNest):
    """One pass: loops with their codelet, the words of a table entry, and the layouts of memory that it reads and
    writes."""

    codelet: Codelet
    entry: int
    load: str = LANES
    store: str = LANES

    @property
    def twiddles(self) -> int:
        """Table entries per butterfly, lanes counted once; twiddle 0 only where it carries a factor of all legs."""
        return self.radix * (2 if self.weights else 1) - (not self.scaled)

    def parts(self) -> list[tuple[int, Pass]]:
        """The pass, and one over the columns that its vectors leave over, each behind its first column."""
        columns = self.columns
        return [(0, self), *([(columns.taken, replace(self, columns=columns.rest))] if columns.rest else [])]

    def entries(self) -> int:
        """Table entries of the whole pass, lanes counted one by one."""
        groups = len(self.table_bits) - (self.table_lanes.bit_length() - 1)
        return (self.twiddles << groups) * self.table_lanes


@dataclass(frozen=True)
class Flow:
    """The passes of one transform, or of every column, first one first."""

    n: int
    inverse: bool
    steps: tuple[Pass | Move, ...]

    def targets(self) -> list[str]:
        """The buffer that every pass writes, "y" or the scratch "t": the last writes y, and a pass reads the buffer it
        writes only where it works in place."""
        names = ["y"]
        for step in reversed(self.steps[1:]):
            names.append(names[-1] if step.in_place else "ty"[names[-1] == "t"])
        return names[::-1]

    def notes(self) -> list[str]:
        """Notes for the reader: mixed radices, and passes that only move."""
        radices = [step.radix for step in self.steps if isinstance(step, Pass)]
        moves = len(self.steps) - len(radices)
        mixed = f"n = {self.n} is not a power of {max(radices)}: mixed radices {' · '.join(map(str, radices))}"
        moved = f"{moves} pass{'es' * (moves > 1)} over the data that only reorder{'s' * (moves == 1)} it"
        return [mixed] * (len(set(radices)) > 1) + [moved] * (moves > 0)

    @property
    def scratch(self) -> bool:
        """Whether passes go through a scratch buffer."""
        return "t" in self.targets()

    @property
    def copied(self) -> bool:
        """Whether x must be copied away first where it is y."""
        return self.targets()[0] == "y" and not self.steps[0].in_place


def flow(
    arith: Arith, formula: Formula, *, lanes: int = 1, m_in: int = 1, m_out: int = 1, points: str = USER,
    columns: int = 1,
) -> Flow:  # fmt: skip
    """The passes of an expanded ``formula`` on vectors of ``lanes``, from values below m_in·q to values below m_out·q.

    Vectors run along ``columns`` that fill one; fewer, a power of two, are the lowest index bits of vectors. Codelets'
    lazy ranges follow one another.

    Args:
        points: the layout of memory on the side of the points, for products between transforms.
    """
    low, beside = (columns, ONE) if columns < lanes else (1, Columns(columns, lanes, columns // lanes))
    kernels, gaps = fold(Tensor(formula, I(low)))
    lanes, row, inverse = lanes // beside.lanes, low.bit_length() - 1, kernels[0].core.inverse
    steps = route(butterflies(kernels, gaps), gaps, lambda one: cost(one, lanes))
    inner = [USER if Move in map(type, pair) else LANES for pair in pairwise(steps)]
    sides = [points if inverse else USER, *inner, USER if inverse else points]
    passes, m, last = list[Pass | Move](), m_in, max(at for at, step in enumerate(steps) if not isinstance(step, Move))
    for at, step in enumerate(steps):
        if isinstance(step, Move):  # of whole rows: their bits stay
            passes.append(Move(tuple(bit - row for bit in step.order[row:])))
            continue
        nest = shape_of(step, lanes)
        assert nest is not None, "route takes what shape_of bears"
        reach = range_class(arith, m, nest.radix, nest.late)
        most, weighted = (at == last) * m_out, bool(nest.weights)
        made = shared_codelet(arith, nest.radix, reach, most, nest.scaled, weighted, back=nest.late)
        m = made.out[1]
        entry, load, store = arith.twiddle_words, sides[at], sides[at + 1]
        passes.append(
            Pass(step, nest.lane_bits, nest.outer, beside, codelet=made, entry=entry, load=load, store=store)
        )
    return Flow(formula.size, inverse, tuple(passes))


shared_codelet = lru_cache(maxsize=256)(codelet)
"""A codelet, the same object where the same is asked for: passes share what is lowered of it."""

WIDE = 12
"""Words from which one codelet serves all ranges: it is long, and a conditional subtraction costs little beside it."""


def range_class(arith: Arith, m: int, radix: int, inverse_: bool) -> int:
    """The range that a codelet is made for when its inputs are below m·q: few classes, so that stages share code.

    Either none of its log2 radix levels needs a conditional subtraction (``easy``), or any range the words hold.
    """
    levels = radix.bit_length() - 1
    if arith.kind in CLOSED:
        return m
    most = arith.room if inverse_ else max(m, arith.reach)
    easy = most >> levels if inverse_ else most - arith.grown * levels
    return easy if m <= easy and arith.words < WIDE else most
