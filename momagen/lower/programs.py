"""Programs of transforms: the function that computes a plan, the plan's arrays, and one transform or product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

from momagen.program import Call, Expr, Field, Name, Program, Type

from .writer import ProgramWriter


class TransformPart(NamedTuple):
    """One transform of a program.

    It consists of two functions whose names begin with ``name``: transform(y, scratch …, x, c, tables), and
    put_tables(tables, powers, root, one, square, c), which returns 0 if the root has another order.

    Attributes:
        name: The prefix of the names of its functions.
        constants: The number of words of c: q, the constants of scalar functions, R^2 if there is space, and
            others.
        tables: The number of words of one set of tables.
        scratch: The number of words of each scratch array. If ``phases`` is not 0, the number of words for
            all threads together, and the number of words for each thread.
        blocks: The number of sets of tables.
        shared: Whether other transforms of the program use the same array c.
        lined: Whether vectors are loaded from the tables, which are then aligned to cache lines.
        copied: Whether the operand must be copied before a transform in place.
        phases: The number of phases of a transform that threads execute together by run(y, x, c, tables, t …,
            phase, part, parts), which is then already written. If it is 0, the function transform exists
            instead.
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
        """The arrays of plan constants of the transform: c and its tables."""
        c = Field("c" if self.shared else f"{self.name}c", self.constants)
        return c, Field(f"{self.name}tables", self.tables * self.blocks, long=True, lined=self.lined)

    def call(self, writer: ProgramWriter, y: Expr, x: Expr, room: Expr, block: Expr | None = None) -> Call:
        """Return a call that writes the transform of x to y.

        Args:
            writer: The writer of the program.
            y: The result.
            x: The operand.
            room: The address of the scratch memory.
            block: The index of the set of tables, or None if there is one set.
        """
        scratch = [room + at for _, at in zip(self.scratch, accumulate(self.scratch, initial=0), strict=False)]
        c, tables = (Name(field.name, Type.INPUT) for field in self.kept)
        own = tables if block is None else tables + block * self.tables
        return writer.call(f"{self.name}transform", y, *scratch, x, c, own)


def whole_program(
    writer: ProgramWriter, transforms: Sequence[TransformPart], vectors: int, factors: Sequence[Field] = ()
) -> Program:
    """Return the program of one transform, or of a product or an extension that consists of two transforms.

    Args:
        writer: The writer of the program. For products, it must contain the function product(z, x, y, c, n)
            on n vectors; for base multiplications, also the function that computes ``factors``; for
            low-degree extensions in natural order, reorder_values(y, x).
        transforms: The forward and the inverse transform, or the only one.
        vectors: The number of vectors that one call of product multiplies.
        factors: The arrays of plan constants that the function product needs in addition to c.
    """
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
    """Write the function of one transform, product or extension, and return its name and its scratch arrays."""
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
