"""Targets: machines as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .memory import Memory
    from .read import load_target, parse_target
    from .shipped import names
    from .target import Spelling, Target
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.targets.memory": ("Memory",),
            "momagen.targets.read": ("load_target", "parse_target"), "momagen.targets.shipped": ("names",),
            "momagen.targets.target": ("Spelling", "Target"),
        },
    )  # fmt: skip

__all__ = ["Memory", "Spelling", "Target", "load_target", "names", "parse_target"]
