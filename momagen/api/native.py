"""The step from values as users write them to a checked request, with the choice of a target for "native"."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from momagen.errors import MomagenError
from momagen.kinds.kind import Kind
from momagen.kinds.registry import chosen_kind
from momagen.runtime.native import NATIVE, tuned_candidates
from momagen.targets import Target


def resolved(kind: str, /, **values: Any) -> Any:
    """Return the checked request for a kind and values as users write them, where None means the default.

    "native" means the best target of this CPU that supports the kernel with its options, so that the request means
    the same on every machine.

    Raises:
        MomagenError: There is no such kind, or the values are invalid; for "native", the error is that of the best
            target.
    """
    own = chosen_kind(kind)
    wanted = values.get("target")
    if not isinstance(wanted, str) or wanted != NATIVE:
        return own.resolve(values)
    known = tuned_candidates()
    able = (request for target in known if (request := _request(own, values, target)))
    return next(able, None) or own.resolve({**values, "target": known[0]})


def _request(kind: Kind, values: Mapping[str, object], target: Target) -> Any:
    """Return the request for a target, or None if the target does not support the kernel.

    Without options, a target supports all kernels whose requests it accepts.
    """
    with suppress(MomagenError):
        request = kind.resolve({**values, "target": target})
        if any(values.get(name) is not None for name in kind.command.options):
            kind.check_target(request)
        return request
    return None
