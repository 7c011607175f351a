"""The codelets of a transform on digits between loads and stores: statements for the loops around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from momagen.ir import Block, Builder, Instr, Value, const, leaves
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.flow.permutation_network import move
from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.lower.body.movement import Body, Grid, bare_body, moved_body
from momagen.lower.body.radix import to_words
from momagen.lower.names import C, X
from momagen.plan.digit_plan import PAIRED
from momagen.program import Expr, Load, Name, Run, Statement, Store
from momagen.rewrite import unmasked

from .late import late, whole
from .unpacked import unpacked
from .writer import TileWriter

TW = Name("tw", X.type)
Statements = list[Statement]


@dataclass(frozen=True)
class DigitBody:
    """A butterfly or a conversion.

    Attributes:
        made: what it needs of the twiddle, once for all that have the same. shared: lanes have the same.
        apart: what the first result needs comes first, and is stored before the rest is begun.
    """

    writer: TileWriter
    body: Body
    made: Block = field(default_factory=Block)
    shared: bool = True
    apart: bool = False

    @property
    def late(self) -> bool:
        """Whether each word of a twiddle is loaded right before its first use.

        gcc loads what stands in front of a butterfly before it, and then spills most of it.
        """
        return self.writer.plan.again and not self.made.instrs

    def constants(self) -> Statements:
        """q, µ and others of which something is read: what comes before all loops."""
        offsets = self.writer.constants.places
        names = [name for name in sorted(self.body.others) if name not in "vu"]
        return [Load(name, self._read(name), C, offsets[name], 1, True) for name in names]

    def twiddle(self, table: Name = TW) -> Statements:
        """The twiddle at ``table``, of which something is read, and what is made of it; nothing if loads are late."""
        return [] if self.late else [*self._twiddles(table), *_run(self.made)]

    def _twiddles(self, table: Name = TW) -> list[Load]:
        a, step = self.writer.inner, 1 if self.shared else self.writer.target.lanes
        offsets = {"u": a.words ** (1 + a.real) * step, "v": 0}
        return [
            Load(f"{name}{table.text[2:]}", self._read(name), table, offset, step, self.shared)
            for name, offset in offsets.items() if name in self.body.others
        ]  # fmt: skip

    def _read(self, name: str) -> list[Value]:
        """The registers of the input ``name``, zero where nothing reads them."""
        read = {id(a) for block in (self.body.block, self.made) for instr in block.instrs for a in instr.args}
        return [value if id(value) in read else const(0) for value in self.body.others[name]]

    def at(self, names: Sequence[str], legs: Sequence[Expr], goals: Sequence[Expr]) -> Statements:
        """From ``legs``, whose registers are called ``names``, to ``goals``."""
        lanes = self.writer.target.lanes
        loads = [Load(name, row, leg, 0, lanes) for name, row, leg in zip(names, self.body.loads, legs, strict=True)]
        if self.late:
            stores = [Store(row, goal, 0, lanes) for row, goal in zip(self.body.stores, goals, strict=True)]
            if self.writer.inner.real:
                return late([*self._twiddles(), *loads], self.body.block, stores)
            return [*loads, *late(self._twiddles(), self.body.block, []), *stores]
        found: Statements = [*loads]
        first, rest = self._parts() if self.apart else (self.body.block, Block())
        for block, row, goal in zip([first, rest, *[Block()] * len(goals)], self.body.stores, goals, strict=False):
            found += [*_run(block), Store(row, goal, 0, lanes)]
        return found

    def _parts(self) -> tuple[Block, Block]:
        known = {id(value) for value in self.body.stores[0]}
        parts: tuple[list[Instr], list[Instr]] = [], []
        for instr in reversed(self.body.block.instrs):
            late = not known & {id(result) for result in instr.results}
            known |= set() if late else {id(arg) for arg in instr.args}
            parts[late].append(instr)
        first, second = (whole(part[::-1]) for part in parts)
        return first, second

    def other(self, *, turned: bool = False, legs: Grid | None = None, of: DigitBody | None = None) -> DigitBody:
        """The same on registers of its own, or on ``legs``; where it is ``turned``, with a twiddle of its own, or that
        ``of`` another one."""
        body, given = self.body, dict(self.body.others)
        if turned or of:
            given |= {name: of.body.others[name] if of else _fresh(given[name]) for name in "vu" if name in given}
        loads = legs or [_fresh(row) for row in body.loads]
        swap: dict[int, Value] = {}
        for old, new in zip([*body.loads, *body.others.values()], [*loads, *given.values()], strict=True):
            swap |= {id(a): b for a, b in zip(old, new, strict=True)}
        made = _renewed(self.made, swap) if turned else self.made
        block = _renewed(body.block, swap)
        stores = [[swap.get(id(v), v) for v in row] for row in body.stores]
        return replace(self, body=Body(block, loads, stores, given), made=made)


def _fresh(values: list[Value]) -> list[Value]:
    return [v if v.is_const else v.copy() for v in values]


def _renewed(block: Block, swap: dict[int, Value]) -> Block:
    """``block`` on other values, by the id of those it has, with results of its own, which are added to them."""
    instrs = list[Instr]()
    for instr in block.instrs:
        results = tuple(_fresh(list(instr.results)))
        instrs.append(instr.on(tuple([swap.get(id(a), a) for a in instr.args]), results))
        swap.update(zip(map(id, instr.results), results, strict=True))
    outputs = (leaf for value in block.outputs.values() for leaf in leaves(value))
    return Block({}, instrs, {f"{i}": swap.get(id(leaf), leaf) for i, leaf in enumerate(outputs)})


def _run(block: Block) -> Statements:
    """``block``, unless it is empty."""
    return [Run(block)] if block.instrs else []


def butterfly(writer: TileWriter, lowered: Block, shared: bool) -> DigitBody:
    """A butterfly on vectors of digits from x and y to X and Y.

    On the way back few digits of the sum are stored before the product asks for registers; more of them were slower
    than those that wait in memory.
    """
    a, made = writer.inner, Block()
    body = bare_body(lowered, "xy", "XY", a.words, a.word)
    if a.packed and not shared:
        parts = unpacked(body, writer.lowered(packed.quotient(a)), a, Builder(writer.target.ops.__contains__))
        body, made = parts.body, parts.made
    return DigitBody(writer, body, made, shared, apart=writer.spec.inverse and a.words <= PAIRED)


def conversion(writer: TileWriter, block: Block, *, come: bool, go: bool, user: bool) -> DigitBody:
    """``block`` on digits, of one leg or through levels of several.

    Args:
        come: words come, and are made digits with their offset. go: reduced words go; of several legs digits are 2^over
            times what comes out. user: words are laid out as the user has them.
    """
    a, target, count = writer.inner, writer.target, writer.arith.words
    lowered = (writer.reduced if go else writer.lowered)(block)
    places = user_places(count, target.lanes) if user and count > 1 else None
    legs = [name[1:] for name in lowered.outputs]

    def arrive(b: Builder, grid: Grid) -> Grid:
        rows = [move(b, row, places) for row in grid] if places else grid
        return [writer.arrived(b, row) for row in rows]

    def leave(b: Builder, grid: Grid) -> Grid:
        rows = [to_words(b, row, target.word, a.word, count, a.over * (len(grid) > 1)) for row in grid]
        return [move(b, row, inverse_places(places)) for row in rows] if places else rows

    bare = bare_body(lowered, [f"x{leg}" for leg in legs], [f"X{leg}" for leg in legs], a.words, a.word)
    ends = arrive if come else None, leave if go else None
    body = moved_body(bare, target.word, *ends, count if come else a.words, target.ops.__contains__)
    return DigitBody(writer, body._replace(block=unmasked(body.block, a.word)))
