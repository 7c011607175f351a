"""The targets that this CPU supports, and the name "native" for the best of them."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.languages import COMPILED
from momagen.targets import load_target, names

from .features import missing_features

NATIVE = "native"
USE = "kernels"
"""The purpose of targets for general use."""


def in_c() -> list[str]:
    """Return the shipped C targets for general use, without those that are the layout variants of another target."""
    every = list(map(load_target, names()))
    narrow = {other for target in every for other in target.layouts.values()}
    return [each.name for each in every if each.syntax == COMPILED and each.purpose == USE and each.name not in narrow]


def candidates() -> list[str]:
    """Return the targets of :func:`in_c` that this CPU supports, best first.

    There is always one, because ``c64`` needs no feature.
    """
    able = [target for target in map(load_target, in_c()) if not missing_features(target.features)]
    return [target.name for target in sorted(able, key=lambda target: target.rank)]


def named(targets: Iterable[str]) -> list[str]:
    """Return ``targets`` with "native" replaced by the best target that this CPU supports."""
    return [candidates()[0] if target == NATIVE else target for target in targets]
