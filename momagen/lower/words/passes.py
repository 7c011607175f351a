"""The functions of passes over memory: loop nests whose strides are arguments, shared by passes of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from momagen.kernels.flow.ntt_flow import Pass
from momagen.lower.body.movement import stage_body
from momagen.lower.names import TABLES, C, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type, number
from momagen.targets import Target

S, TW = Name("s", Type.COUNTS), Name("tw", Type.INPUT)


class Stride(NamedTuple):
    """How often a loop goes round, or how many words something moves on.

    Attributes:
        said: whether the text of the function has the number; otherwise it is an argument, if it is ``read`` at all.
    """

    name: str
    number: int
    read: bool = True
    said: bool = False


def write_pass(writer: ProgramWriter, done: Pass) -> tuple[str, list[int]]:
    """The function of one pass, written where none of its shape was before, and its strides in words."""
    target, strides = writer.target if done.lanes > 1 else writer.host, _strides(writer, done)
    layouts = (done.load, done.store) if done.lanes > 1 else ()  # to one lane both are the same
    places = repr((done.load_places, done.store_places))
    shape = tuple((each.name, each.read, each.said and each.number) for each in strides)
    name, new = writer.named((id(done.codelet), layouts, places, done.table_lanes, shape, target.name), "pass")
    if new:
        writer.put(_PassWriter(writer, done, target).function(name, strides))
    return name, [each.number for each in strides]


def _strides(writer: ProgramWriter, done: Pass) -> list[Stride]:
    """Those between legs, and those of every loop. Where results lie as operands do, one stride serves both; where the
    innermost loop goes no further than the elements of one butterfly in every lane, its strides are said."""
    count, short = writer.arith.words, done.lanes * done.radix
    group = done.twiddles * writer.arith.twiddle_words * done.table_lanes
    reads, writes = done.step(done.flow.load), done.step(done.flow.store)
    alike = reads == writes and all(each.x == each.y for each in done.loops)
    found = [Stride("step" if alike else "from", reads * count), Stride("to", writes * count, not alike)]
    for k, loop in enumerate(done.loops):
        inner = k == len(done.loops) - 1
        found += [
            Stride(f"n{k}", loop.count), Stride(f"dt{k}", loop.table * group, loop.table > 0),
            Stride(f"dx{k}", loop.x * count, said=inner and loop.x <= short),
            Stride(f"dy{k}", loop.y * count, not alike, inner and loop.y <= short),
        ]  # fmt: skip
    return found


class _PassWriter:
    """Writes one function."""

    def __init__(self, writer: ProgramWriter, done: Pass, target: Target) -> None:
        self.writer, self.done, self.target = writer, done, target
        self.count, self.entry = writer.arith.words, writer.arith.twiddle_words
        self.body = stage_body(done, writer.lower(done.codelet.block, target), self.count, target.word)

    def function(self, name: str, strides: Sequence[Stride]) -> Function:
        """Loops around the codelet; what depends on twiddles alone is outside the loops that share them."""
        loops, radix, lanes = self.done.loops, self.done.radix, self.target.lanes
        f = Function(name, (Y, X, C, TABLES, S), vector=self.target.vector, copies="apart")
        numbers: dict[str, Expr] = {}
        for at, each in enumerate(strides):
            if each.read:
                numbers[each.name] = number(each.number) if each.said else f.let(each.name, S[at])
        reads, *_ = numbers.values()
        inner = max((k + 1 for k, loop in enumerate(loops) if loop.table), default=0)
        x, y, tw = X + 0, Y + 0, TABLES + 0
        advances = self.target.lanes == 1 < len(loops)  # addresses and words share registers: keep few addresses alive
        self._constants(f)
        with ExitStack() as stack:
            for k, loop in enumerate(loops):
                if k == inner:
                    self._twiddles(f, tw)
                unroll = int(self.writer.unroll or 0) * (k == len(loops) - 1)
                turn = stack.enter_context(f.each(f"i{k}", numbers[f"n{k}"], unroll=unroll))
                dx = numbers[f"dx{k}"]
                dy = numbers.get(f"dy{k}", dx)
                if advances and k == 0:
                    stack.callback(_advance, f, dx, dy)
                else:
                    x, y = x + turn * dx, y + turn * dy
                tw = tw + turn * numbers[f"dt{k}"] if loop.table else tw
            if inner == len(loops):
                self._twiddles(f, tw)
            xs, ys = [f.let("x0", x)], [f.let("y0", y)]
            for i in range(1, radix):
                xs.append(f.let(f"x{i}", xs[0] + reads * i))
                ys.append(f.let(f"y{i}", ys[0] + numbers.get("to", reads) * i))
            for i, row in enumerate(self.body.loads):
                f.load(f"x{i}", row, xs[i], 0, lanes)
            f.run(self.body.block)
            for i, row in enumerate(self.body.stores):
                f.store(row, ys[i], 0, lanes)
        return f

    def _constants(self, f: Function) -> None:
        for at, key in enumerate(("q", "qi")):
            f.load(key, self.body.others.get(key, ()), C, at * self.count, 1, self.target.vector)

    def _place(self, key: str) -> int:
        """Where twiddle v_t or its quotient u_t begins among the entries of one group, in words of one lane."""
        return (int(key[1:]) - (not self.done.scaled)) * self.entry + self.count * (key[0] == "u")

    def _twiddles(self, f: Function, tables: Expr) -> None:
        tw = f.let("tw", tables)
        lanes = self.done.table_lanes
        for key in sorted(self.body.others, key=by_heap):
            if key not in ("q", "qi"):
                f.load(key, self.body.others[key], tw, self._place(key) * lanes, lanes, lanes < self.done.lanes)


def _advance(f: Function, dx: Expr, dy: Expr) -> None:
    """The end of a turn of the outermost loop."""
    f.step(X, dx)
    f.step(Y, dy)


def by_heap(name: str) -> tuple[int, bool, str]:
    """Sorts inputs: those without a number first, then twiddle by twiddle, the constant before its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


