"""Work on all cores: compilers and kernels run while Python does something else."""

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
"""Called from time to time: raises :class:`Stopped` when nobody waits for the result any more."""
PAUSE = 0.05
"""Seconds after which programs that were started late are ended."""


class Stopped(Exception):
    """The work was for nothing: another part of it failed, or a signal came."""


def side_by_side(do: Callable[[Given, GoOn], Done], items: Sequence[Given]) -> Generator[Done, None, None]:
    """``do(item, go_on)`` for all items, as many at a time as this process has cores; gives results in order.

    When one raises, or the caller stops, nothing more begins, programs in progress are ended, and ``go_on`` raises.
    """
    stop = Event()

    def go_on(*_: object) -> None:
        if stop.is_set():
            raise Stopped

    begun: list[Future[Done]] = []
    with ThreadPoolExecutor(_cores()) as pool:
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
    """End programs until no work is left: a thread may just have started one, or start another."""
    end_all()
    while not all(each.done() for each in begun):
        time.sleep(PAUSE)
        end_all()


def _cores() -> int:
    """Those that this process may use; where the system does not say, one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
