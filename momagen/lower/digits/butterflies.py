"""The butterflies of a transform in tiles: a lowered codelet with its loads and stores, on these or other registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from momagen.ir import Block, Builder, Instr, Value, leaves
from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.lower.body.movement import Body, Grid, bare_body, with_args
from momagen.plan.digit_plan import PAIRED
from momagen.program import Load, Name, Store

from .bodies import Statements, constants, run, twiddle
from .unpacked import unpacked
from .writer import TileWriter


@dataclass(frozen=True)
class Butterfly:
    """A butterfly of a level, of which lanes share the twiddle or not; ``made``: what it needs of the twiddle, once for
    all that have the same."""

    writer: TileWriter
    body: Body
    made: Block
    shared: bool

    def constants(self) -> Statements:
        """What comes before all loops."""
        return constants(self.writer, self.body, self.made)

    def twiddle(self, table: Name) -> Statements:
        """The twiddle at ``table``."""
        return [*twiddle(self.writer, self.body, table, self.shared, self.made), *run(self.made)]

    def at(self, legs: Sequence[Name], goals: Sequence[Name]) -> Statements:
        """From x and y to X and Y: what goes to X may be stored before the rest is begun."""
        lanes = self.writer.target.lanes
        found: Statements = [Load(p.text, row, p, 0, lanes) for p, row in zip(legs, self.body.loads, strict=True)]
        for block, goal, row in zip(self._parts(), goals, self.body.stores, strict=True):
            found += [*run(block), Store(row, goal, 0, lanes)]
        return found

    def _parts(self) -> tuple[Block, Block]:
        """What the first result needs, and the rest: few digits of a sum are stored before a product asks for
        registers. More of them were slower than those that wait in memory."""
        if not self.writer.spec.inverse or self.writer.inner.words > PAIRED:
            return self.body.block, Block()
        known = {id(value) for value in self.body.stores[0]}
        parts: tuple[list[Instr], list[Instr]] = [], []
        for instr in reversed(self.body.block.instrs):
            late = not known & {id(result) for result in instr.results}
            known |= set() if late else {id(arg) for arg in instr.args}
            parts[late].append(instr)
        first, second = (_whole(part[::-1]) for part in parts)
        return first, second

    def other(self, *, turned: bool = False, legs: Grid | None = None, of: Butterfly | None = None) -> Butterfly:
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
    return [v if v.is_const else replace(v) for v in values]


def _renewed(block: Block, swap: dict[int, Value]) -> Block:
    """``block`` on other values, by the id of those it has, with results of its own, which are added to them."""
    instrs = list[Instr]()
    for instr in block.instrs:
        results = tuple(_fresh(list(instr.results)))
        instrs.append(replace(with_args(instr, swap), results=results))
        swap.update(zip(map(id, instr.results), results, strict=True))
    outputs = (leaf for value in block.outputs.values() for leaf in leaves(value))
    return Block({}, instrs, {f"{i}": swap.get(id(leaf), leaf) for i, leaf in enumerate(outputs)})


def _whole(instrs: list[Instr]) -> Block:
    """All results are outputs."""
    results = (value for instr in instrs for value in instr.results)
    return Block({}, instrs, {f"{i}": value for i, value in enumerate(results)})


def butterfly(writer: TileWriter, lowered: Block, shared: bool) -> Butterfly:
    """A butterfly on vectors of digits from x and y to X and Y."""
    a, made = writer.inner, Block()
    body = bare_body(lowered, "xy", "XY", a.words, a.word)
    if a.packed and not shared:
        parts = unpacked(body, writer.lowered(packed.quotient(a)), a, Builder(writer.target.ops.__contains__))
        body, made = parts.body, parts.made
    return Butterfly(writer, body, made, shared)
