"""Programs of transforms, however they go inside: set-up, what a plan keeps of each, and one transform or product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from momagen.program import Call, Expr, Field, Function, Name, Program, Type

from .names import POWERS, ROOT, Q, T, X, Y, Z, written
from .writer import ProgramWriter


@dataclass(frozen=True)
class TransformPart:
    """One transform of a program, by two functions whose names begin with its own: transform(y, scratch …, x, c,
    tables), and put_tables(tables, powers, root, one, square, c), which returns 0 where the root has another order.

    Attributes:
        constants: words of c: q, what scalar functions need, R^2 where there is room, and more.
        tables: words of tables. scratch: words of each array that it works in.
        shared: c is that of other transforms, too. lined: vectors are read from tables.
        copied: where x is y, x must be copied away first.
    """

    name: str
    constants: int
    tables: int
    scratch: Sequence[int] = ()
    shared: bool = False
    lined: bool = True
    copied: bool = False

    @property
    def kept(self) -> tuple[Field, Field]:
        """What a plan keeps of it: c and tables."""
        c = Field("c" if self.shared else f"{self.name}c", self.constants)
        return c, Field(f"{self.name}tables", self.tables, long=True, lined=self.lined)

    @property
    def names(self) -> tuple[Name, Name]:
        """The same as functions read it."""
        c, tables = (Name(field.name, Type.INPUT) for field in self.kept)
        return c, tables

    def call(self, writer: ProgramWriter, y: Expr, x: Expr, room: Expr = T) -> Call:
        """y becomes the transform of x, with scratch from ``room`` on."""
        scratch = [room + at for _, at in zip(self.scratch, accumulate(self.scratch, initial=0), strict=False)]
        return writer.call(f"{self.name}transform", y, *scratch, x, *self.names)


def _program(
    writer: ProgramWriter, transforms: Sequence[TransformPart], run: Function, room: Sequence[Field] = ()
) -> Program:  # fmt: skip
    """The program whose function ``run`` uses ``transforms``, which are written."""
    spec, count = writer.spec, writer.arith.words
    return writer.program(
        setup=_setup(writer, transforms), run=writer.put(run), kept=_kept(transforms), room=room,
        beside=[Field("powers", spec.order_of_root // 2 * count, long=True)], stride=spec.elements * count,
    )  # fmt: skip


def whole_program(writer: ProgramWriter, transforms: Sequence[TransformPart], lanes: int) -> Program:
    """The program of one transform, or of the product that a forward and an inverse one make; the function
    product(z, x, y, c, n) on vectors of ``lanes`` is there."""
    forward, inverse = transforms[0], transforms[-1]
    return _product(writer, forward, inverse, lanes) if forward is not inverse else _transform(writer, forward)


def _transform(writer: ProgramWriter, transform: TransformPart) -> Program:
    """The program of one transform, from the user's array to the user's."""
    size, scratch, copied = writer.spec.elements * writer.arith.words, sum(transform.scratch), transform.copied
    room = [Field("t", scratch or size, in_place=copied and not scratch)] * (scratch > 0 or copied)
    run, plain = Function("run", (Y, X, *transform.names, *[T] * len(room))), transform.call(writer, Y, X)
    if copied:
        with run.if_(X.is_(Y)) as same:
            run.copy(T, X, size)
            run.do(transform.call(writer, Y, T))
        with run.otherwise(same):
            run.do(plain)
    else:
        run.do(plain)
    return _program(writer, [transform], run, room)


def _product(writer: ProgramWriter, forward: TransformPart, inverse: TransformPart, lanes: int) -> Program:
    """The program of a polynomial product."""
    n, scratch = writer.spec.n, max(sum(each.scratch) for each in (forward, inverse))
    second, u, room = Name("y", Type.INPUT), T + scratch, Field("t", scratch + n * writer.arith.words)
    names = [Name(field.name, Type.INPUT) for field in _kept([forward, inverse])]
    f = Function("run", (Z, X, second, *names, T))
    f.do(forward.call(writer, u, X))
    f.do(forward.call(writer, Z, second))
    f.do(writer.call("product", Z, u, Z, forward.names[0], n // lanes))
    f.do(inverse.call(writer, Z, Z))
    return _program(writer, [forward, inverse], f, [room])


def _kept(transforms: Sequence[TransformPart]) -> list[Field]:
    """What a plan keeps: what transforms share, once."""
    return list(dict.fromkeys(field for each in transforms for field in each.kept))


def _setup(writer: ProgramWriter, transforms: Sequence[TransformPart]) -> str:
    """The function setup(kept …, powers, q, root): constants, and the tables of all transforms."""
    count, powers = writer.arith.words, written(POWERS)
    behind = 2 * count  # of q and 1/q mod R
    kept = [Name(field.name, Type.WORDS) for field in _kept(transforms)]
    doc = "Makes a plan. Returns 0 where the root has another order."
    f = Function("setup", (*kept, powers, Q, ROOT), doc, Type.COUNT)
    one, known = f.array("one", count), set[str]()
    for each in transforms:
        c, tables = map(written, each.names)
        if c.text not in known:
            square = c + behind if each.constants > behind else f.array("square", count)
            f.do(writer.call("core_init", c, one, square, Q))
            known.add(c.text)
        with f.if_(writer.call(f"{each.name}put_tables", tables, powers, ROOT, one, square, c).is_(0)):
            f.give(0)
    f.give(1)
    return writer.put(f)
