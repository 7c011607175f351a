"""One step of a verification, small enough for a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class CheckStep(NamedTuple):
    """One step of a verification.

    Attributes:
        title: The name of the step.
        run: The function that does it, and raises :class:`momagen.verify.report.Found` at the first incorrect value.
    """

    title: str
    run: Callable[[], object]
