"""The functions of passes over memory: loop nests whose strides are arguments, shared by passes of one shape."""

from __future__ import annotations

from contextlib import ExitStack

from momagen.kernels.flow.columns import Loop
from momagen.kernels.flow.ntt_flow import Pass
from momagen.lower.body.movement import stage_body
from momagen.lower.names import TABLES, C, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Number, Type
from momagen.targets import Target

S, TW = Name("s", Type.COUNTS), Name("tw", Type.INPUT)

def write_pass(writer: ProgramWriter, done: Pass) -> tuple[str, list[int]]:
    """The function of one pass, written where none of its shape was before, and its strides in words."""
    target = writer.target if done.lanes > 1 else writer.host
    layouts = (done.load, done.store) if done.lanes > 1 else ()  # to one lane both are the same
    nest = tuple(bool(loop.table) for loop in done.loops)
    places = repr((done.load_places, done.store_places))
    ways = (tuple(_near(done)), _alike(done))
    key = (id(done.codelet), layouts, places, done.table_lanes, nest, ways, target.name)
    name, new = writer.named(key, "pass")
    if new:
        writer.put(_PassWriter(writer, done, target).function(name))
    return name, _strides(writer, done)


def _near(done: Pass) -> list[int]:
    """The strides of the innermost loop where they are short."""
    inner = done.loops[-1:]
    return [step if step <= _short(done) else 0 for loop in inner for step in (loop.x, loop.y)]


def _alike(done: Pass) -> bool:
    """Whether results lie as operands do, so that one stride serves both."""
    return done.step(done.flow.load) == done.step(done.flow.store) and all(each.x == each.y for each in done.loops)


def _short(done: Pass) -> int:
    """The elements of one butterfly in every lane: a loop over them goes on by no more."""
    return done.lanes * done.radix


def _strides(writer: ProgramWriter, done: Pass) -> list[int]:
    count = writer.arith.words
    group = done.twiddles * writer.arith.twiddle_words * done.table_lanes
    numbers = [done.step(done.flow.load) * count, done.step(done.flow.store) * count]
    for loop in done.loops:
        numbers += [loop.count, loop.table * group, loop.x * count, loop.y * count]
    return numbers


class _PassWriter:
    """Writes one function."""

    def __init__(self, writer: ProgramWriter, done: Pass, target: Target) -> None:
        self.writer, self.done, self.target = writer, done, target
        self.lowered = writer.lower(done.codelet.block, target)
        self.count, self.entry = writer.arith.words, writer.arith.twiddle_words
        self.alike = _alike(done)
        self.body = stage_body(done, self.lowered, self.count, target.word)

    def function(self, name: str) -> Function:
        """Loops around the codelet; what depends on twiddles alone is outside the loops that share them."""
        loops, radix = self.done.loops, self.done.radix
        f = Function(name, (Y, X, C, TABLES, S), vector=self.target.vector, copies="apart")
        reads = f.let("step" if self.alike else "from", S[0])
        writes = reads if self.alike else f.let("to", S[1])
        numbers = [self._numbers(f, k, loop) for k, loop in enumerate(loops)]
        dependent = [k for k, loop in enumerate(loops) if loop.table]
        inner, x, y, tw = dependent[-1] + 1 if dependent else 0, X + 0, Y + 0, TABLES + 0
        self._constants(f)
        with ExitStack() as stack:
            for k, own in enumerate(numbers):
                if k == inner:
                    self._twiddles(f, tw)
                unroll = int(self.writer.unroll or 0) * (k == len(loops) - 1)
                at = stack.enter_context(f.each(f"i{k}", own["n"], unroll=unroll))
                x, y = x + at * own["dx"], y + at * own["dy"]
                tw = tw + at * own["dt"] if "dt" in own else tw
            if inner == len(loops):
                self._twiddles(f, tw)
            xs, ys = [f.let("x0", x)], [f.let("y0", y)]
            for i in range(1, radix):
                xs.append(f.let(f"x{i}", xs[0] + reads * i))
                ys.append(f.let(f"y{i}", ys[0] + writes * i))
            for i, row in enumerate(self.body.loads):
                f.load(f"x{i}", row, xs[i], 0, self.target.lanes)
            f.run(self.body.block)
            for i, row in enumerate(self.body.stores):
                f.store(row, ys[i], 0, self.target.lanes)
        return f

    def _numbers(self, f: Function, k: int, loop: Loop) -> dict[str, Expr]:
        """How often loop k goes round, and how far x, y and the table move on: numbers where the innermost one goes
        from vector to vector."""
        found: dict[str, Expr] = {"n": f.let(f"n{k}", S[4 * k + 2])}
        if loop.table:
            found["dt"] = f.let(f"dt{k}", S[4 * k + 3])
        inner = k == len(self.done.loops) - 1
        for at, (name, step) in enumerate((("dx", loop.x), ("dy", loop.y))):
            near = inner and step <= _short(self.done)
            if self.alike and at:
                found[name] = found["dx"]
            else:
                found[name] = Number(step * self.count) if near else f.let(f"{name}{k}", S[4 * k + 4 + at])
        return found

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


def by_heap(name: str) -> tuple[int, bool, str]:
    """Sorts inputs: those without a number first, then twiddle by twiddle, the constant before its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


