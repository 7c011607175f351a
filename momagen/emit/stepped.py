"""Which kernels go by transforms in steps, whose residues fit one digit or one word, and their files."""

from __future__ import annotations

from momagen.kernels.elements import montgomery_product
from momagen.kernels.one_word import longest
from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER
from momagen.kernels.tiles import fits
from momagen.lower.element_loops import write_loop
from momagen.lower.step_part import StepPart
from momagen.lower.steps import steps_product, steps_transform
from momagen.lower.writer import ProgramWriter
from momagen.targets import load_target

from .kernel import kernel
from .ntt import product_title, title, ways
from .source import Source
from .tile_choice import TAKEN, one_double

NEEDS = frozenset({"mullo", "mulhalf", "umin", "umax"})
"""Operations of the target without which it has no such transforms."""


def able(spec: Spec) -> bool:
    """Whether transforms go by steps on the target, where residues fit one word: nothing else may be asked for."""
    target, options = load_target(spec.target), spec.options
    free = not {*TAKEN, *TILING} & set(options) and options.get("digits") != "full"
    return target.ops.keys() >= NEEDS and free and fits(spec.n, target.lanes)


def stepped(spec: Spec) -> bool:
    """Whether the transform goes by steps: on one digit, or where none and no double holds a residue, on one word."""
    digit = load_target(spec.target).digit
    words = spec.width > digit and ("digits" in spec.options or spec.options.get("quotients") == "computed")
    return able(spec) and not (words or no_room(spec) or (spec.width > digit and one_double(spec)))


def no_room(spec: Spec) -> bool:
    """Whether residues leave no room in a word beside a product."""
    return spec.width > longest(load_target(spec.target).digit)


def stepped_source(spec: Spec) -> Source:
    """The files of the transform that ``spec`` asks for, on one digit or one word."""
    writer, part = ProgramWriter(spec), StepPart(spec)
    source = kernel("ntt", title(spec), writer, steps_transform(writer, part), writer.target.lanes)
    source.notes.append(note(part))
    return source


def stepped_product(spec: Spec) -> bool:
    """Whether both transforms of a polynomial product go by steps."""
    return all(map(stepped, ways(spec).values()))


def stepped_product_source(spec: Spec) -> Source:
    """The files of the product that ``spec`` asks for, by transforms in steps."""
    writer, lazy = ProgramWriter(spec), spec.arith.lazy
    lanes = writer.target.lanes
    parts = [StepPart(each, f"{way}_", after_product=each.inverse) for way, each in ways(spec, lazy).items()]
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), lanes, USER)
    source = kernel("polymul", product_title(spec), writer, steps_product(writer, *parts), lanes)
    source.notes.extend(map(note, parts))
    return source


def note(part: StepPart) -> str:
    """What a transform is inside, for people."""
    passes = len(part.plan.columns) + 1
    across = f"in {passes} passes, depth first" if passes > 1 else "in one pass"
    words = f"64-bit words, quotients by {part.digit}-bit products"
    which = f"{part.name.removesuffix('_')}: " if part.name else ""
    return f"{which}limbs: {words if part.whole else f'1 digit of radix 2^{part.digit}'}, {across}"
