"""Transforms on words that several threads execute together, phase by phase.

In each phase every pass is divided among the threads along one of its loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from momagen.kernels.residues.arith import Arith
from momagen.lower.names import PART, PARTS, PHASE, TABLES, C, T, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.passes import Pass, needs_scratch, passes_of
from momagen.plan.schedule.types import Move, Schedule
from momagen.program import Call, Expr, Function, Type, number
from momagen.program.expressions import binary, choice

from .passes import Places, write_pass

FEW = 64
"""The number of iterations of the outermost loop from which on the parts of a pass have similar sizes for any
number of threads."""


@dataclass
class PhaseOfPasses:
    """Passes that a thread can execute without waiting for other threads in between.

    Attributes:
        blocks: The number of blocks into which each pass divides the vector, or 0 if the phase has one pass.
            A thread only reads what it wrote itself in the previous pass of the phase.
        passes: The indices of the passes.
    """

    blocks: int
    passes: list[int] = field(default_factory=list)


def blocks_of(step: Pass | Move, elements: int) -> int:
    """Return the number of iterations of the outermost loop if they are many and each works on its own block.

    The result is 0 if an iteration reads or writes elements outside one contiguous block, or if there are
    fewer than ``FEW`` iterations.
    """
    if isinstance(step, Move) or len(step.parts()) > 1:
        return 0
    outer = step.loops[0]
    return outer.count if outer.x == outer.y == elements // outer.count and outer.count >= FEW else 0


def phases_of(schedule: Schedule) -> list[PhaseOfPasses]:
    """Return the phases of a transform."""
    found = list[PhaseOfPasses]()
    for at, step in enumerate(passes_of(schedule)):
        blocks = blocks_of(step, schedule.elements)
        if not (blocks and found and found[-1].blocks):
            found.append(PhaseOfPasses(blocks))
        found[-1].blocks = min(found[-1].blocks, blocks)
        found[-1].passes.append(at)
    return found


class PartsWriter:
    """A writer of the function run(y, x, c, tables, t, phase, part, parts).

    The function has no argument t if it needs no scratch memory.

    Attributes:
        writer: The writer of the program.
        schedule: The steps of the transform.
        arith: The representation of residues.
        copied: Whether operands must be copied before a transform in place.
        moves: The function that builds the call of a pass without arithmetic. Its arguments are the caller,
            the index of the pass, the result, the source, and the schedule.
        phases: The phases of the transform.
        f: The function that is written.
    """

    def __init__(
        self, writer: ProgramWriter, schedule: Schedule, arith: Arith, copied: bool,
        moves: Callable[[Function, int, Expr, Expr, Schedule], Call],
    ) -> None:  # fmt: skip
        self.writer, self.schedule, self.arith, self.copied, self.moves = writer, schedule, arith, copied, moves
        self.phases, self.passes = phases_of(schedule), passes_of(schedule)
        scratch = [T] * (needs_scratch(schedule) or copied)
        self.f = Function("run", (Y, X, C, TABLES, *scratch, PHASE, PART, PARTS))

    def write(self, offsets: Sequence[int]) -> int:
        """Write the function and return the number of its phases.

        Args:
            offsets: The offset of the table of each pass, in words.
        """
        f, tables = self.f, iter(offsets)
        f.doc = (
            "Computes part `part` of `parts` of a phase of the transform. All parts of the phases before it must be"
            " complete."
        )
        source: Expr = X
        if self.copied:
            self._copy()
            source = f.let("source", choice(binary("==", X, Y), T, X), Type.INPUT)
        for number_of, phase in enumerate(self.phases, int(self.copied)):
            with f.if_(binary("==", PHASE, number_of)):
                for at in phase.passes:
                    source = self._pass(at, source, tables, phase.blocks)
        self.writer.put(f)
        return len(self.phases) + self.copied

    def _copy(self) -> None:
        """Write the first phase, which copies the operand if the transform is in place."""
        f, words = self.f, self.writer.arith.words
        with f.if_(binary("==", PHASE, 0)), f.if_(binary("==", X, Y)):
            first, count = _share(self.schedule.elements)
            f.copy(T + first * words, X + first * words, count * words)

    def _pass(self, at: int, source: Expr, tables: Iterator[int], blocks: int) -> Expr:
        """Write the execution of a part of pass ``at``, and return the array that the pass writes.

        Args:
            at: The index of the pass.
            source: The array that the pass reads.
            tables: The offsets of the tables of this pass and of the following ones.
            blocks: The number of blocks into which the phase divides the vector, or 0.
        """
        f, step, goal = self.f, self.passes[at], {"y": Y, "t": T}[self.schedule.edges[at + 1].memory]
        if isinstance(step, Move):
            with f.if_(binary("==", PART, 0)):
                f.do(self.moves(f, at, goal, source, self.schedule))
            return goal
        table = TABLES + next(tables)
        for first, some in step.parts():
            own = first * self.writer.arith.words
            self._cut(some, blocks, Places(source + own, goal + own, number(0), number(0), table))
        return goal

    def _cut(self, some: Pass, blocks: int, at: Places) -> None:
        """Write the call for a part of a pass.

        The pass is divided along its longest loop or, in a phase with several blocks, along the outermost
        loop.
        """
        words, entry = self.writer.arith.words, some.own.twiddles * self.arith.twiddle_words * some.table_lanes
        k = 0 if blocks else max(range(len(some.loops)), key=lambda k: some.loops[k].count)
        loop = some.loops[k]
        first, count = _share(blocks or loop.count, loop.count // (blocks or loop.count))
        called, strides = write_pass(self.writer, some, self.arith, k)
        given = [count if name == f"n{k}" else stride for name, stride in strides.items()]
        x, y, table = first * (loop.x * words), first * (loop.y * words), first * (loop.table * entry)
        self.f.do(self.writer.call(called, at.y + y, at.x + x, C, at.tables + table, *given))


def _share(count: int, each: int = 1) -> tuple[Expr, Expr]:
    """Return the first item of a part and the number of its items, for ``count`` groups of ``each`` items."""
    first, limit = PART * count // PARTS, (PART + 1) * count // PARTS
    return first * each, (limit - first) * each
