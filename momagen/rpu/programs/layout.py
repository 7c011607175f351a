"""The places of operands, results and tables of a program in the vector memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from momagen.errors import MomagenError, build_error
from momagen.ir import Block
from momagen.rewrite import Trace
from momagen.rpu.backend.compile import CompiledCode, MemoryFrame
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.kernel import Powers, PowerTable, RpuKernel
from momagen.rpu.isa.program import Area
from momagen.rpu.isa.table import b512
from momagen.targets import Target

from .blocks import usual_target

TWIDDLES = "twiddles"


@dataclass
class ProgramLayout:
    """Vectors of equal length, one after another, followed by tables.

    Attributes:
        names: The names of the vectors.
        n: The number of points of each tower and each member of the batch.
        towers: The number of moduli.
        batch: The number of transforms for each modulus.
        target: The target that spells the operations.
        tables: The tables.
        places: The first word of each table, by tower and powers.
        holes: The free ranges of words before ``end``.
        traces: The blocks in the code, with their traces, by the ids of the blocks.
        end: The first word after all vectors and tables.

    Raises:
        MomagenError: There are no towers or more towers than modulus registers, the batch is below 1, or the
            vectors exceed the vector memory.
    """

    names: Sequence[str]
    n: int
    towers: int
    batch: int = 1
    target: Target = field(default_factory=usual_target)
    tables: list[PowerTable] = field(default_factory=list)
    places: dict[tuple[int, Powers], int] = field(default_factory=dict)
    holes: list[range] = field(default_factory=list)
    traces: dict[int, tuple[Block, Trace]] = field(default_factory=dict)
    end: int = 0

    def __post_init__(self) -> None:
        most, reach = b512().machine["registers"], 1 << b512().fields["ADDRESS"].bits
        if not 1 <= self.towers <= most:
            raise MomagenError(f"from 1 to {most} moduli", self.towers, "towers")
        if self.batch < 1:
            raise MomagenError("at least 1", self.batch, "batch")
        if self.begin > reach:
            problem = f"the {len(self.names)} vectors take {self.begin} words, and the vector memory has {reach}"
            raise build_error(problem, "program", "use fewer points or moduli, or a smaller batch")
        self.end = self.begin

    @property
    def points(self) -> int:
        """The number of words of a vector."""
        return self.n * self.batch * self.towers

    @property
    def begin(self) -> int:
        """The first word of the tables."""
        return len(self.names) * self.points

    def vector(self, name: str) -> int:
        """Return the first word of a vector."""
        return self.names.index(name) * self.points

    def place(self, tower: int, powers: Powers) -> int:
        """Return the first word of a table, which is a multiple of its number of words.

        Equal tables share their place.
        """
        if (tower, powers) not in self.places:
            begin = self._room(powers.words)
            self.places[tower, powers] = begin
            self.tables.append(PowerTable(tower, begin, powers))
        return self.places[tower, powers]

    def _room(self, count: int) -> int:
        """Return the first multiple of ``count`` in a hole that is large enough, or else after the end."""
        for at, hole in enumerate(self.holes):
            begin = -(-hole.start // count) * count
            if begin + count <= hole.stop:
                parts = range(hole.start, begin), range(begin + count, hole.stop)
                self.holes[at : at + 1] = [part for part in parts if part]
                return begin
        begin = -(-self.end // count) * count
        self.holes += [range(self.end, begin)] * (begin > self.end)
        self.end = begin + count
        return begin

    def traced(self, made: tuple[Block, Trace]) -> Block:
        """Record a block that the code contains with its trace, and return the block."""
        self.traces[id(made[0])] = made  # keep the block alive, so that no other object gets its id
        return made[0]

    def frame(self, *scratch: str) -> MemoryFrame:
        """Return the memory around the code. Nothing reads the vectors in ``scratch`` after it."""
        return MemoryFrame(self.end, [Area(self.vector(name), self.points) for name in scratch])

    def kernel(self, body: CompiledCode, order: int = 0, scalars: Sequence[str] = ()) -> RpuKernel:
        """Return the kernel of the code, preceded by instructions that load moduli and scalars.

        Args:
            body: The code.
            order: The order of the root, or 0.
            scalars: The names of the scalars.
        """
        registers = [("mload", "MT")] * self.towers + [("sload", "RT")] * self.towers * len(scalars)
        begin = [
            instruction(name, {file: at % self.towers if name == "mload" else at - self.towers, "ADDRESS": at})
            for at, (name, file) in enumerate(registers)
        ]
        areas = {name: Area(self.vector(name), self.points) for name in self.names}
        if self.tables:
            areas[TWIDDLES] = Area(self.begin, self.end - self.begin)
        n, areas = self.n if order else 0, areas | body.areas
        return RpuKernel([*begin, *body.instructions], areas, self.towers, tuple(scalars), n, order, self.tables,
                         sum((trace.rules_applied for _, trace in self.traces.values()), Counter[str]()))  # fmt: skip
