"""Progress bars in notebooks, which disappear when the work is done."""

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
"""The type of a function that is called with the part done (0 to 1) and the name of the next step."""
PAUSE = 0.1
"""The time in seconds between two updates of a bar."""


@contextmanager
def watched(progress: Progress | None) -> Iterator[Progress]:
    """Yield the caller's ``progress``, or a function that updates a bar in a notebook, or one that does nothing.

    Raises:
        MomagenError: ``progress`` cannot be called.
    """
    if progress is not None and not callable(progress):
        expected = "a function of two arguments, the completed fraction and the next step"
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
    """An object that is displayed as HTML, or as nothing if HTML cannot be displayed."""

    def __init__(self, text: str) -> None:
        self._repr_html_ = lambda: text

    def __repr__(self) -> str:
        return ""


def _shell() -> Any:
    """Return IPython.display if this runs in a notebook, otherwise None; a notebook has already imported it."""
    ipython = sys.modules.get("IPython")
    running = ipython.get_ipython() if ipython else None
    if running is None or not hasattr(running, "kernel"):
        return None
    return import_module("IPython.display")
