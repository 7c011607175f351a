"""The functions of passes over memory: loop nests with strides as arguments, which passes of the same shape share."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import NamedTuple

from momagen.kernels.residues.arith import Arith
from momagen.lower.body.movement import stage_body
from momagen.lower.names import TABLES, C, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.passes import Pass, step_codelet
from momagen.program import Expr, Function, Name, Type, number
from momagen.targets import Target

TW = Name("tw", Type.INPUT)


class Places(NamedTuple):
    """The addresses of one iteration of a loop.

    It reads at ``x + dx``, writes at ``y + dy``, and finds its twiddles at ``tables``.
    """

    x: Expr
    y: Expr
    dx: Expr
    dy: Expr
    tables: Expr


class Stride(NamedTuple):
    """The number of iterations of a loop, or a distance in memory in elements.

    Attributes:
        name: The name of the function's argument for it.
        number: Its value in the pass, before the multiplication by ``times``.
        said: Whether the function contains the number as a constant, instead of an argument.
        times: A factor. A multiple of another stride needs no separate argument.
    """

    name: str
    number: int
    said: bool = False
    times: int = 1

    def of(self, size: int) -> Expr:
        """Return the stride in units of which an element has ``size``, such as words."""
        return number(self.number * self.times * size) if self.said else Name(self.name) * (self.times * size)


def write_pass(writer: ProgramWriter, done: Pass, arith: Arith, split: int = -1) -> tuple[str, dict[str, int]]:
    """Return the name and the arguments of the function of one pass, which is written if no pass had its shape before.

    Args:
        writer: The writer of the program.
        done: The pass.
        arith: The representation of residues, which may reduce them otherwise than the rest of the program.
        split: The index of a loop whose number of iterations must be an argument, named n and the index; or
            -1.
    """
    target, strides = writer.target_of(done.lanes), _strides(done, split)
    layouts = (done.source.layout, done.goal.layout) if done.lanes > 1 else ()  # scalar code has one layout
    places = repr((done.load_places, done.store_places))
    shape = tuple((role, each.name, each.number if each.said else None) for role, each in strides.items())
    codelet = step_codelet(done.own, arith)
    name, new = writer.named((id(codelet), layouts, places, done.table_lanes, shape, target.name), "pass")
    arguments = {each.name: each.number for each in strides.values() if not each.said}
    if new:
        writer.put(_PassWriter(writer, done, arith, target, strides).function(name, arguments))
    return name, arguments


def _strides(done: Pass, split: int) -> dict[str, Stride]:
    """Return the strides between butterfly inputs and the strides of every loop, by role.

    If results have the same layout as operands, one stride serves both. Strides of the innermost loop are
    constants if the loop does not go beyond the elements of one butterfly in all lanes. If a loop steps over
    all butterfly inputs, or from one input to the next, the stride of the inputs determines its stride or its
    limit.
    """
    short, radix = done.lanes * done.radix, done.radix
    reads, writes = done.step(done.load), done.step(done.store)
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
    """A writer of the function of one pass."""

    def __init__(
        self, writer: ProgramWriter, done: Pass, arith: Arith, target: Target, strides: dict[str, Stride]
    ) -> None:
        self.writer, self.done, self.target, self.strides = writer, done, target, strides
        self.count, self.entry = arith.words, arith.twiddle_words
        made = writer.lower(step_codelet(done.own, arith).block, target)
        self.body = stage_body(done, made, self.count, target.word)

    def function(self, name: str, arguments: Iterable[str]) -> Function:
        """Return the function: loops around the codelet.

        Twiddles are loaded outside the loops whose iterations share them.
        """
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
        """Begin loop k at the addresses ``at``, and return the addresses of one iteration.

        On a scalar target, words and addresses share the registers. The outermost of several loops then
        advances its addresses, so that few of them are live.
        """
        n, dt, dx, dy = (self.strides[f"{role}{k}"] for role in ("n", "dt", "dx", "dy"))
        x, y = dx.of(self.count), dy.of(self.count)
        table = dt.of(self.done.own.twiddles * self.entry * self.done.table_lanes)
        last = len(self.done.loops) - 1
        unroll = self.writer.unroll * (k == last)
        if n is self.strides["from"]:  # the loop ends at the next input, with the same twiddles throughout
            turn = stack.enter_context(f.each(f"i{k}", n.of(self.count), step=x, unroll=unroll))
            return Places(at.x + at.dx, at.y + at.dy, turn, turn, at.tables)
        turn = stack.enter_context(f.each(f"i{k}", n.of(1), unroll=unroll))
        if self.target.lanes == 1 and k == 0 < last:
            for pointer, by in ((X, x), (Y, y), (TABLES, table)):
                stack.callback(f.step, pointer, by)
            return at
        return Places(at.x + at.dx, at.y + at.dy, turn * x, turn * y, at.tables + turn * table)

    def _leg(self, f: Function, i: int, at: Places) -> tuple[Expr, Expr]:
        """Return the addresses from which butterfly input i is loaded and to which result i is stored."""
        x, y = (self.strides[role].of(self.count * i) for role in ("from", "to"))
        return f.let(f"x{i}", at.x + x + at.dx), f.let(f"y{i}", at.y + y + at.dy)

    def _constants(self, f: Function) -> None:
        for at, key in enumerate(("q", "qi")):
            f.load(key, self.body.others.get(key, ()), C, at * self.count, 1, self.target.vector)

    def _place(self, key: str) -> int:
        """Return the offset of twiddle v_t, or of its quotient u_t, in one group, in words of one lane."""
        return (int(key[1:]) - (not self.done.own.scaled)) * self.entry + self.count * (key[0] == "u")

    def _twiddles(self, f: Function, tables: Expr) -> None:
        tw = f.let("tw", tables)
        lanes = self.done.table_lanes
        for key in sorted(self.body.others, key=by_heap):
            if key not in ("q", "qi"):
                f.load(key, self.body.others[key], tw, self._place(key) * lanes, lanes, lanes < self.done.lanes)


def by_heap(name: str) -> tuple[int, bool, str]:
    """Return the sort key of an input: constants first, then each twiddle, followed by its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


