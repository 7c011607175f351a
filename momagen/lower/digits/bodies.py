"""The codelets of a transform in tiles with their loads and stores: statements for the loops around them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.flow.permutation_network import Wanted, move
from momagen.lower.body.movement import Body, Grid, Move, bare_body, moved_body
from momagen.lower.body.radix import to_words
from momagen.lower.names import C, X, Y
from momagen.program import Expr, Load, Name, Run, Statement, Store
from momagen.rewrite import unmasked

from .constants import places
from .writer import TileWriter

TW = Name("tw", X.type)
Statements = list[Statement]


def constants(writer: TileWriter, body: Body, *made: Block) -> Statements:
    """q, µ and others of which ``body``, and what is ``made`` before it, read something."""
    read, offsets = _read(body.block, *made), places(writer)
    names = [name for name in sorted(body.others) if name not in "vu"]
    return [Load(name, _those(body.others[name], read), C, offsets[name], 1, True) for name in names]


def twiddle(writer: TileWriter, body: Body, table: Name, shared: bool, *made: Block) -> Statements:
    """The twiddle at ``table``, of which ``body``, and what is ``made`` before it, read something; one for all lanes
    where it is ``shared``."""
    read, step = _read(body.block, *made), 1 if shared else writer.target.lanes
    offsets = {"u": writer.inner.quotient_at * step, "v": 0}
    return [
        Load(f"{name}{table.text[2:]}", _those(body.others[name], read), table, offset, step, shared)
        for name, offset in offsets.items() if name in body.others
    ]  # fmt: skip


def _read(*blocks: Block) -> set[int]:
    return {id(a) for block in blocks for instr in block.instrs for a in instr.args}


def _those(values: list[Value], read: set[int]) -> list[Value]:
    return [v if id(v) in read else const(0) for v in values]


def run(block: Block) -> Statements:
    """``block``, where it does anything."""
    return [Run(block)] if block.instrs else []


@dataclass(frozen=True)
class Ends:
    """What takes vectors from one form to another; with several ``legs``, and the levels between them."""

    writer: TileWriter
    body: Body
    legs: int

    def constants(self) -> Statements:
        """What comes before the loop."""
        return constants(self.writer, self.body)

    def twiddle(self) -> Statements:
        """The twiddle of these levels."""
        return twiddle(self.writer, self.body, TW, True)

    def at(self, x_leg: Expr, y_leg: Expr) -> Statements:
        """From x to y, where several legs are ``x_leg`` and ``y_leg`` words apart."""
        body, lanes, names = self.body, self.writer.target.lanes, _numbered(self.legs)
        loads = enumerate(zip(names, body.loads, strict=True))
        found: Statements = [Load(f"x{i}", row, X + x_leg * at, 0, lanes) for at, (i, row) in loads]
        return [*found, *run(body.block), *(Store(row, Y + y_leg * at, 0, lanes) for at, row in enumerate(body.stores))]


def begin(writer: TileWriter, lowered: Block, user: Wanted | None, legs: int = 1) -> Ends:
    """Words, laid out as ``user`` says, to lifted digits; several ``legs`` to their first levels."""

    def arrive(b: Builder, grid: Grid) -> Grid:
        rows = [move(b, row, user) for row in grid] if user and len(user) > 1 else grid
        return [writer.arrived(b, row) for row in rows]

    return _ends(writer, lowered, arrive, None, writer.arith.words, legs)


def end(writer: TileWriter, lowered: Block, user: Wanted | None, legs: int = 1) -> Ends:
    """Digits to reduced words, laid out as ``user`` says. Of several ``legs`` digits are 2^over times what comes
    out."""
    target, count, a = writer.target, writer.arith.words, writer.inner

    def leave(b: Builder, grid: Grid) -> Grid:
        rows = [to_words(b, row, target.word, a.word, count, a.over if legs > 1 else 0) for row in grid]
        return [move(b, row, user) for row in rows] if user and len(user) > 1 else rows

    return _ends(writer, lowered, None, leave, a.words, legs)


def between(writer: TileWriter, lowered: Block) -> Ends:
    """Digits to digits."""
    return _ends(writer, lowered, None, None, writer.inner.words, 1)


def _ends(writer: TileWriter, lowered: Block, arrive: Move | None, leave: Move | None, count: int, legs: int) -> Ends:
    """``lowered`` on ``count`` registers a leg, with what is done to them before and after."""
    a, target, names = writer.inner, writer.target, _numbered(legs)
    bare = bare_body(lowered, [f"x{i}" for i in names], [f"X{i}" for i in names], a.words, a.word)
    body = moved_body(bare, target.word, arrive, leave, count, target.ops.__contains__)
    return Ends(writer, replace(body, block=unmasked(body.block, a.word)), legs)


def _numbered(legs: int) -> list[str]:
    """The numbers of several legs; one has none."""
    return [str(i) for i in range(legs)] if legs > 1 else [""]
