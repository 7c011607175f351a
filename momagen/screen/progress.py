"""Progress of long commands on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING

from momagen.errors import printable
from momagen.lazy import on_call

from . import SafeConsole

if TYPE_CHECKING:
    from rich.progress import Progress

phase_bar: Callable[[SafeConsole], Progress] = on_call("momagen.screen.bar", "phase_bar")
LOG = logging.getLogger(__name__)
EVERY = 10.0
"""The time in seconds between two lines if standard error is not a terminal; a shorter command prints no line."""
LATE = "the rest takes longer than estimated"
Report = Callable[[float, str], None]
"""The type of a function that is called with the part done (0 to 1) and the name of the next step."""


def silent(part: float, what: str) -> None:
    """Ignore a progress report (no-op callback)."""


def part_of(progress: Report, at: int, count: int) -> Report:
    """Return a function that reports the progress of part number ``at`` of ``count`` equal parts to ``progress``."""
    return lambda part, what: progress((at + part) / count, what)


def duration_text(seconds: float) -> str:
    """Return a duration in one or two units, such as "40 s", "3 min" or "1 h 20 min"."""
    whole = max(round(seconds), 0)
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def counted(progress: Report, total: int) -> Callable[[str], None]:
    """Return a function that is called after each of ``total`` steps with the step's name."""
    done = count(1)
    progress(0.0, "")
    return lambda name: progress(next(done) / total, name)


class Estimate:
    """The progress of one phase, and an estimate of its remaining time from the pace since its first report.

    Attributes:
        part: The part done, 0 to 1, or None before the first report.
        what: The name of the next step.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self.what = clock, ""
        self.part: float | None = None
        self._first = self._latest = (clock(), 0.0)

    def report(self, part: float, what: str) -> None:
        """Record that ``part`` is done.

        The work of an interrupted run, before the first report, does not count for the pace.
        """
        if self.part is None:
            self._first = (self._clock(), part)
        self._latest, self.part, self.what = (self._clock(), part), part, what

    @property
    def left(self) -> float | None:
        """The estimated remaining time in seconds, negative if the phase takes longer, or None without an estimate."""
        (began, first), (latest, part) = self._first, self._latest
        if part <= first or latest <= began:
            return None
        return (1 - part) * (latest - began) / (part - first) - (self._clock() - latest)

    @property
    def left_text(self) -> str:
        """The same estimate as text, or ""."""
        if self.left is None:
            return ""
        return f"about {duration_text(self.left)} left" if self.left > 0 else LATE

    def __str__(self) -> str:
        done, left = "" if self.part is None else f"{self.part:.0%} done", self.left_text
        return ": ".join(filter(None, [", ".join(filter(None, [done, left])), self.what]))


class Phases:
    """The phases of one command and their progress.

    Attributes:
        seconds: The duration of each phase in seconds, by name.
    """

    def __init__(self) -> None:
        screen = SafeConsole(stderr=True)
        self._bar = phase_bar(screen) if screen.is_terminal else None
        self._lines = None if self._bar else _Speaker()
        self.seconds: dict[str, float] = {}

    def __enter__(self) -> Phases:
        if self._bar:
            self._bar.start()
        if self._lines:
            self._lines.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
        if self._lines:
            self._lines.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the bar while something is printed."""
        if self._bar:
            self._bar.stop()
        yield
        if self._bar:
            self._bar.start()

    @contextmanager
    def of(self, name: str) -> Iterator[Report]:
        """Begin a phase, and yield the function that reports its progress."""
        estimate, start = Estimate(), time.perf_counter()
        task = self._bar.add_task(name, total=None, estimate=estimate) if self._bar else None
        if self._lines:
            self._lines.show(name, estimate)

        def report(part: float, what: str) -> None:
            estimate.report(part, what)
            if self._bar and task is not None:
                self._bar.update(task, completed=part, total=1.0)

        try:
            yield report
        finally:
            self.seconds[name] = time.perf_counter() - start
            LOG.info("%s: %.2f s", name, self.seconds[name])
            if self._bar and task is not None:
                self._bar.remove_task(task)


class _Speaker(threading.Thread):
    """A thread that prints the progress of the latest phase every ten seconds, whether or not it reports."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._shown, self._end = ("", Estimate()), threading.Event()

    def show(self, name: str, estimate: Estimate) -> None:
        """Select the phase whose progress is printed from now on."""
        self._shown = (name, estimate)

    def run(self) -> None:
        """Print a line from time to time."""
        began = time.perf_counter()
        while not self._end.wait(EVERY):
            name, estimate = self._shown
            if not name:  # no phase has begun
                continue
            spent = duration_text(time.perf_counter() - began)
            line = f"{name}: {str(estimate) or 'begun'} ({spent} so far)"
            print(printable(line), file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the thread."""
        self._end.set()
        self.join()
