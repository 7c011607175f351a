"""The tables of a transform in any data flow: for each block of a pass a tree of twiddles, level by level.

Ring splitting splits node i of level l by a power of the root: number i in bit-reversed order, or number 2^l
+ i if the ring is negacyclic. The two results are nodes 2i and 2i + 1 of the next level. A block is a node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from momagen.lower.names import FILLED, POWERS, SCALE, C
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.types import Breakdown
from momagen.program import Expr, Function
from momagen.program.expressions import Operand, number

from .entries import TransformConstants, write_entries

Loops = Sequence[tuple[int, int]]
"""Loops, outermost first: the number of iterations, and the distance in words from one iteration to the next."""


@dataclass(frozen=True)
class TwiddleTable:
    """The table of one pass, or of a part of a pass.

    Attributes:
        at: The offset of its first word.
        levels: The number of levels of each tree.
        forms: The numbers of a block that are affine in the bits of its index, by name: for each the number
            of block 0, then the increments for steps of the index in which 0, 1, … bits carry. This class has
            one, "node", the index of the power that splits the block.
        loops: The loops over blocks, in memory order.
        group: The number of adjacent blocks in these loops whose trees are interleaved level by level.
        lanes: The number of blocks in these groups whose entries are interleaved lane by lane.
        zeroth: Whether twiddle 0, the factor of all results, precedes each tree.
        scaled: For each of the first levels, the index of the first entry of those of its nodes that contain
            this factor.
        between: The number of words from one lane to the next.
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
        """The increments of the numbers whose increments differ."""
        return {name: grows for name, (_, *grows) in self.forms.items() if len(set(grows)) > 1}

    def put(self, tables: TablesWriter, at: Expr, member: Expr, forms: Sequence[Expr]) -> None:
        """Append calls of the functions that store the entries of one block.

        Args:
            tables: The writer of the tables.
            at: The address of the first entry.
            member: The index of the block in its group.
            forms: The numbers of the block, in the order of :attr:`forms`.
        """
        size, (node,) = tables.constants.words(number(self.lanes)), forms
        if self.zeroth:
            tables.do("put_entry", at, self.lanes, SCALE, C)
            at = at + size
        tables.do("put_tree", at, self.lanes, POWERS, C, node, self.levels, self.group, member)
        for level, entry in enumerate(self.scaled):
            tables.do("put_scaled", at + entry * size, self.lanes, POWERS, SCALE, C, node, level)


@dataclass
class TablesWriter:
    """A writer of the function put_tables(tables, powers, root, one, square, c).

    The function returns 0 if the root has another order.

    Attributes:
        writer: The writer of the program.
        constants: The constants of the transform.
        of: The transform.
        inverted: Whether the powers are powers of the inverse of the root.
        scaled: Whether twiddles contain the factor of all results.
        down: Whether the last level of each tree is first in memory.
        zeroth: The offset in the plan constants of that factor, as twiddle 0; or 0 if the plan does not
            contain it.
        name: The prefix of the function's name.
        f: The function fill_tables.
        written: The names of the functions that were written.
    """

    writer: ProgramWriter
    constants: TransformConstants
    of: Breakdown
    inverted: bool
    scaled: bool
    down: bool = False
    zeroth: int = 0
    name: str = ""
    f: Function = field(init=False)
    written: set[str] = field(default_factory=lambda: {"put_entry"})

    @property
    def own(self) -> str:
        """The prefix of the names of functions that differ between the parts of a program."""
        return self.name if self.of.coset else ""

    @property
    def _coset(self) -> dict[str, Any]:
        return {"on_coset": self.of.coset, "inverted": self.inverted}

    def do(self, name: str, *args: Operand) -> None:
        """Append a call of a function that stores entries, and write the function if it was not called before.

        Args:
            name: The name of the row of the function in the files of :mod:`momagen.program.notation`.
            args: The arguments.
        """
        if name not in self.written:
            self.written.add(name)
            self.writer.write(name, self.own + name, entry_words=self.constants.words, down=self.down, **self._coset)
        self.f.do(self.writer.call(self.own + name, *args))

    def write(self, tables: Sequence[TwiddleTable]) -> None:
        """Write put_tables and the functions that it calls.

        They are the functions that store entries, and fill_tables(tables, powers, scale, c), which fills one
        table after another.

        Args:
            tables: The tables.
        """
        write_entries(self.writer, self.constants)
        self.f = Function(f"{self.name}fill_tables", (FILLED, POWERS, SCALE, C))
        for shared, together in groupby(tables, lambda table: table.loops[0] if not table.uneven else ()):
            with self.f.turns("b0", shared[0]) if shared else nullcontext() as outer:
                for table in together:  # adjacent tables: all parts of a block are written at once
                    self._fill(table, outer)
        self.writer.put(self.f)
        if self.of.coset:
            self.writer.write("put_shifts", **self._coset)
        self.writer.write(
            "put_tables", f"{self.name}put_tables", fill_tables=self.f, kept=len(self.constants.kept),
            **self._coset, scaled=self.scaled, zeroth=self.zeroth, exponent=self.of.scale,
        )  # fmt: skip

    def _fill(self, table: TwiddleTable, outer: Expr | None) -> None:
        """Append the loops that fill ``table``, block by block.

        Args:
            table: The table.
            outer: The index of its outermost loop, if that loop already exists.
        """
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
