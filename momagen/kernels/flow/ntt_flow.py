"""The passes over memory of a number theoretic transform, for any data flow."""

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
    """One pass: a loop nest with its codelet.

    Attributes:
        codelet: The codelet.
        entry: The number of words of a table entry.
        load: The layout of memory that it reads.
        store: The layout of memory that it writes.
    """

    codelet: Codelet
    entry: int
    load: str = LANES
    store: str = LANES

    @property
    def twiddles(self) -> int:
        """The number of table entries of a butterfly, with lanes counted once.

        Twiddle 0 is included only if it is a factor of all inputs.
        """
        return self.radix * (2 if self.weights else 1) - (not self.scaled)

    def parts(self) -> list[tuple[int, Pass]]:
        """Return the pass, and a pass over the columns that do not fill its vectors, each with its first column."""
        columns = self.columns
        return [(0, self), *([(columns.taken, replace(self, columns=columns.rest))] if columns.rest else [])]

    def entries(self) -> int:
        """Return the number of table entries of the whole pass, with lanes counted one by one."""
        groups = len(self.table_bits) - (self.table_lanes.bit_length() - 1)
        return (self.twiddles << groups) * self.table_lanes


@dataclass(frozen=True)
class Flow:
    """The passes of one transform, or of a transform of every column, in the order of execution.

    Attributes:
        n: The number of points.
        inverse: Whether the transform is an inverse one.
        steps: The passes.
    """

    n: int
    inverse: bool
    steps: tuple[Pass | Move, ...]

    def targets(self) -> list[str]:
        """Return the buffer that each pass writes: "y" for the result or "t" for the scratch buffer.

        The last pass writes y. A pass reads the buffer that it writes only if it works in place.
        """
        names = ["y"]
        for step in reversed(self.steps[1:]):
            names.append(names[-1] if step.in_place else "ty"[names[-1] == "t"])
        return names[::-1]

    def notes(self) -> list[str]:
        """Return remarks for the report about mixed radices and passes that only move values."""
        radices = [step.radix for step in self.steps if isinstance(step, Pass)]
        moves = len(self.steps) - len(radices)
        mixed = f"n = {self.n} is not a power of {max(radices)}: mixed radices {' · '.join(map(str, radices))}"
        moved = f"{moves} pass{'es' * (moves > 1)} over the data that only reorder{'s' * (moves == 1)} it"
        return [mixed] * (len(set(radices)) > 1) + [moved] * (moves > 0)

    @property
    def scratch(self) -> bool:
        """Whether passes use a scratch buffer."""
        return "t" in self.targets()

    @property
    def copied(self) -> bool:
        """Whether x must be copied first if the result overwrites it."""
        return self.targets()[0] == "y" and not self.steps[0].in_place


def flow(
    arith: Arith, formula: Formula, *, lanes: int = 1, m_in: int = 1, m_out: int = 1, points: str = USER,
    columns: int = 1,
) -> Flow:  # fmt: skip
    """Return the passes of an expanded formula on vectors.

    The range of a codelet's inputs is the range of the previous pass's results. Vectors contain neighbouring
    columns if the columns fill a vector; otherwise the number of columns is a power of two, and the columns
    are the lowest index bits of vectors.

    Args:
        arith: The representation of residues.
        formula: The expanded formula.
        lanes: The number of lanes of a vector.
        m_in: The inputs are below m_in·q.
        m_out: The results are below m_out·q.
        points: The layout of the points in memory, for products between transforms.
        columns: The number of columns.
    """
    low, beside = (columns, ONE) if columns < lanes else (1, Columns(columns, lanes, columns // lanes))
    kernels, gaps = fold(Tensor(formula, I(low)))
    lanes, row, inverse = lanes // beside.lanes, low.bit_length() - 1, kernels[0].core.inverse
    steps = route(butterflies(kernels, gaps), gaps, lambda one: cost(one, lanes))
    inner = [USER if Move in map(type, pair) else LANES for pair in pairwise(steps)]
    sides = [points if inverse else USER, *inner, USER if inverse else points]
    passes, m, last = list[Pass | Move](), m_in, max(at for at, step in enumerate(steps) if not isinstance(step, Move))
    for at, step in enumerate(steps):
        if isinstance(step, Move):  # a move of whole rows, whose bits stay
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
"""The function :func:`codelet` with a cache. Passes with equal arguments get the same object and share its
lowered code."""

WIDE = 12
"""The number of words from which on one codelet serves all ranges. It is then long, and the cost of a
conditional subtraction is small in comparison."""


def range_class(arith: Arith, m: int, radix: int, inverse_: bool) -> int:
    """Return the range for which a codelet is generated if its inputs are below m·q.

    There are few classes, so that stages share code. In the class ``easy``, none of the log2 radix levels
    needs a conditional subtraction; the other class is any range that the words hold.

    Args:
        arith: The representation of residues.
        m: The inputs are below m·q.
        radix: The radix of the codelet.
        inverse_: Whether the butterflies are Gentleman–Sande ones.
    """
    levels = radix.bit_length() - 1
    if arith.kind in CLOSED:
        return m
    most = arith.room if inverse_ else max(m, arith.reach)
    easy = most >> levels if inverse_ else most - arith.grown * levels
    return easy if m <= easy and arith.words < WIDE else most
