"""The functions of passes over memory: loop nests whose strides are arguments, shared by passes of one shape."""

from __future__ import annotations

from contextlib import ExitStack

from momagen.ir import Block, Builder, dead_code, words
from momagen.kernels.flow.columns import Loop
from momagen.kernels.flow.layouts import USER
from momagen.kernels.flow.passes import Pass
from momagen.lower.body.movement import arrive, leave, stage_body
from momagen.lower.names import TABLES, C, X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Call, Do, Expr, Function, Name, Number, Type
from momagen.targets import Target

S, TW = Name("s", Type.COUNTS), Name("tw", Type.INPUT)
LONGEST = 4000
"""Instructions of a codelet that is still written into its pass: compilers take minutes for more, and passing vectors
through memory costs nothing beside so many."""


def write_pass(writer: ProgramWriter, done: Pass) -> tuple[str, list[int]]:
    """The function of one pass, written where none of its shape was before, and its strides in words."""
    target = writer.target if done.lanes > 1 else writer.host
    layouts = (done.load, done.store) if done.lanes > 1 else ()  # to one lane both are the same
    nest = tuple(bool(loop.table) for loop in done.shape.loops)
    places = repr((done.load_places, done.store_places))
    ways = (tuple(_near(done)), _alike(done))
    key = (id(done.codelet), layouts, places, done.shape.table_lanes, nest, ways, target.name)
    name, new = writer.named(key, "pass")
    if new:
        writer.put(_PassWriter(writer, done, target).function(name))
    return name, _strides(writer, done)


def _near(done: Pass) -> list[int]:
    """The strides of the innermost loop where they are short."""
    inner = done.shape.loops[-1:]
    return [step if step <= _short(done) else 0 for loop in inner for step in (loop.x, loop.y)]


def _alike(done: Pass) -> bool:
    """Whether results lie as operands do, so that one stride serves both."""
    shape = done.shape
    return shape.step(shape.flow.load) == shape.step(shape.flow.store) and all(each.x == each.y for each in shape.loops)


def _short(done: Pass) -> int:
    """The elements of one butterfly in every lane: a loop over them goes on by no more."""
    return done.lanes * done.radix


def _strides(writer: ProgramWriter, done: Pass) -> list[int]:
    shape, count = done.shape, writer.arith.words
    group = done.twiddles * writer.arith.twiddle_words * shape.table_lanes
    numbers = [shape.step(shape.flow.load) * count, shape.step(shape.flow.store) * count]
    for loop in shape.loops:
        numbers += [loop.count, loop.table * group, loop.x * count, loop.y * count]
    return numbers


class _PassWriter:
    """Writes one function."""

    def __init__(self, writer: ProgramWriter, done: Pass, target: Target) -> None:
        self.writer, self.done, self.target = writer, done, target
        self.lowered = writer.lower(done.codelet.block, target)
        self.long = target.vector and len(self.lowered.instrs) > LONGEST
        self.count, self.entry = writer.arith.words, writer.arith.twiddle_words
        self.alike = _alike(done)
        self.body = stage_body(done, self.lowered, self.count, target.word)

    def function(self, name: str) -> Function:
        """Loops around the codelet; what depends on twiddles alone is outside the loops that share them."""
        loops, radix = self.done.shape.loops, self.done.radix
        f = Function(name, (Y, X, C, TABLES, S), vector=self.target.vector, copies="apart")
        reads = f.let("step" if self.alike else "from", S[0])
        writes = reads if self.alike else f.let("to", S[1])
        numbers = [self._numbers(f, k, loop) for k, loop in enumerate(loops)]
        dependent = [k for k, loop in enumerate(loops) if loop.table]
        inner, x, y, tw = dependent[-1] + 1 if dependent else 0, X + 0, Y + 0, TABLES + 0
        if not self.long:
            self._constants(f)
        with ExitStack() as stack:
            for k, own in enumerate(numbers):
                if k == inner:
                    self._twiddles(f, tw)
                unroll = int(self.writer.unroll or 0) * (k == len(loops) - 1 and not self.long)
                at = stack.enter_context(f.each(f"i{k}", own["n"], unroll=unroll))
                x, y = x + at * own["dx"], y + at * own["dy"]
                tw = tw + at * own["dt"] if "dt" in own else tw
            if inner == len(loops):
                self._twiddles(f, tw)
            xs, ys = [f.let("x0", x)], [f.let("y0", y)]
            for i in range(1, radix):
                xs.append(f.let(f"x{i}", xs[0] + reads * i))
                ys.append(f.let(f"y{i}", ys[0] + writes * i))
            (self._called if self.long else self._inside)(f, xs, ys)
        return f

    def _numbers(self, f: Function, k: int, loop: Loop) -> dict[str, Expr]:
        """How often loop k goes round, and how far x, y and the table move on: numbers where the innermost one goes
        from vector to vector."""
        found: dict[str, Expr] = {"n": f.let(f"n{k}", S[4 * k + 2])}
        if loop.table:
            found["dt"] = f.let(f"dt{k}", S[4 * k + 3])
        inner = k == len(self.done.shape.loops) - 1
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
        lanes = self.done.shape.table_lanes
        if self.long:
            self._all = self._repeated(f, tw) if lanes == 1 else tw
            return
        for key in sorted(self.body.others, key=by_heap):
            if key not in ("q", "qi"):
                f.load(key, self.body.others[key], tw, self._place(key) * lanes, lanes, lanes < self.done.lanes)

    def _inside(self, f: Function, xs: list[Name], ys: list[Name]) -> None:
        """The codelet, written out."""
        for i, row in enumerate(self.body.loads):
            f.load(f"x{i}", row, xs[i], 0, self.target.lanes)
        f.run(self.body.block)
        for i, row in enumerate(self.body.stores):
            f.store(row, ys[i], 0, self.target.lanes)

    def _repeated(self, f: Function, tw: Expr) -> Name:
        """The twiddles once for every lane."""
        words, lanes = self.done.twiddles * self.entry, self.target.lanes
        found = f.array("all", words * lanes)
        with f.each("w", words) as w, f.each("l", lanes) as lane:
            f.set(found[w * lanes + lane], tw[w])
        return found

    def _called(self, f: Function, xs: list[Name], ys: list[Name]) -> None:
        """A call of the codelet, and moves between memory as it lies and registers of one word each."""
        radix, size = self.done.radix, self.target.lanes * self.count
        buffer = f.array("buffer", radix * size)
        legs = [buffer + i * size for i in range(radix)]
        before = self._moves(f, xs, legs, True)
        comes, goes = (legs if before else xs), (legs if self._moved(False) else ys)
        f.add(Do(Call(self._core(), (*goes, *comes, C, self._all))))
        self._moves(f, legs, ys, False)

    def _moved(self, coming: bool) -> bool:
        done = self.done
        layout, places = (done.load, done.load_places) if coming else (done.store, done.store_places)
        return places is not None or (layout == USER and self.count > 1)

    def _moves(self, f: Function, source: list[Name] | list[Expr], goal: list[Name] | list[Expr], coming: bool) -> bool:
        """Registers from one side to the other; nothing where memory is laid out as lanes are."""
        if not self._moved(coming):
            return False
        b, lanes, full = Builder(), self.target.lanes, (1 << self.target.word) - 1
        raw = [[b.input(f"r{i}_{w}", 0, full) for w in range(self.count)] for i in range(self.done.radix)]
        moved = (arrive if coming else leave)(b, raw, self.done, self.count)
        b.block.outputs = {f"{i}_{w}": v for i, row in enumerate(moved) for w, v in enumerate(row)}
        with f.scope():
            for i, row in enumerate(raw):
                f.load(f"r{i}", row, source[i], 0, lanes)
            f.run(dead_code(b.block))
            for i, row in enumerate(moved):
                f.store(row, goal[i], 0, lanes)
        return True

    def _core(self) -> str:
        """The function of a long codelet, written once: pointers of its legs out and in, constants, one table entry per
        twiddle and lane."""
        name, new = self.writer.named(("core", id(self.done.codelet)), "codelet")
        if new:
            self.writer.put(self._core_function(name, self.lowered))
        return name

    def _core_function(self, name: str, lowered: Block) -> Function:
        radix, lanes, count = self.done.radix, self.target.lanes, self.count
        sides = ("y", Type.WORDS), ("x", Type.INPUT)
        ys, xs = ([Name(f"{leg}{i}", kind) for i in range(radix)] for leg, kind in sides)
        f = Function(name, (*ys, *xs, C, TW), vector=True, copies="apart")
        for key in sorted(lowered.inputs, key=by_heap):
            values = words(lowered.inputs[key], self.target.word, count)
            if key in ("q", "qi"):
                f.load(key, values, C, count * (key == "qi"), 1, True)
            elif key[0] == "x":
                f.load(f"x{key[1:]}", values, xs[int(key[1:])], 0, lanes)
            else:
                f.load(key, values, TW, self._place(key) * lanes, lanes)
        f.run(lowered)
        for i, y in enumerate(ys):
            f.store(words(lowered.outputs[f"y{i}"], self.target.word, count), y, 0, lanes)
        return f


def by_heap(name: str) -> tuple[int, bool, str]:
    """Sorts inputs: those without a number first, then twiddle by twiddle, the constant before its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


