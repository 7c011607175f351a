"""Progress on standard error: a bar for a person who waits; elsewhere nothing, or a line per step."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from momagen.errors import printable
from momagen.screen import SafeConsole

LOG = logging.getLogger(__name__)
Report = Callable[[float, str], None]
"""Called with the part that is done, 0 to 1, and what comes next."""


class Phases:
    """The phases of one command, one bar each while it lasts; ``seconds`` keeps how long each took.

    ``lines``: of a command that may take minutes; a line for each step where standard error is no terminal.
    """

    def __init__(self, *, lines: bool = False) -> None:
        screen = SafeConsole(stderr=True)
        self._lines = lines and not screen.is_terminal
        name, what = TextColumn("{task.description:<12}"), TextColumn("{task.fields[what]}")
        columns = (SpinnerColumn(), name, BarColumn(), TimeElapsedColumn(), what)
        self._progress = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
        self.seconds: dict[str, float] = {}

    def __enter__(self) -> Phases:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    @contextmanager
    def of(self, name: str) -> Iterator[Report]:
        """A phase; call what this gives with its progress, if it is known."""
        task, start = self._progress.add_task(name, total=None, what=""), time.perf_counter()

        def report(part: float, what: str) -> None:
            if self._lines and what:
                print(printable(f"{name}: {what}"), file=sys.stderr, flush=True)
            self._progress.update(task, completed=part, total=1.0, what=what)

        try:
            yield report
        finally:
            self.seconds[name] = time.perf_counter() - start
            LOG.info("%s: %.2f s", name, self.seconds[name])
            self._progress.remove_task(task)
