"""The programs that run now, and their work folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..signals import deferred
from .watched import GRACE, WatchedProgram, end_group

PARENT = "MOMAGEN_PARENT"
"""The environment variable with the read end of a pipe, by which a child process notices that its parent has ended."""
HERE = str(Path(__file__).resolve().parents[2])
Child = subprocess.Popen[bytes]
_programs: set[WatchedProgram] = set()
_folders: set[Path] = set()
_starting = threading.Lock()


def run(
    command: Sequence[str], stdin: str = "", seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run a program until it ends; the program and its children end with this process, also after SIGKILL.

    Args:
        command: The command.
        stdin: The text of its standard input.
        seconds: The time limit in seconds (default: none).
        environment: Its environment variables (default: those of this process).

    Raises:
        TimeoutExpired: The program exceeded the time limit; it is ended, as after any exception.
        OSError: The program cannot be started.
    """
    with deferred(), _starting:
        watched = WatchedProgram(command, environment)
        _programs.add(watched)
    with watched.program as program:
        try:
            out, err = program.communicate(stdin, timeout=seconds)
        except BaseException:
            watched.end()
            raise
        finally:
            watched.release()
            _programs.discard(watched)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder in ``parent``, and delete it afterwards."""
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
        program.end()
    for path in list(_folders):
        shutil.rmtree(path, ignore_errors=True)


def end_for_good() -> None:
    """End all programs as :func:`end_all` does, from another thread of a process that ends.

    The lock is kept, so that no program starts afterwards.
    """
    _starting.acquire()
    end_all()


@contextmanager
def child(module: str, *arguments: str, pass_fds: Sequence[int] = (), **pipes: Any) -> Iterator[Child]:
    """Run ``python -m module`` of this momagen, and end it and its children afterwards.

    Modules in the current folder are not found.

    The child also ends as soon as this process does; see :func:`live_with_parent`.
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
        end_group(program)
        program.wait()
        for pipe in filter(None, (program.stdin, program.stdout, program.stderr)):
            pipe.close()


def run_child(module: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a :func:`child` until it ends."""
    pipe = subprocess.PIPE
    with child(module, *arguments, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        out, err = program.communicate(stdin)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


def live_with_parent() -> None:
    """Make this child process end when its parent ends or closes the pipe, whatever a kernel does.

    Its programs are ended and its work folders deleted.
    """
    if (given := os.environ.pop(PARENT, None)) is None:
        return
    handle = int(given)
    os.set_inheritable(handle, False)

    def watch() -> None:
        os.read(handle, 1)
        end_for_good()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
