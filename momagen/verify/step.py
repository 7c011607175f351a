"""A piece of a verification, small enough for a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class CheckStep(NamedTuple):
    """What it does, and the doing; it raises :class:`momagen.verify.report.Found` at the first wrong value."""

    title: str
    run: Callable[[], object]
