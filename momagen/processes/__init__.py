"""Child processes and their work folders, which end with the call that needs them, however it ends."""

from __future__ import annotations

from .running import (
    HERE,
    PARENT,
    Child,
    child,
    end_all,
    end_for_good,
    live_with_parent,
    run,
    run_child,
    work_folder,
)  # fmt: skip

__all__ = [
    "HERE", "PARENT", "Child", "child", "end_all", "end_for_good", "live_with_parent", "run", "run_child",
    "work_folder",
]  # fmt: skip
