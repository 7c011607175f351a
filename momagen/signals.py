"""Signals that ask a process to end, as exceptions, so that unfinished work is cleaned up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
GRACE = 2.0
"""The time in seconds that the main thread may stay in C code, where Python handles no signal.

After that time the process ends.
"""


class Ended(BaseException):
    """The exception for a signal that asked this process to end.

    Attributes:
        code: The exit code, 128 + the number of the signal, as in shells.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.strsignal(number))
        self.code = 128 + number


@contextmanager
def noting(kept: Callable[[], str]) -> Iterator[None]:
    """Add the result of ``kept`` as a note to a signal that ends the work; the command line prints the note."""
    try:
        yield
    except (Ended, KeyboardInterrupt) as ended:
        ended.add_note(kept())
        raise


class _State:
    """The state of the main thread.

    Attributes:
        came: The number of the signal that arrived, or 0.
        begun: The number of sections in which signals are deferred.
        heard: Whether Python has handled the signal.
    """

    came = 0
    begun = 0
    heard = threading.Event()


def _hear(number: int, frame: FrameType | None) -> None:
    """Handle a signal; only the first one counts, because later ones must not disturb the clean-up."""
    if not _State.came:
        _State.came = number
        _State.heard.set()
        if not _State.begun:
            raise Ended(number)


@contextmanager
def ending(abandon: Callable[[], None]) -> Iterator[None]:
    """Raise :class:`Ended` in the main thread for a signal in ``ENDING``; signals that were ignored stay ignored.

    If the main thread does not handle the signal for ``GRACE`` seconds, ``abandon`` is called and the process ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.came, _State.begun, _State.heard = 0, 0, threading.Event()
    previous = {each: signal.getsignal(each) for each in ENDING}
    with _overheard(abandon):
        try:
            for each, handler in previous.items():
                if handler is not signal.SIG_IGN:
                    signal.signal(each, _hear)
            yield
        finally:
            for each, handler in previous.items():
                signal.signal(each, handler)
            _State.came = 0


@contextmanager
def deferred() -> Iterator[None]:
    """Defer signals, so that everything that is created in this section is also recorded for the clean-up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.begun += 1
    try:
        yield
    finally:
        _State.begun -= 1
    if _State.came and not _State.begun:
        raise Ended(_State.came)


@contextmanager
def _overheard(abandon: Callable[[], None]) -> Iterator[None]:
    """Run a thread that reads the numbers of signals as the system sends them."""
    read, write = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and does not ask for it
        os.set_blocking(write, False)

    def listen() -> None:
        while number := next(iter(os.read(read, 1)), 0):
            if number in ENDING and not _State.heard.wait(GRACE):
                abandon()
                os._exit(128 + number)

    listener = threading.Thread(target=listen, daemon=True)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(write)
        listener.join()
        os.close(read)
