"""``target="native"``: the best shipped target that this CPU has, for one kernel."""

from __future__ import annotations

from collections.abc import Callable

from momagen.build.native import candidates
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec


def best(make: Callable[[str], Spec]) -> Spec:
    """The specification that ``make`` gives for the best target; with options, for the best one that takes them.

    Raises:
        MomagenError: what the best target refuses, where no other one takes it.
    """
    known = candidates()
    first = make(known[0])
    if not first.options or _possible(first):
        return first
    return next((spec for name in known[1:] if (spec := _made(make, name))), first)


def _made(make: Callable[[str], Spec], target: str) -> Spec | None:
    """The specification for ``target``; None where that, or its code, is refused."""
    try:
        spec = make(target)
    except MomagenError:
        return None
    return spec if _possible(spec) else None


def _possible(spec: Spec) -> bool:
    try:
        generate(spec)
    except MomagenError:
        return False
    return True
