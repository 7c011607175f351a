"""Programs of transforms, however they go inside: set-up, what a plan keeps of each, and one transform or product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

from momagen.program import Call, Expr, Field, Name, Program, Type

from .writer import ProgramWriter


class TransformPart(NamedTuple):
    """One transform of a program, by two functions whose names begin with its own: transform(y, scratch …, x, c,
    tables), and put_tables(tables, powers, root, one, square, c), which returns 0 where the root has another order.

    Attributes:
        blocks: how many sets of tables there are.
        constants: words of c: q, what scalar functions need, R^2 where there is room, and more.
        tables: words of one set of tables. scratch: words of each array that it works in.
        shared: c is that of other transforms, too. lined: vectors are read from tables.
        copied: where x is y, x must be copied away first.
        phases: of one that threads do together, by run(y, x, c, tables, t …, phase, part, parts), which is written; of
            its memory t ``scratch`` has words for all, and for each thread. 0: there is the function transform.
    """

    name: str
    constants: int
    tables: int
    scratch: Sequence[int] = ()
    blocks: int = 1
    shared: bool = False
    lined: bool = True
    copied: bool = False
    phases: int = 0

    @property
    def kept(self) -> tuple[Field, Field]:
        """What a plan keeps of it: c and tables."""
        c = Field("c" if self.shared else f"{self.name}c", self.constants)
        return c, Field(f"{self.name}tables", self.tables * self.blocks, long=True, lined=self.lined)

    def call(self, writer: ProgramWriter, y: Expr, x: Expr, room: Expr, block: Expr | None = None) -> Call:
        """y becomes the transform of x, with scratch from ``room`` on; ``block``: the number of the set of tables."""
        scratch = [room + at for _, at in zip(self.scratch, accumulate(self.scratch, initial=0), strict=False)]
        c, tables = (Name(field.name, Type.INPUT) for field in self.kept)
        own = tables if block is None else tables + block * self.tables
        return writer.call(f"{self.name}transform", y, *scratch, x, c, own)


def whole_program(
    writer: ProgramWriter, transforms: Sequence[TransformPart], vectors: int, factors: Sequence[Field] = ()
) -> Program:
    """The program of one transform, or of the product or the low-degree extension that a forward and an inverse one
    make; the function product(z, x, y, c, n) is there, on n vectors, and called with so many ``vectors``; where it
    takes ``factors``, too, the function that puts these; or reorder_values(y, x)."""
    forward, inverse = transforms[0], transforms[-1]
    spec, count, single = writer.spec, writer.arith.words, forward is inverse
    given: dict[str, Any] = {"single": single, "shared": single or forward.shared, "factored": len(factors)}
    for name in ("modulus_fits", "below"):
        writer.write(name)
    setup = writer.write("setup", **given, keeps_square=forward.constants > 2 * count)
    run, room = _run(writer, transforms, vectors, given)
    kept = [*dict.fromkeys(field for each in transforms for field in each.kept), *factors]
    shifts = (spec.coset > 0) * (spec.order_of_root.bit_length() - 1)
    powers = Field("powers", (spec.order_of_root // 2 + shifts) * count, long=True)
    return writer.program(
        setup=setup,
        run=run,
        kept=kept,
        room=room,
        beside=[powers],
        stride=spec.elements * count,
        gives=spec.results * count,
        phases=forward.phases,
    )


def _run(
    writer: ProgramWriter, transforms: Sequence[TransformPart], vectors: int, given: Mapping[str, Any]
) -> tuple[str, list[Field]]:
    """The function that does one transform, product or extension, and the memory that it works in."""
    forward, inverse = transforms[0], transforms[-1]
    if forward.phases:
        shared, each = forward.scratch
        return "run", [Field("t", shared, each=each)] * (shared + each > 0)
    spec, size = writer.spec, writer.spec.elements * writer.arith.words
    first, last = (partial(each.call, writer) for each in (forward, inverse))
    scratch = max(sum(each.scratch) for each in transforms)
    if given["single"]:
        copied = forward.copied
        room = [Field("t", scratch or size, in_place=copied and not scratch)] * (scratch > 0 or copied)
        of = {"copied": copied, "size": size, "room": len(room), "transform": first}
        return writer.write("run_transform", "run", **of), room
    natural = spec.order == "natural"
    room = [Field("t", scratch + size * spec.kind.vectors_of_memory(spec))]
    of = {"forward": first, "inverse": last, "room": scratch, "size": size, "natural": natural, "blowup": spec.blowup}
    return writer.write(spec.kind.run, "run", **given, **of, vectors=vectors), room
