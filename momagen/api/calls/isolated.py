"""Verification in a separate process: a kernel that crashes or never ends stops that process, not this one.

This protects against mistakes, not against malice: the process has all permissions of this user. ``python -m
momagen.api.calls.isolated DESCRIPTOR`` is the child; the descriptor is its end of a pipe.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO

from momagen.api.kernel import Kernel
from momagen.errors import MomagenError, build_error
from momagen.processes import child, live_with_parent
from momagen.verify import Progress, Report
from momagen.verify.machine_code import inspected

SECONDS = 3600.0
"""The time limit in seconds of one step of a verification, and of the compilation before it.

It is far more than the largest transform through stand-ins needs.
"""
START = 300.0
"""The time limit in seconds for the start of a process."""
READY = "ready"


def verify_isolated(
    kernel: Kernel, *, compiler: str | None, seed: int, progress: Progress, seconds: float = SECONDS
) -> Report:
    """Compile and verify ``kernel`` as :meth:`Kernel.verify` does, in a child process (on Windows in this process).

    Args:
        kernel: The kernel.
        compiler: The compiler (default: the one that momagen finds).
        seed: The seed of the random values.
        progress: A function that is called before every step with the part done and the name of the step.
        seconds: The time limit of each step in seconds.

    Returns:
        The report. If the child crashed or a step exceeded its time limit, ``report.end`` says so.

    Raises:
        MomagenError: The child raised it, or could not start.
    """
    if os.name != "posix":
        kernel.compile(compiler)
        return kernel.verify(seed=seed, progress=progress)
    with tempfile.TemporaryFile() as told, _started(told) as (process, ours):
        limit, step = START, ""
        progress(0.0, f"compiling {kernel.name}")
        while True:
            try:
                message = ours.recv() if ours.poll(limit) else None
                if message == READY:
                    ours.send((kernel, compiler, seed))
                    limit = SECONDS
                    continue
            except (EOFError, OSError):
                end = _ended(process, told, limit)
                break
            match message:
                case Report():
                    return message
                case Exception():
                    raise message
                case None:
                    end = f"a timeout after {limit:g} s"
                    break
            part, step = message
            progress(part, step)
            limit = seconds
        if not step and (process.returncode or 0) >= 0:
            raise build_error(f"the process that compiles and verifies the kernel failed with {end}", kernel.name)
        return Report(kernel.name, 0, (), {}, (), (), 0.0, end=f"{end}, step: {step or 'compiling'}")


@contextmanager
def _started(told: IO[bytes]) -> Iterator[tuple[subprocess.Popen[bytes], Connection]]:
    """Yield the child and our end of its pipe, and end the child afterwards.

    Args:
        told: The file that receives the child's error output.
    """
    ours, theirs = Pipe()
    null = subprocess.DEVNULL
    with ours, child(__name__, str(theirs.fileno()), pass_fds=[theirs.fileno()],
                     stdin=null, stdout=null, stderr=told) as process:  # fmt: skip
        theirs.close()
        yield process, ours


def _ended(process: subprocess.Popen[bytes], told: IO[bytes], limit: float) -> str:
    """Return why the child sends no more messages: it has ended, or has closed its pipe and still runs."""
    try:
        return _cause(process.wait(limit), told)
    except subprocess.TimeoutExpired:
        return f"a timeout after {limit:g} s"


def _cause(code: int, told: IO[bytes]) -> str:
    """Return why a process ended.

    Args:
        code: The exit code, or minus the number of the signal that ended the process.
        told: The file with its error output, whose last line is added.
    """
    if code < 0:
        names = {each.value: each.name for each in signal.Signals}  # real-time signals have none
        return f"a crash by {names.get(-code, f'signal {-code}')} ({signal.strsignal(-code)})"
    told.seek(0)
    last = told.read().decode(errors="replace").strip().splitlines()[-1:]
    return ": ".join([f"exit code {code}", *last])


def main(pipe: Connection) -> None:
    """Verify one kernel in the child process."""
    pipe.send(READY)
    kernel, compiler, seed = pipe.recv()

    def report(part: float, step: str) -> None:
        pipe.send((part, step))

    try:
        kernel.compile(compiler)
        pipe.send(inspected(kernel.verify(seed=seed, progress=report), kernel.compiled))
    except MomagenError as refused:
        pipe.send(refused)
    except Exception as mistake:  # a bug of momagen, as kernels raise nothing; it may not be picklable
        pipe.send(RuntimeError(repr(mistake)))


if __name__ == "__main__":
    live_with_parent()
    main(Connection(int(sys.argv[1])))
