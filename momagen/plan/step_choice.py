"""Whether a transform goes in steps: by its target, its width and size, and the options."""

from __future__ import annotations

from momagen.kernels.residues.single_word import longest
from momagen.kernels.spec.options import TILING
from momagen.kernels.spec.spec import Spec
from momagen.plan.tiles import fits
from momagen.targets import load_target

from .tile_choice import TAKEN, one_double

NEEDS = frozenset({"mullo", "mulhalf", "umin", "umax"})
"""Operations that a target needs for such transforms."""


def able(spec: Spec) -> bool:
    """Whether transforms go by steps on the target, where residues fit one word: nothing else may be asked for."""
    target, options = load_target(spec.target), spec.options
    free = not {*TAKEN, *TILING} & set(options) and options.get("digits") != "full"
    return target.ops.keys() >= NEEDS and free and fits(spec.n, target.lanes) and spec.columns == 1


def stepped(spec: Spec) -> bool:
    """Whether the transform goes by steps: on one digit, or where none and no double holds a residue, on one word."""
    digit = load_target(spec.target).digit
    words = spec.width > digit and ("digits" in spec.options or spec.options.get("quotients") == "computed")
    return able(spec) and not (words or no_room(spec) or (spec.width > digit and one_double(spec)))


def no_room(spec: Spec) -> bool:
    """Whether residues leave no room in a word beside a product."""
    return spec.width > longest(load_target(spec.target).digit)
