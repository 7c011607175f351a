"""The targets that this CPU supports, and the name "native" for the best of them."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.languages import COMPILED
from momagen.targets import Target, load_target, shipped

from .features import cpu_model, missing_features

NATIVE = "native"
USE = "kernels"
"""The purpose of targets for general use."""


def in_c() -> list[Target]:
    """Return the shipped C targets for general use, without those that are the layout variants of another target."""
    every = shipped()
    narrow = {other for target in every for other in target.layouts.values()}
    return [each for each in every if each.syntax == COMPILED and each.purpose == USE and each.name not in narrow]


def candidates() -> list[Target]:
    """Return the targets of :func:`in_c` that this CPU supports, best first.

    There is always one, because ``c64`` needs no feature.
    """
    able = [target for target in in_c() if not missing_features(target.features)]
    return sorted(able, key=lambda target: target.rank)


def tuned(target: Target) -> Target:
    """Return the target with the values tuned for the core family of this CPU, or ``target`` if it has none."""
    model = cpu_model()
    found = next((name for name, family in target.cores.items() if model in family.cpus), None)
    return load_target(f"{target}:{found}") if found else target


def tuned_candidates() -> list[Target]:
    """Return the targets of :func:`candidates`, each with the values tuned for the core family of this CPU."""
    return list(map(tuned, candidates()))


def named(targets: Iterable[str]) -> list[str]:
    """Return ``targets`` with "native" replaced by the best target that this CPU supports."""
    return [str(tuned_candidates()[0]) if target == NATIVE else target for target in targets]
