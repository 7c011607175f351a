"""The files of transforms in tiles, and of products by them, whose residues fit one digit, or one word.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from momagen.kernels.elements import montgomery_product
from momagen.kernels.one_word import longest
from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER
from momagen.kernels.tiles import fits
from momagen.targets import load_target

from .loop import write_loop
from .ntt import ends, files, title
from .parts import numbers_of
from .source import Source, Writer
from .step_numbers import StepTransforms
from .steps import StepWriter
from .tile_choice import TAKEN, one_double
from .tiled import ways

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


@dataclass(frozen=True)
class StepParts:
    """What the templates ask of a file with the transforms ``parts``, by name; "" where there is but one."""

    writer: Writer
    parts: Mapping[str, StepWriter]

    def needs(self) -> list[str]:
        return [name for part in self.parts.values() for name in StepTransforms(part).needs()]

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        numbers = {name: StepTransforms(part).numbers() for name, part in self.parts.items()}
        kept = len(self.parts) > 1 or self.writer.spec.order == "natural"
        return numbers_of(self.writer, self.parts, numbers, "c/steps.c.j2", kept)


def stepped_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on one digit or one word."""
    writer = StepWriter(spec)
    source = files("stepped", title(spec), StepParts(writer, {"": writer}), writer.target.lanes, ends(spec))
    source.notes.append(note(writer))
    return source


def note(writer: StepWriter) -> str:
    """What a transform is inside, for people."""
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} passes, depth first" if passes > 1 else "in one pass"
    words = f"64-bit words, quotients by {writer.digit}-bit products"
    return f"limbs: {words if writer.whole else f'1 digit of radix 2^{writer.digit}'}, {across}"


def stepped_product(spec: Spec) -> bool:
    """Whether both transforms of a polynomial product go by steps."""
    return all(map(stepped, ways(spec).values()))


def stepped_product_source(spec: Spec) -> Source:
    """The C file and header of the product that ``spec`` asks for, by transforms in steps."""
    writer = Writer(spec)
    lazy, lanes = writer.arith.lazy, writer.target.lanes
    parts = {f"{way}_": StepWriter(each, writer) for way, each in ways(spec, lazy).items()}
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), lanes, USER)
    what = f"Product of polynomials of {spec.n} coefficients"
    source = files("stepped_polymul", what, StepParts(writer, parts), lanes, {})
    source.notes.extend(f"{name.removesuffix('_')}: {note(part)}" for name, part in parts.items())
    return source
