"""The files of a transform in tiles whose residues fit one digit, or one word.

A word of the user is taken as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from momagen.kernels.one_word import longest
from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.tiles import fits
from momagen.targets import load_target

from .ntt import ends, files, title
from .source import Source
from .step_numbers import StepTransforms
from .steps import StepWriter
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
    """The C file and header of the transform that ``spec`` asks for, on one digit or one word."""
    writer = StepWriter(spec)
    source = files("steps", title(spec), StepTransforms(writer), writer.target.lanes, ends(spec))
    passes = len(writer.plan.columns) + 1
    across = f"in {passes} passes, depth first" if passes > 1 else "in one pass"
    digit = f"{writer.digit} bits"
    held = f"words, their quotients by digits of {digit}" if writer.whole else f"one digit of {digit} with slack"
    source.notes.append(f"inside, {held}, {across}")
    return source
