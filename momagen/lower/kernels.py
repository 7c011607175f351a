"""From a specification to the program of its kernel, of one size or of several, the way that its plan says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from momagen.errors import MomagenError
from momagen.kernels.spec.derived.inner import of_size
from momagen.kernels.spec.kinds import BASEMUL, BLAS, LDE
from momagen.kernels.spec.spec import Spec
from momagen.lower.arrays.codelets import ArrayCodelets
from momagen.lower.arrays.program import ArrayProgram, array_program
from momagen.lower.cache_blocking.transforms import write_tiles
from momagen.lower.depth_first import write_reorder
from momagen.lower.elementwise.base_products import BaseProducts, base_products_program
from momagen.lower.elementwise.choice import choose
from momagen.lower.elementwise.choice import notes as element_notes
from momagen.lower.elementwise.elements import elements_program, write_product
from momagen.lower.elementwise.inverses import inverses_program
from momagen.lower.elementwise.sums import sums_program
from momagen.lower.register_blocking.transforms import write_steps
from momagen.lower.threads.programs import device_program
from momagen.lower.words.transforms import write_words
from momagen.plan.ways import plans, reasons, way
from momagen.program import Field, Program
from momagen.program.device import DeviceProgram
from momagen.program.sizes import of_sizes
from momagen.targets import Target, load_target

from .programs import TransformPart, whole_program
from .sharing import shared_program
from .writer import ProgramWriter


@dataclass(frozen=True)
class Lowered:
    """A kernel without a language: what a language prints.

    Attributes:
        writers: what wrote the program, for each size, the largest first. notes: what there is to tell of it.
        moduli: those that are served, in words.
    """

    spec: Spec
    program: Program | DeviceProgram | ArrayProgram
    writers: Sequence[ProgramWriter | ArrayCodelets]
    notes: list[str]
    moduli: str

    @property
    def host_program(self) -> Program:
        """The program, of a kernel that runs where its plan is made."""
        assert isinstance(self.program, Program)
        return self.program

    @property
    def writer(self) -> ProgramWriter:
        """That of the largest size, of a kernel that is a program of statements."""
        assert isinstance(self.writers[0], ProgramWriter)
        return self.writers[0]

    @property
    def target(self) -> Target:
        """What its codelets were lowered to."""
        return self.writers[0].target

    @property
    def rules_applied(self) -> Counter[str]:
        """How often each rule was applied."""
        return sum((writer.trace.rules_applied for writer in self.writers), Counter[str]())

    @property
    def operations(self) -> Counter[str]:
        """Word operations of one pass over all codelets, by operation."""
        return sum((writer.operations for writer in self.writers), Counter[str]())


def lowered(spec: Spec) -> Lowered:
    """The kernel that ``spec`` asks for.

    Raises:
        MomagenError: options that do not go with the width, a size or each other.
    """
    target = load_target(spec.target)
    if (spec.prime or spec.sums) and (target.minor or target.threads):
        raise MomagenError("a target of plain code, such as c or avx2", spec.target, f"{spec.kind}, target")
    if target.minor:
        return _arrays(spec)
    if target.threads:
        return _threaded(spec)
    made = _plain(spec)
    return replace(made, program=shared_program(made.writer, made.host_program)) if spec.threads else made


def _plain(spec: Spec) -> Lowered:
    """On a processor."""
    if spec.kind == BASEMUL:
        return _base_products(spec)
    return _sized(spec) if spec.sized else _elements(spec) if spec.kind in BLAS else _transform(spec)


def _threaded(spec: Spec) -> Lowered:
    writer, program, notes = device_program(spec)
    return Lowered(spec, program, [writer], notes, writer.moduli)


def _arrays(spec: Spec) -> Lowered:
    program = array_program(spec)
    return Lowered(spec, program, [program.codelets], [], spec.moduli)


def _sized(spec: Spec) -> Lowered:
    made = {n: lowered(of_size(spec, n)) for n in spec.sizes}
    program = of_sizes({n: each.host_program for n, each in made.items()})
    said = _grouped((note, n) for n, each in made.items() for note in each.notes)
    notes = [f"n = {', '.join(map(str, sorted(sizes)))}: {note}" for note, sizes in said.items()]
    served = _grouped((each.moduli, n) for n, each in made.items())
    ranges = [f"{text} with n from {min(sizes)} to {max(sizes)}" for text, sizes in served.items()]
    moduli = "; ".join(ranges if len(served) > 1 else served)
    return Lowered(spec, program, [each.writer for each in made.values()], notes, moduli)


def _grouped(told: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The sizes of which the same is told."""
    found: dict[str, list[int]] = {}
    for text, n in told:
        found.setdefault(text, []).append(n)
    return found


def _elements(spec: Spec) -> Lowered:
    writer = ProgramWriter(spec)
    if spec.prime or spec.sums:
        made = (inverses_program if spec.prime else sums_program)(writer)
        return Lowered(spec, made, [writer], [], writer.moduli)
    choice = choose(writer)
    return Lowered(spec, elements_program(writer, choice), [writer], element_notes(choice), writer.moduli)


def _base_products(spec: Spec) -> Lowered:
    writer = ProgramWriter(spec)
    return Lowered(spec, base_products_program(writer), [writer], [], writer.moduli)


def _transform(spec: Spec) -> Lowered:
    own, planned = way(spec), plans(spec)
    first, *_, last = [*planned.values()] * 2
    writer = ProgramWriter(spec, max(plan.shortest for plan in planned.values()))
    lanes = writer.target.lanes if own == "steps" else first.lanes
    vectors, factors = spec.n // lanes, list[Field]()
    if spec.kind == "polymul" and spec.degree > 1:
        rows = BaseProducts(writer, first.spec.ranges.output, last.spec.ranges.input, over=True)
        vectors, factors = rows.vectors, [rows.field]
        rows.write()
    elif spec.kind == "polymul":
        write_product(writer, first.spec.ranges.output, last.spec.ranges.input, lanes, first.layout)
    if spec.kind == LDE and spec.order == "natural":
        write_reorder(writer, called="reorder_values")
    size = f"n = {spec.n} is" if spec.columns == 1 else f"{spec.columns} columns of {spec.n} points are"
    short = [f"scalar code: {size} too short for {writer.target.lanes} lanes"]
    notes = [*short * (lanes < writer.target.lanes), *(note for plan in planned.values() for note in plan.notes)]
    program = whole_program(writer, WRITERS[own](writer, planned), vectors, factors)
    return Lowered(spec, program, [writer], list(dict.fromkeys([*notes, *reasons(spec)])), writer.moduli)


WRITERS: dict[str, Callable[..., list[TransformPart]]] = {
    "words": write_words, "steps": write_steps, "tiles": write_tiles,
}  # fmt: skip
"""By the way of a kernel: what writes the functions of its transforms."""
