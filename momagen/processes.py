"""Programs that we start, and their work folders: gone when the call that needs them ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .signals import deferred

GRACE = 2.0
"""Seconds that a program which was told to end may take."""
PARENT = "MOMAGEN_PARENT"
"""The variable that gives a child process the read end of a pipe, which closes when the parent ends."""
HERE = str(Path(__file__).resolve().parents[1])
Child = subprocess.Popen[bytes]
_programs: set[subprocess.Popen[Any]] = set()
_folders: set[Path] = set()
_starting = threading.Lock()


def run(
    command: Sequence[str], stdin: str = "", seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run a program to its end, and what it starts.

    Raises:
        TimeoutExpired: it took more than ``seconds``; it is stopped, as by any exception.
        OSError: it cannot be started.
    """
    pipe = subprocess.PIPE
    with deferred(), _starting:
        program = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace", env=environment,
            start_new_session=True,
        )  # fmt: skip
        _programs.add(program)
    with program:
        try:
            out, err = program.communicate(stdin, timeout=seconds)
        except BaseException:
            _end(program)
            raise
        finally:
            _programs.discard(program)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """A folder in ``parent``; afterwards it is gone."""
    with deferred(), _starting:
        path = Path(tempfile.mkdtemp(dir=parent))
        _folders.add(path)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        _folders.discard(path)


def end_all() -> None:
    """End every program that runs, and delete the folders that they work in."""
    for program in list(_programs):
        _end(program)
    for path in list(_folders):
        shutil.rmtree(path, ignore_errors=True)


def end_for_good() -> None:
    """As :func:`end_all`, from another thread of a process that ends; it keeps the lock, so nothing new starts."""
    _starting.acquire()
    end_all()


def _end(program: subprocess.Popen[Any]) -> None:
    """Kill it with what it started (gcc's work is done by a child of its own), and wait until all are gone."""
    end = time.monotonic() + GRACE
    while _kill(program) and time.monotonic() < end:
        time.sleep(0.01)
        program.poll()


def _kill(program: subprocess.Popen[Any]) -> bool:
    """Kill it and its group, if there is one left."""
    if not hasattr(os, "killpg"):
        program.kill()
        return False
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # macOS: a group of zombies
        return False
    return True


@contextmanager
def child(module: str, *arguments: str, pass_fds: Sequence[int] = (), **pipes: Any) -> Iterator[Child]:
    """``python -m module`` of this momagen, nothing of the current folder; afterwards it has ended, with all it began.

    It ends by itself, at once, when this process does: :func:`live_with_parent`.
    """
    path = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH"))))
    theirs, ours = os.pipe()
    told, kept = ({PARENT: str(theirs)}, [*pass_fds, theirs]) if os.name == "posix" else ({}, [])
    try:
        with deferred():
            program = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *arguments], env={**os.environ, "PYTHONPATH": path, **told},
                start_new_session=True, pass_fds=kept, **pipes,
            )  # fmt: skip
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        yield program
    finally:
        os.close(ours)
        with suppress(subprocess.TimeoutExpired):
            program.wait(GRACE)
        _end(program)
        program.wait()
        for pipe in filter(None, (program.stdin, program.stdout, program.stderr)):
            pipe.close()


def run_child(module: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A :func:`child` run to its end."""
    pipe = subprocess.PIPE
    with child(module, *arguments, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        out, err = program.communicate(stdin)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


def live_with_parent() -> None:
    """In a child: end when the parent ends or lets go, whatever a kernel does meanwhile, and leave nothing behind."""
    if (given := os.environ.pop(PARENT, None)) is None:
        return
    handle = int(given)
    os.set_inheritable(handle, False)

    def watch() -> None:
        os.read(handle, 1)
        end_for_good()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
