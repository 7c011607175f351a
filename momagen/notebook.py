"""Progress where a notebook calls: a bar in the cell's output, which empties when it is done. Elsewhere nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from momagen.errors import MomagenError, quoted
from momagen.html import bar

Progress = Callable[[float, str], None]
"""Called with the part that is done, 0 to 1, and what comes next."""
PAUSE = 0.1
"""Seconds between two pictures of a bar."""


@contextmanager
def watched(progress: Progress | None) -> Iterator[Progress]:
    """Yield ``progress`` if the caller passed one; else a progress bar in a notebook, or a function that does nothing.

    Raises:
        MomagenError: ``progress`` is not callable.
    """
    if progress is not None and not callable(progress):
        expected = "a function of two arguments, the fraction that is done and the next step"
        raise MomagenError(expected, quoted(progress), "progress")
    shell = None if progress else _shell()
    if shell is None:
        yield progress or (lambda part, what: None)
        return
    handle, latest = shell.display(_Html(bar(0.0, "")), display_id=True), [0.0]

    def show(part: float, what: str) -> None:
        if time.monotonic() - latest[0] >= PAUSE:
            latest[0] = time.monotonic()
            handle.update(_Html(bar(part, what)))

    try:
        yield show
    finally:
        handle.update(_Html(""))


class _Html:
    """What shows as this HTML, and as nothing where HTML cannot be shown."""

    def __init__(self, text: str) -> None:
        self._repr_html_ = lambda: text

    def __repr__(self) -> str:
        return ""


def _shell() -> Any:
    """IPython.display, where a notebook's kernel runs this; a notebook has imported it already."""
    ipython = sys.modules.get("IPython")
    running = ipython.get_ipython() if ipython else None
    if running is None or not hasattr(running, "kernel"):
        return None
    return import_module("IPython.display")
