"""Verification in a process of its own: a kernel that crashes or never ends takes that process with it, not this one.

``python -m momagen.api.apart DESCRIPTOR`` is the child; the descriptor is its end of a pipe.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from momagen.errors import MomagenError
from momagen.verify import Progress, Report

from .kernel import Kernel

SECONDS = 3600.0
"""That one step of a verification may take, and compiling before: far more than the largest transform through stand-ins
needs."""
QUIET: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def verify_apart(
    kernel: Kernel, *, compiler: str | None, seed: int, progress: Progress, seconds: float = SECONDS
) -> Report:
    """Compile and verify ``kernel`` as :meth:`Kernel.verify` does, in a child.

    Its report's ``end`` says so where the child died, or took longer than ``seconds`` for one step.

    Raises:
        MomagenError: what the child refused.
    """
    ours, theirs = Pipe()
    command = [sys.executable, "-m", __name__, str(theirs.fileno())]
    child = subprocess.Popen(command, pass_fds=[theirs.fileno()], **QUIET)
    theirs.close()
    limit, step = SECONDS, f"compiling {kernel.name}"
    progress(0.0, step)
    try:
        ours.send((kernel, compiler, seed))
        while ours.poll(limit):
            match ours.recv():
                case Report() as report:
                    return report
                case Exception() as error:
                    raise error
                case part, step:
                    progress(part, step)
                    limit = seconds
        end = f"no end within {limit:g} s"
    except (EOFError, OSError):
        end = _cause(child.wait())
    finally:
        child.kill()
        child.wait()
        ours.close()
    return Report(kernel.name, 0, (), {}, (), (), 0.0, end=f"{end}, step: {step}")


def _cause(code: int) -> str:
    """Why a process ended, from its exit code; minus the signal's number where one killed it."""
    if code >= 0:
        return f"an exit with code {code}"
    found = signal.Signals(-code)
    return f"a crash by {found.name} ({signal.strsignal(found)})"


def main(pipe: Connection) -> None:
    """What the child does."""
    kernel, compiler, seed = pipe.recv()

    def report(part: float, step: str) -> None:
        pipe.send((part, step))

    try:
        kernel.compile(compiler)
        pipe.send(kernel.verify(seed=seed, progress=report))
    except MomagenError as refused:
        pipe.send(refused)
    except Exception as mistake:  # ours, as a kernel raises nothing; it need not be of a kind that can be sent
        pipe.send(RuntimeError(repr(mistake)))


if __name__ == "__main__":
    main(Connection(int(sys.argv[1])))
