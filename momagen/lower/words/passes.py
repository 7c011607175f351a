"""The functions of passes over memory: loop nests whose strides are arguments, shared by passes of one shape."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import NamedTuple

from momagen.kernels.flow.ntt_flow import Pass
from momagen.lower.body.movement import stage_body
from momagen.lower.names import TABLES, C, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type, number
from momagen.targets import Target

TW = Name("tw", Type.INPUT)


class Places(NamedTuple):
    """Where a turn of a loop reads, at ``x + dx``, writes, at ``y + dy``, and has its twiddles."""

    x: Expr
    y: Expr
    dx: Expr
    dy: Expr
    tables: Expr


class Stride(NamedTuple):
    """How often a loop goes round, or how many elements something moves on.

    Attributes:
        said: whether the text of the function has the number; otherwise it is an argument.
        times: the stride is so many times ``number``; a multiple of another stride needs no argument of its own.
    """

    name: str
    number: int
    said: bool = False
    times: int = 1

    def of(self, size: int) -> Expr:
        """In words, or in whatever an element has ``size`` of."""
        return number(self.number * self.times * size) if self.said else Name(self.name) * (self.times * size)


def write_pass(writer: ProgramWriter, done: Pass, split: int = -1) -> tuple[str, dict[str, int]]:
    """The function of one pass, written where none of its shape was before, and the strides it is called with; how
    often loop ``split`` goes round is among them, as n and its number."""
    target, strides = writer.target if done.lanes > 1 else writer.host, _strides(done, split)
    layouts = (done.load, done.store) if done.lanes > 1 else ()  # to one lane both are the same
    places = repr((done.load_places, done.store_places))
    shape = tuple((role, each.name, each.said and each.number) for role, each in strides.items())
    name, new = writer.named((id(done.codelet), layouts, places, done.table_lanes, shape, target.name), "pass")
    arguments = {each.name: each.number for each in strides.values() if not each.said}
    if new:
        writer.put(_PassWriter(writer, done, target, strides).function(name, arguments))
    return name, arguments


def _strides(done: Pass, split: int) -> dict[str, Stride]:
    """Those between legs, and those of every loop. Where results lie as operands do, one stride serves both; where the
    innermost loop goes no further than the elements of one butterfly in every lane, its strides are said; where a loop
    moves past all legs, or between two of them, the stride of the legs says so."""
    short, radix = done.lanes * done.radix, done.radix
    reads, writes = done.step(done.flow.load), done.step(done.flow.store)
    alike = reads == writes and all(each.x == each.y for each in done.loops)
    step = Stride("step" if alike else "from", reads)
    found = {"from": step, "to": step if alike else Stride("to", writes)}
    for k, loop in enumerate(done.loops):
        near = k == len(done.loops) - 1
        found[f"n{k}"] = Stride(f"n{k}", loop.count)
        found[f"dt{k}"] = Stride(f"dt{k}", loop.table, said=loop.table < 2)
        dx = Stride(f"dx{k}", loop.x, said=near and loop.x <= short)
        dy = dx if alike else Stride(f"dy{k}", loop.y, said=near and loop.y <= short)
        if alike and loop.x == radix * reads:
            dx = dy = step._replace(times=radix)
        if alike and dx.said and not loop.table and loop.x * loop.count == reads and k != split:
            found[f"n{k}"] = step
        found[f"dx{k}"], found[f"dy{k}"] = dx, dy
    return found


class _PassWriter:
    """Writes one function."""

    def __init__(self, writer: ProgramWriter, done: Pass, target: Target, strides: dict[str, Stride]) -> None:
        self.writer, self.done, self.target, self.strides = writer, done, target, strides
        self.count = writer.arith.words
        self.body = stage_body(done, writer.lower(done.codelet.block, target), self.count, target.word)

    def function(self, name: str, arguments: Iterable[str]) -> Function:
        """Loops around the codelet; what depends on twiddles alone is outside the loops that share them."""
        loops, lanes = self.done.loops, self.target.lanes
        f = Function(name, (Y, X, C, TABLES, *map(Name, arguments)), vector=self.target.vector, copies="apart")
        shared = max((k + 1 for k, loop in enumerate(loops) if loop.table), default=0)
        at = Places(X, Y, number(0), number(0), TABLES)
        self._constants(f)
        with ExitStack() as stack:
            for k in range(len(loops)):
                if k == shared:
                    self._twiddles(f, at.tables)
                at = self._loop(f, stack, k, at)
            if shared == len(loops):
                self._twiddles(f, at.tables)
            legs = [self._leg(f, i, at) for i in range(self.done.radix)]
            for i, row in enumerate(self.body.loads):
                f.load(f"x{i}", row, legs[i][0], 0, lanes)
            f.run(self.body.block)
            for i, row in enumerate(self.body.stores):
                f.store(row, legs[i][1], 0, lanes)
        return f

    def _loop(self, f: Function, stack: ExitStack, k: int, at: Places) -> Places:
        """Begin loop k in the places ``at``. Words and addresses share the registers of a scalar target: there the
        outermost of several loops moves its addresses on, so that few of them are alive."""
        n, dt, dx, dy = (self.strides[f"{role}{k}"] for role in ("n", "dt", "dx", "dy"))
        x, y = dx.of(self.count), dy.of(self.count)
        table = dt.of(self.done.twiddles * self.done.entry * self.done.table_lanes)
        last = len(self.done.loops) - 1
        unroll = self.writer.unroll * (k == last)
        if n is self.strides["from"]:  # the loop ends at the next leg, and has the same twiddles throughout
            turn = stack.enter_context(f.each(f"i{k}", n.of(self.count), step=x, unroll=unroll))
            return Places(at.x + at.dx, at.y + at.dy, turn, turn, at.tables)
        turn = stack.enter_context(f.each(f"i{k}", n.of(1), unroll=unroll))
        if self.target.lanes == 1 and k == 0 < last:
            for pointer, by in ((X, x), (Y, y), (TABLES, table)):
                stack.callback(f.step, pointer, by)
            return at
        return Places(at.x + at.dx, at.y + at.dy, turn * x, turn * y, at.tables + turn * table)

    def _leg(self, f: Function, i: int, at: Places) -> tuple[Expr, Expr]:
        """Where leg i is read and where it is written."""
        x, y = (self.strides[role].of(self.count * i) for role in ("from", "to"))
        return f.let(f"x{i}", at.x + x + at.dx), f.let(f"y{i}", at.y + y + at.dy)

    def _constants(self, f: Function) -> None:
        for at, key in enumerate(("q", "qi")):
            f.load(key, self.body.others.get(key, ()), C, at * self.count, 1, self.target.vector)

    def _place(self, key: str) -> int:
        """Where twiddle v_t or its quotient u_t begins among the entries of one group, in words of one lane."""
        return (int(key[1:]) - (not self.done.scaled)) * self.done.entry + self.count * (key[0] == "u")

    def _twiddles(self, f: Function, tables: Expr) -> None:
        tw = f.let("tw", tables)
        lanes = self.done.table_lanes
        for key in sorted(self.body.others, key=by_heap):
            if key not in ("q", "qi"):
                f.load(key, self.body.others[key], tw, self._place(key) * lanes, lanes, lanes < self.done.lanes)


def by_heap(name: str) -> tuple[int, bool, str]:
    """Sorts inputs: those without a number first, then twiddle by twiddle, the constant before its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


