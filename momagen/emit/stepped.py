"""The files of transforms in steps, and of products by them, whose residues fit one digit, or one word.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.elements import montgomery_product
from momagen.kernels.one_word import longest
from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.stage import USER
from momagen.kernels.tiles import fits
from momagen.lower.element_loops import write_loop
from momagen.lower.reorder import write_reorder
from momagen.lower.step_part import ZEROTH, StepPart
from momagen.lower.steps import write_steps
from momagen.targets import load_target

from .ntt import ends, rendered, ring_numbers, title
from .source import Source, Writer
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


def stepped_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on one digit or one word."""
    writer, natural = Writer(spec), spec.order == "natural"
    if natural:
        write_reorder(writer, "reorder", spec.n.bit_length() - 1)
    return _source("stepped", title(spec), writer, [StepPart(spec)], {**ends(spec), "kept": natural})


def stepped_product(spec: Spec) -> bool:
    """Whether both transforms of a polynomial product go by steps."""
    return all(map(stepped, ways(spec).values()))


def stepped_product_source(spec: Spec) -> Source:
    """The C file and header of the product that ``spec`` asks for, by transforms in steps."""
    writer = Writer(spec)
    lazy, lanes = writer.arith.lazy, writer.target.lanes
    parts = [StepPart(each, f"{way}_", after_product=each.inverse) for way, each in ways(spec, lazy).items()]
    write_loop(writer, "product", montgomery_product(writer.arith, 1, lazy), lanes, USER)
    what = f"Product of polynomials of {spec.n} coefficients"
    return _source("stepped_polymul", what, writer, parts, {"kept": True, "lanes": lanes})


def _source(kind: str, what: str, writer: Writer, parts: Sequence[StepPart], more: dict[str, object]) -> Source:
    """The files of the transforms ``parts``; what a plan has of each of them is in the template ``parts``."""
    write_steps(writer, parts)
    plans = [
        {
            "name": part.name, "constants": ZEROTH + part.entry, "table_words": part.table_words, "converts": False,
            "text": "",
        }
        for part in parts
    ]  # fmt: skip
    numbers = {**ring_numbers(writer.spec), "parts": plans, **more}
    source = rendered(kind, what, writer, writer.target.lanes, numbers)
    source.notes.extend(map(note, parts))
    return source


def note(part: StepPart) -> str:
    """What a transform is inside, for people."""
    passes = len(part.plan.columns) + 1
    across = f"in {passes} passes, depth first" if passes > 1 else "in one pass"
    words = f"64-bit words, quotients by {part.digit}-bit products"
    which = f"{part.name.removesuffix('_')}: " if part.name else ""
    return f"{which}limbs: {words if part.whole else f'1 digit of radix 2^{part.digit}'}, {across}"
