"""The query for what momagen generates: whether a target supports a kernel, and if not, why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from momagen.errors import MomagenError

from .registry import kind_named, kind_of


@dataclass(frozen=True)
class Support:
    """Whether momagen generates a kernel; in conditions, it is true if momagen does.

    Attributes:
        reason: Why not, in the line of the error that the function for the kind raises; "" if the kernel is supported.
    """

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


SUPPORTED = Support()


def supports(kind: str, parameters: Mapping[str, object], target: object) -> Support:
    """Return whether momagen generates a kernel for a target. No code is printed or compiled.

    The request is resolved and planned as for the kernel itself, whose kind, planner and printer state their limits.

    Args:
        kind: The name of a kind.
        parameters: Parameters and options by name, as users write them.
        target: The target, or its name.
    """
    return support_of(lambda: kind_named(kind).resolve({**parameters, "target": target}))


def support_of(make: Callable[[], Any]) -> Support:
    """Return whether the kernel of a request is supported; ``make`` returns the request, or raises its error."""
    try:
        request = make()
        kind_of(request).check_target(request)
    except MomagenError as error:
        return Support(str(error))
    return SUPPORTED
