"""Work on all cores: compilers and kernels run in threads while Python continues."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from .processes import end_all
from .signals import deferred

Given = TypeVar("Given")
Done = TypeVar("Done")
GoOn = Callable[..., None]
"""The type of a function that work calls from time to time.

It raises :class:`Stopped` if the result of the work is no longer needed.
"""
PAUSE = 0.05
"""The time in seconds after which programs that were started late are ended."""


class Stopped(Exception):
    """The exception that cancels work, because another part of it failed or a signal arrived."""


def side_by_side(do: Callable[[Given, GoOn], Done], items: Sequence[Given]) -> Generator[Done, None, None]:
    """Yield ``do(item, go_on)`` for all items in order, with one thread for each core that this process may use.

    If a call raises, or the caller stops, no further call begins, running programs are ended, and ``go_on`` raises.
    """
    stop = Event()

    def go_on(*_: object) -> None:
        if stop.is_set():
            raise Stopped

    begun: list[Future[Done]] = []
    with ThreadPoolExecutor(cores()) as pool:
        try:
            with deferred():
                begun += [pool.submit(do, item, go_on) for item in items]
            for each in begun:
                yield each.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            _end_programs_of(begun)
            raise


def _end_programs_of(begun: Sequence[Future[Done]]) -> None:
    """End programs until no call is left, because a thread may just have started one or may start another."""
    end_all()
    while not all(each.done() for each in begun):
        time.sleep(PAUSE)
        end_all()


def cores() -> int:
    """Return the number of cores that this process may use, or 1 if the system does not state it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
