"""The codelets of a transform on reduced-radix limbs, with their loads and stores, as statements for loops."""

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
from momagen.program import Expr, Load, Name, Run, Statement, Store
from momagen.rewrite import unmasked

from .late import late, whole
from .unpacked import unpacked
from .writer import TileWriter

TW = Name("tw", X.type)
Statements = list[Statement]


@dataclass(frozen=True)
class DigitBody:
    """A butterfly or a conversion on vectors of limbs.

    Attributes:
        writer: The writer of the transform.
        body: The codelet, with the registers that are loaded and stored.
        made: The instructions that only depend on the twiddle. All butterflies with the same twiddle share
            their results.
        shared: Whether all lanes have the same twiddle.
        apart: Whether the instructions for the first result precede all others, and the result is stored
            before them.
    """

    writer: TileWriter
    body: Body
    made: Block = field(default_factory=Block)
    shared: bool = True
    apart: bool = False

    @property
    def late(self) -> bool:
        """Whether each word of a twiddle is loaded directly before its first use.

        gcc executes loads that precede a butterfly first, and then spills most of the loaded words.
        """
        return self.writer.plan.again and not self.made.instrs

    def constants(self) -> Statements:
        """Return the loads of the constants that are read, such as q and µ, which precede all loops."""
        offsets = self.writer.constants.places
        names = [name for name in sorted(self.body.others) if name not in "vu"]
        return [Load(name, self._read(name), C, offsets[name], 1, True) for name in names]

    def twiddle(self, table: Name = TW) -> Statements:
        """Return the loads of the twiddle at ``table``, and the values that are computed from it.

        The result is empty if the butterfly loads its twiddle itself.
        """
        return [] if self.late else [*self._twiddles(table), *_run(self.made)]

    def _twiddles(self, table: Name = TW) -> list[Load]:
        a, step = self.writer.inner, 1 if self.shared else self.writer.target.lanes
        offsets = {"u": a.words ** (1 + a.real) * step, "v": 0}
        return [
            Load(f"{name}{table.text[2:]}", self._read(name), table, offset, step, self.shared)
            for name, offset in offsets.items() if name in self.body.others
        ]  # fmt: skip

    def _read(self, name: str) -> list[Value]:
        """Return the registers of the input ``name``, with 0 in the place of registers that nothing reads."""
        read = {id(a) for block in (self.body.block, self.made) for instr in block.instrs for a in instr.args}
        return [value if id(value) in read else const(0) for value in self.body.others[name]]

    def at(self, names: Sequence[str], legs: Sequence[Expr], goals: Sequence[Expr]) -> Statements:
        """Return the statements that load the inputs, compute, and store the results.

        Args:
            names: The stems of the names of the inputs' registers.
            legs: The addresses of the inputs.
            goals: The addresses of the results.
        """
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
        """Return a copy of the body on other registers.

        Args:
            turned: Whether the copy has a separate twiddle.
            legs: The registers of the inputs, or None for new ones.
            of: The body whose twiddle the copy uses, or None.
        """
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
    """Return ``block`` with other arguments and with new results.

    Args:
        block: The block.
        swap: The new values by the ids of the old ones. The new results are added to it.
    """
    instrs = list[Instr]()
    for instr in block.instrs:
        results = tuple(_fresh(list(instr.results)))
        instrs.append(instr.on(tuple([swap.get(id(a), a) for a in instr.args]), results))
        swap.update(zip(map(id, instr.results), results, strict=True))
    outputs = (leaf for value in block.outputs.values() for leaf in leaves(value))
    return Block({}, instrs, {f"{i}": swap.get(id(leaf), leaf) for i, leaf in enumerate(outputs)})


def _run(block: Block) -> Statements:
    """Return a statement that executes ``block``, or nothing if the block is empty."""
    return [Run(block)] if block.instrs else []


def butterfly(writer: TileWriter, lowered: Block, shared: bool) -> DigitBody:
    """Return a butterfly on vectors of limbs, from x and y to X and Y.

    In an inverse transform with few limbs, the sum is stored before the product needs registers. With more
    limbs, this was slower than spills.

    Args:
        writer: The writer of the transform.
        lowered: The lowered codelet.
        shared: Whether all lanes have the same twiddle.
    """
    a, made = writer.inner, Block()
    body = bare_body(lowered, "xy", "XY", a.words, a.word)
    if a.packed and not shared:
        parts = unpacked(body, writer.lowered(packed.quotient(a)), a, Builder(writer.target.ops.__contains__))
        body, made = parts.body, parts.made
    return DigitBody(writer, body, made, shared, apart=writer.plan.breakdown.inverse and a.short)


def conversion(writer: TileWriter, block: Block, *, come: bool, go: bool, user: bool) -> DigitBody:
    """Return a conversion on limbs, of one vector or with the levels of several butterfly inputs.

    Args:
        writer: The writer of the transform.
        block: The codelet.
        come: Whether words are loaded and converted to limbs with their offset.
        go: Whether reduced words are stored. With several butterfly inputs, the limbs are 2^over times the
            stored number.
        user: Whether the words are in the user's layout.
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
