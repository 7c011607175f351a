"""From a specification to the program of its kernel, the way that its plan says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from momagen.errors import MomagenError
from momagen.formula.algorithms import RING
from momagen.kernels.elementwise.elements import montgomery_product
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.flow.ntt_flow import Flow, flow
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.lower.cache_blocking.transforms import TiledWriter, tiles_product, tiles_transform
from momagen.lower.digits.writer import TileWriter
from momagen.lower.elementwise.choice import choose
from momagen.lower.elementwise.choice import notes as element_notes
from momagen.lower.elementwise.elements import elements_program
from momagen.lower.elementwise.loops import write_loop
from momagen.lower.register_blocking.part import StepPart
from momagen.lower.register_blocking.transforms import steps_product, steps_transform
from momagen.lower.words.transforms import words_product, words_transform
from momagen.plan.ways import reasons, transforms_of, way
from momagen.program import Program

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
        return _elements(spec)
    found = MAKERS[spec.kind, way(spec)](spec)
    full = found.writer.target.lanes
    size = f"n = {spec.n} is" if spec.columns == 1 else f"{spec.columns} columns of {spec.n} points are"
    short = [f"scalar code: {size} too short for {full} lanes"] * (found.lanes != full)
    return Lowered(found.writer, found.program, found.lanes, [*short, *found.notes, *reasons(spec)])


def lanes_for(spec: Spec, lanes: int) -> int:
    """The lanes that a transform can fill: all, or one where columns are no power of two and fewer than the lanes, or
    butterflies of a pass are."""
    few = spec.columns & spec.columns - 1 or spec.elements < 2 * lanes
    return 1 if spec.columns < lanes and few else lanes


def flow_of(
    writer: ProgramWriter, lanes: int, inverse: bool, m_in: int, m_out: int, points: str = USER
) -> Flow:  # fmt: skip
    """The passes of one transform on words that ``writer`` was asked for."""
    spec = writer.spec
    return flow(
        writer.arith, spec.n, spec.algorithm, inverse=inverse, negacyclic=spec.negacyclic,
        natural=spec.order == "natural", lanes=lanes, radix=int(spec.options.get("radix", 0)),
        registers=writer.target.registers, m_in=m_in, m_out=m_out, points=points, columns=spec.columns,
    )  # fmt: skip


def _check_reduction(spec: Spec) -> None:
    """Refuse a table of quotients where Montgomery's is the only product that fits."""
    a = spec.arith
    if spec.options.get("quotients") == "table" and a.kind == "montgomery":
        got = f"{a.bits} bits: only Montgomery's product fits"
        raise MomagenError(f"a modulus of at most {a.held - 1} bits for a table on words", got, "quotients")


def _elements(spec: Spec) -> Lowered:
    writer = ProgramWriter(spec)
    choice = choose(writer)
    return Lowered(writer, elements_program(writer, choice), choice.lanes, element_notes(choice))


def _transform_on_words(spec: Spec) -> Lowered:
    _check_reduction(spec)
    writer = ProgramWriter(spec)
    lanes = lanes_for(spec, writer.target.lanes)
    done = flow_of(writer, lanes, spec.inverse, spec.ranges.input, spec.ranges.output)
    program = words_transform(writer, done)
    left = [f"scalar code for {spec.columns % lanes} of {spec.columns} columns"] * (spec.columns % lanes > 0)
    return Lowered(writer, program, lanes, [*left * (spec.columns > lanes), *done.notes() * (spec.algorithm != RING)])


def _product_on_words(spec: Spec) -> Lowered:
    """Between the transforms, points stay in bit-reversed order, in the layout that vectors like, and reduced only as
    far as the product x·y < q·R and the words ask."""
    _check_reduction(spec)
    writer, room, lazy = ProgramWriter(spec), spec.arith.room, spec.arith.lazy
    lanes = lanes_for(spec, writer.target.lanes)
    points = 1 << (room.bit_length() - 1) // 2  # points² ≤ room = R/2^bits
    forward = flow_of(writer, lanes, False, spec.ranges.input, points, LANES)
    inverse = flow_of(writer, lanes, True, lazy, spec.ranges.output, LANES)
    write_loop(writer, "product", montgomery_product(writer.arith, points, lazy), lanes, LANES)
    return Lowered(writer, words_product(writer, forward, inverse, lanes), lanes)


def _transform_in_steps(spec: Spec) -> Lowered:
    writer, part = ProgramWriter(spec), StepPart(spec)
    return Lowered(writer, steps_transform(writer, part), writer.target.lanes, [step_note(part)])


def _product_in_steps(spec: Spec) -> Lowered:
    writer, lazy = ProgramWriter(spec), spec.arith.lazy
    lanes = writer.target.lanes
    own = transforms_of(spec, lazy).items()
    forward, inverse = (StepPart(each, f"{name}_", after_product=each.inverse) for name, each in own)
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), lanes, USER)
    notes = [step_note(part) for part in (forward, inverse)]
    return Lowered(writer, steps_product(writer, forward, inverse), lanes, notes)


def _transform_in_tiles(spec: Spec) -> Lowered:
    writer = TiledWriter(spec, {"": spec})
    return Lowered(writer, tiles_transform(writer), writer.target.lanes, [tile_note(part) for part in writer.parts])


def _product_in_tiles(spec: Spec) -> Lowered:
    """Between the transforms, points stay as vectors of words, in the order in which the last pass leaves them."""
    lazy = spec.arith.lazy
    writer = TiledWriter(spec, {f"{name}_": each for name, each in transforms_of(spec, lazy).items()})
    lanes = writer.target.lanes
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), lanes, LANES)
    notes = [f"{part.name.removesuffix('_')}: {tile_note(part)}" for part in writer.parts]
    return Lowered(writer, tiles_product(writer), lanes, notes)


MAKERS: dict[tuple[str, str], Callable[[Spec], Lowered]] = {
    ("ntt", "words"): _transform_on_words, ("polymul", "words"): _product_on_words,
    ("ntt", "steps"): _transform_in_steps, ("polymul", "steps"): _product_in_steps,
    ("ntt", "tiles"): _transform_in_tiles, ("polymul", "tiles"): _product_in_tiles,
}  # fmt: skip
"""By the kind of kernel and the way of its transforms."""


def step_note(part: StepPart) -> str:
    """What a transform is inside, for people."""
    passes = len(part.plan.columns) + 1
    across = f"in {passes} passes, depth first" if passes > 1 else "in one pass"
    words = f"64-bit words, quotients by {part.digit}-bit products"
    which = f"{part.name.removesuffix('_')}: " if part.name else ""
    return f"{which}limbs: {words if part.whole else f'1 digit of radix 2^{part.digit}'}, {across}"


def tile_note(writer: TileWriter) -> str:
    """The same of one in tiles."""
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} pass{'es' * (passes > 1)}, depth first"
    kind = "floating-point digit" if writer.inner.real else "digit"
    count = writer.inner.words
    return f"limbs: {count} {kind}{'s' * (count > 1)} of radix 2^{writer.inner.word}, {across}"
