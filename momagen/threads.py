"""Work on all cores: compilers and kernels run while Python does something else."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from .processes import end_all

Given = TypeVar("Given")
Done = TypeVar("Done")
GoOn = Callable[..., None]
"""Called from time to time: raises :class:`Stopped` when nobody waits for the result any more."""


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

    with ThreadPoolExecutor(_cores()) as pool:
        begun = [pool.submit(do, item, go_on) for item in items]
        try:
            for each in begun:
                yield each.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise


def _cores() -> int:
    """Those that this process may use; where the system does not say, one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
