"""The files of a transform in tiles whose residues fit one digit.

A word of the user is a digit as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.tiles import fits
from momagen.targets import load_target

from .ntt import ends, files, title
from .source import Source
from .step_numbers import StepTransforms
from .steps import StepWriter
from .tile_choice import TAKEN

NEEDS = frozenset({"fmalo", "fmahi", "umin", "umax"})
"""Operations of the target without which it has no such transforms."""


LONGEST = 62
"""Bits of a modulus at most: words then hold sums of two products."""


def able(spec: Spec) -> bool:
    """Whether transforms go by steps on the target, where residues fit one digit: nothing else may be asked for."""
    target, options = load_target(spec.target), spec.options
    free = not {*TAKEN, *TILING} & set(options) and options.get("digits") != "full"
    has = target.legal_digit("mulhi", target.digit) and target.ops.keys() >= NEEDS
    return has and free and spec.order == "bitrev" and fits(spec.n, target.lanes)


def stepped(spec: Spec) -> bool:
    """Whether the transform goes by steps."""
    return able(spec) and spec.width <= LONGEST


def stepped_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on one digit."""
    writer = StepWriter(spec)
    source = files("steps", title(spec), StepTransforms(writer), writer.target.lanes, ends(spec))
    passes = len(writer.plan.columns) + 1
    across = f"data crosses memory {passes} time{'s' * (passes > 1)}"
    source.notes.append(f"inside, one digit of {writer.target.digit} bits with slack; {across}")
    return source
