"""The targets that this CPU has, and the name "native" for the best of them."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.languages import COMPILED
from momagen.targets import load_target, names

from .features import missing_features

NATIVE = "native"
USE = "kernels"
"""What targets to use are for."""


def in_c() -> list[str]:
    """The shipped targets whose kernels a compiler makes machine code of, to use; not those that another's layouts
    name."""
    every = list(map(load_target, names()))
    narrow = {other for target in every for other in target.layouts.values()}
    return [each.name for each in every if each.syntax == COMPILED and each.purpose == USE and each.name not in narrow]


def candidates() -> list[str]:
    """Those of :func:`in_c` whose features this CPU has, best first; ``c64`` needs none, so there is always one."""
    able = [target for target in map(load_target, in_c()) if not missing_features(target.features)]
    return [target.name for target in sorted(able, key=lambda target: target.rank)]


def named(targets: Iterable[str]) -> list[str]:
    """``targets`` with "native" as the name of the best one that this CPU has."""
    return [candidates()[0] if target == NATIVE else target for target in targets]
