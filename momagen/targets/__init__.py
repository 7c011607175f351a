"""Targets: machines as data, read from ``targets/*.toml`` and checked.

:func:`load_target` returns the :class:`Target` with a name or in a file; it has the word width, the lanes, the
registers, the caches, and the spelling of every operation. :func:`names` lists the shipped targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .engine import Engine
    from .memory import Memory
    from .read import load_target, parse_target, right, shipped
    from .shipped import names
    from .spelling import Proposal, Spelling
    from .target import Target
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.targets.engine": ("Engine",), "momagen.targets.memory": ("Memory",),
            "momagen.targets.read": ("load_target", "parse_target", "right", "shipped"),
            "momagen.targets.shipped": ("names",),
            "momagen.targets.spelling": ("Proposal", "Spelling"), "momagen.targets.target": ("Target",),
        },
    )  # fmt: skip

__all__ = [
    "Engine", "Memory", "Proposal", "Spelling", "Target", "load_target", "names", "parse_target", "right", "shipped",
]  # fmt: skip
