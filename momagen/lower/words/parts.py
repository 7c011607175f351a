"""Transforms on words that threads do together: phases, in each of which every pass is cut along one of its loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from momagen.kernels.flow.data_flow import Move
from momagen.kernels.flow.ntt_flow import Flow, Pass
from momagen.lower.names import PART, PARTS, PHASE, TABLES, C, T, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Call, Expr, Function, Type, number
from momagen.program.expressions import binary, choice

from .passes import Places, write_pass

FEW = 64
"""Turns of the outermost loop of a pass from which on parts of them are alike for any number of threads."""


@dataclass
class PhaseOfPasses:
    """Passes by their numbers. ``blocks``: into how many each cuts the vector, so that whatever a thread reads in one
    was written by the same thread in the one before; 0: of a pass alone."""

    blocks: int
    passes: list[int] = field(default_factory=list)


def blocks_of(step: Pass | Move, elements: int) -> int:
    """Turns of the outermost loop, where each reads and writes one block of the vector, and they are many; else 0."""
    if isinstance(step, Move) or len(step.parts()) > 1:
        return 0
    outer = step.loops[0]
    return outer.count if outer.x == outer.y == elements // outer.count and outer.count >= FEW else 0


def phases_of(flow: Flow, elements: int) -> list[PhaseOfPasses]:
    """The phases of a transform."""
    found = list[PhaseOfPasses]()
    for at, step in enumerate(flow.steps):
        blocks = blocks_of(step, elements)
        if not (blocks and found and found[-1].blocks):
            found.append(PhaseOfPasses(blocks))
        found[-1].blocks = min(found[-1].blocks, blocks)
        found[-1].passes.append(at)
    return found


class PartsWriter:
    """Writes the function run(y, x, c, tables, t where there is one, phase, part, parts).

    Args:
        copied: whether operands must be copied away where the result would overwrite them.
        moves: makes the call of a pass that only moves elements, of its number, the result, the source and itself.
    """

    def __init__(
        self, writer: ProgramWriter, flow: Flow, copied: bool, moves: Callable[[Function, int, Expr, Expr, Move], Call]
    ) -> None:
        self.writer, self.flow, self.copied, self.moves = writer, flow, copied, moves
        self.phases = phases_of(flow, writer.spec.elements)
        self.f = Function("run", (Y, X, C, TABLES, *[T] * (flow.scratch or copied), PHASE, PART, PARTS))

    def write(self, offsets: Sequence[int]) -> int:
        """The function, and how many phases it has; ``offsets``: where the table of every pass begins."""
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
        """The first phase."""
        f, words = self.f, self.writer.arith.words
        with f.if_(binary("==", PHASE, 0)), f.if_(binary("==", X, Y)):
            first, count = _share(self.writer.spec.elements)
            f.copy(T + first * words, X + first * words, count * words)

    def _pass(self, at: int, source: Expr, tables: Iterator[int], blocks: int) -> Expr:
        """A part of pass ``at``, in a phase that cuts the vector into so many blocks; where it writes."""
        f, step, goal = self.f, self.flow.steps[at], {"y": Y, "t": T}[self.flow.targets()[at]]
        if isinstance(step, Move):
            with f.if_(binary("==", PART, 0)):
                f.do(self.moves(f, at, goal, source, step))
            return goal
        table = TABLES + next(tables)
        for first, some in step.parts():
            own = first * self.writer.arith.words
            self._cut(some, blocks, Places(source + own, goal + own, number(0), number(0), table))
        return goal

    def _cut(self, some: Pass, blocks: int, at: Places) -> None:
        """The call for a part of a pass: of its longest loop, or of the outermost where a phase has ``blocks``."""
        words, entry = self.writer.arith.words, some.twiddles * some.entry * some.table_lanes
        k = 0 if blocks else max(range(len(some.loops)), key=lambda k: some.loops[k].count)
        loop = some.loops[k]
        first, count = _share(blocks or loop.count, loop.count // (blocks or loop.count))
        called, strides = write_pass(self.writer, some, k)
        given = [count if name == f"n{k}" else stride for name, stride in strides.items()]
        x, y, table = first * (loop.x * words), first * (loop.y * words), first * (loop.table * entry)
        self.f.do(self.writer.call(called, at.y + y, at.x + x, C, at.tables + table, *given))


def _share(count: int, each: int = 1) -> tuple[Expr, Expr]:
    """Of ``count`` things, of ``each`` more, the first of a part, and how many it has."""
    first, limit = PART * count // PARTS, (PART + 1) * count // PARTS
    return first * each, (limit - first) * each
