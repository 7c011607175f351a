"""The choice of a target for ``target="native"``: the best shipped target that this CPU supports, for one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_named
from momagen.runtime.native import NATIVE, candidates
from momagen.targets import Target


def best(make: Callable[[Target], Spec]) -> Spec:
    """Return the specification for the best target of this CPU on which the kernel can be generated.

    Without options, the best target is always chosen. With options, the first target that supports them is chosen.

    Args:
        make: A function that returns the specification for a target.

    Raises:
        MomagenError: No target supports the kernel; the error is that of the best target.
    """
    known = candidates()
    first = make(known[0])
    if not first.options or _possible(first):
        return first
    return next((spec for target in known[1:] if (spec := _made(make, target))), first)


def resolved(kind: str, values: Mapping[str, object]) -> Any:
    """Return the checked request for a kind and values as users write them.

    "native" stands for the best target of this CPU that supports the kernel.

    Raises:
        MomagenError: The values are invalid; for "native", the error is that of the best target.
    """
    own = kind_named(kind)
    wanted = values.get("target")
    if own.finds_native or not isinstance(wanted, str) or wanted != NATIVE:
        return own.resolve(values)
    first, *others = candidates()
    try:
        return own.resolve({**values, "target": first})
    except MomagenError as error:
        for target in others:
            with suppress(MomagenError):
                return own.resolve({**values, "target": target})
        raise error from None


def _made(make: Callable[[Target], Spec], target: Target) -> Spec | None:
    """Return the specification for ``target``, or None if the target does not support it."""
    try:
        spec = make(target)
    except MomagenError:
        return None
    return spec if _possible(spec) else None


def _possible(spec: Spec) -> bool:
    """Return whether the kernel of ``spec`` can be generated."""
    try:
        generate(spec)
    except MomagenError:
        return False
    return True
