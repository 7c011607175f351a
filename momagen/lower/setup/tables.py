"""The tables of a transform, however it goes: under every block of a pass a tree of twiddles, level by level.

Ring splitting splits node i of level l by the power of the root number i in bit-reversed order, or number 2^l + i where
the ring is negacyclic; the halves are nodes 2i and 2i + 1 of the next level. A block is a node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.lower.names import FILLED, POWERS, SCALE, C
from momagen.lower.writer import ProgramWriter
from momagen.plan.ways import Plan
from momagen.program import Expr, Function
from momagen.program.expressions import Operand, number

from .entries import TransformConstants, write_entries

Loops = Sequence[tuple[int, int]]
"""Loops, outermost first: how often, and words from one to the next."""


@dataclass(frozen=True)
class TwiddleTable:
    """The table of one pass, or of a part of one.

    Attributes:
        at: its first word. levels: of every tree.
        forms: numbers of a block that are affine in the bits of its own: of block 0, then by how much they grow from
            one block to the next where 0, 1, … bits carry. Here one, the index of the power that splits it.
        loops: over blocks, in the order of memory.
        group: within them so many blocks that go together level by level. lanes: within those, lane by lane.
        zeroth: whether in front of every tree stands twiddle 0, the factor of all results.
        scaled: for the first levels, the entry at which their nodes begin that bring this factor.
        between: words from one lane to the next.
    """

    at: int
    levels: int
    forms: Mapping[str, Sequence[int]]
    loops: Loops
    group: int = 1
    lanes: int = 1
    zeroth: bool = False
    scaled: Sequence[int] = ()
    between: int = 1

    @property
    def uneven(self) -> dict[str, Sequence[int]]:
        """How numbers grow that do so by more or less where more bits carry."""
        return {name: grows for name, (_, *grows) in self.forms.items() if len(set(grows)) > 1}

    def put(self, tables: TablesWriter, at: Expr, member: Expr, forms: Sequence[Expr]) -> None:
        """Append what puts the entries of one block at ``at``; ``forms``: its numbers."""
        size, (node,) = tables.constants.words(number(self.lanes)), forms
        if self.zeroth:
            tables.do("put_entry", at, self.lanes, SCALE, C)
            at = at + size
        tables.do("put_tree", at, self.lanes, POWERS, C, node, self.levels, self.group, member)
        for level, entry in enumerate(self.scaled):
            tables.do("put_scaled", at + entry * size, self.lanes, POWERS, SCALE, C, node, level)


@dataclass
class TablesWriter:
    """Writes put_tables(tables, powers, root, one, square, c), which returns 0 where the order of the root is another.

    Attributes:
        inverted: powers are those of the root's inverse. scaled: twiddles bring the factor of all results.
        down: of every tree the last level stands first. zeroth: where a plan keeps that factor, as twiddle 0; 0:
            nowhere. name: what the function's begins with.
    """

    writer: ProgramWriter
    constants: TransformConstants
    plan: Plan
    inverted: bool
    scaled: bool
    down: bool = False
    zeroth: int = 0
    name: str = ""
    f: Function = field(init=False)
    written: set[str] = field(default_factory=lambda: {"put_entry"})

    @property
    def own(self) -> str:
        """What the names of functions begin with that are not for every part of a program."""
        return self.name if self.plan.spec.coset else ""

    @property
    def _coset(self) -> dict[str, Any]:
        return {"on_coset": self.plan.spec.coset, "inverted": self.inverted}

    def do(self, name: str, *args: Operand) -> None:
        """Append a call of what puts entries: a function in text, which is written where it is called first."""
        if name not in self.written:
            self.written.add(name)
            self.writer.write(name, self.own + name, entry_words=self.constants.words, down=self.down, **self._coset)
        self.f.do(self.writer.call(self.own + name, *args))

    def write(self, tables: Sequence[TwiddleTable]) -> None:
        """It, and what it calls: entries, and fill_tables(tables, powers, scale, c), which fills table by table."""
        write_entries(self.writer, self.constants)
        self.f = Function(f"{self.name}fill_tables", (FILLED, POWERS, SCALE, C))
        for shared, together in groupby(tables, lambda table: table.loops[0] if not table.uneven else ()):
            with self.f.turns("b0", shared[0]) if shared else nullcontext() as outer:
                for table in together:  # which stand side by side: each block's part of all is written at once
                    self._fill(table, outer)
        self.writer.put(self.f)
        if self.plan.spec.coset:
            self.writer.write("put_shifts", **self._coset)
        self.writer.write(
            "put_tables", f"{self.name}put_tables", fill_tables=self.f, kept=len(self.constants.kept),
            **self._coset, scaled=self.scaled, zeroth=self.zeroth,
            log_n=self.plan.spec.divisor_bits, lacking=self.plan.product * lacking_bits(self.plan.spec),
        )  # fmt: skip

    def _fill(self, table: TwiddleTable, outer: Expr | None) -> None:
        """``table``, block by block; ``outer``: the number of its outermost loop, where that is there already."""
        f, loops, uneven = self.f, [*table.loops, (table.group, 0), (table.lanes, table.between)], table.uneven
        with ExitStack() as inside:
            if uneven:
                inside.enter_context(f.scope())
            grown = {name: f.variable(name, table.forms[name][0]) for name in uneven}
            steps = {name: f.table(f"{name}_steps", grows) for name, grows in uneven.items()}
            indices = [outer] if outer else []
            inner = [(f"b{depth}", count) for depth, (count, _) in enumerate(loops)][len(indices) :]
            indices += [inside.enter_context(self.f.turns(name, count)) for name, count in inner]
            at, block = FILLED + table.at, number(0)
            for index, (count, step) in zip(indices, loops, strict=True):
                at, block = at + index * step, block * count + index
            steady = {name: block * grows[0] + start for name, (start, *grows) in table.forms.items()}
            grows = {name: each[self.writer.call("carried", block)] for name, each in steps.items()}
            table.put(self, at, indices[-2], list((steady | grown).values()))
            for name, variable in grown.items():
                f.step(variable, grows[name])
