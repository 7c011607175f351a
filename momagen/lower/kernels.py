"""From a specification to the program of its kernel, the way that its plan says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.lower.cache_blocking.transforms import write_tiles
from momagen.lower.elementwise.choice import choose
from momagen.lower.elementwise.choice import notes as element_notes
from momagen.lower.elementwise.elements import elements_program, write_product
from momagen.lower.register_blocking.transforms import write_steps
from momagen.lower.words.transforms import write_words
from momagen.plan.ways import plans, reasons, way
from momagen.program import Program

from .programs import TransformPart, whole_program
from .writer import ProgramWriter


@dataclass(frozen=True)
class Lowered:
    """A kernel without a language.

    Attributes:
        writer: what wrote it. lanes: of its vectors; 1 where it has none. notes: what there is to tell of it.
    """

    writer: ProgramWriter
    program: Program
    lanes: int
    notes: Sequence[str] = field(default=())


def lowered(spec: Spec) -> Lowered:
    """The kernel that ``spec`` asks for.

    Raises:
        MomagenError: options that do not go with the width, the size or each other.
    """
    if spec.kind in BLAS:
        writer = ProgramWriter(spec)
        choice = choose(writer)
        return Lowered(writer, elements_program(writer, choice), choice.lanes, element_notes(choice))
    own, planned = way(spec), plans(spec)
    first, *_, last = [*planned.values()] * 2
    writer = ProgramWriter(spec, max(plan.shortest for plan in planned.values()))
    if spec.kind == "polymul":
        write_product(writer, first.spec.ranges.output, last.spec.ranges.input, first.lanes, first.layout)
    size = f"n = {spec.n} is" if spec.columns == 1 else f"{spec.columns} columns of {spec.n} points are"
    short = [f"scalar code: {size} too short for {writer.target.lanes} lanes"]
    notes = [*short * (first.lanes < writer.target.lanes), *(note for plan in planned.values() for note in plan.notes)]
    program = whole_program(writer, WRITERS[own](writer, planned), first.lanes)
    return Lowered(writer, program, first.lanes, [*notes, *reasons(spec)])


WRITERS: dict[str, Callable[..., list[TransformPart]]] = {
    "words": write_words, "steps": write_steps, "tiles": write_tiles,
}  # fmt: skip
"""By the way of a kernel: what writes the functions of its transforms."""
