"""``target="native"``: the best shipped target that this CPU has, for one kernel."""

from __future__ import annotations

from collections.abc import Callable

from momagen.build import missing_features
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.targets import load_target, names

NATIVE = "native"
SYNTAX = "c"


def candidates() -> list[str]:
    """The shipped targets in C whose features this CPU has, best first; ``c64`` needs none, so there is always one."""
    found = [target for target in map(load_target, names()) if target.syntax == SYNTAX]
    able = [target for target in found if not missing_features(target.features)]
    return [target.name for target in sorted(able, key=lambda target: target.rank)]


def best(make: Callable[[str], Spec]) -> Spec:
    """The specification that ``make`` gives for the best target; with options, for the best one that takes them.

    Raises:
        MomagenError: what the best target refuses, where no other one takes it.
    """
    known = candidates()
    first = make(known[0])
    if not first.options:
        return first
    return next((spec for spec in (first, *map(make, known[1:])) if _possible(spec)), first)


def _possible(spec: Spec) -> bool:
    try:
        generate(spec)
    except MomagenError:
        return False
    return True
