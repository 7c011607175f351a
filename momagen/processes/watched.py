"""Process groups that end with this process, however it ends, also by SIGKILL, which no process can handle.

A small shell leads each group. It reads from a pipe that only this process writes to, so that it reads the end of the
pipe when this process has ended, and then kills its group. No Python code runs between fork and exec, so that other
threads do no harm.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any

WATCH = ("/bin/sh", "-c", "read -r line; kill -9 0")
GRACE = 2.0
"""The time in seconds that a program may take to end."""
GROUPS = os.name == "posix"
"""Whether the system has process groups."""


class WatchedProgram:
    """A program in a process group of its own, with its children.

    Attributes:
        program: The process.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Start ``command``.

        Raises:
            OSError: The program cannot be started.
        """
        quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
        self._watch = (
            subprocess.Popen(WATCH, stdin=pipe, stdout=quiet, stderr=quiet, process_group=0) if GROUPS else None
        )
        group = self._watch.pid if self._watch else None
        try:
            self.program: subprocess.Popen[str] = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace", env=environment,
                process_group=group,
            )  # fmt: skip
        except BaseException:
            self.release()
            raise

    def end(self) -> None:
        """Kill the program and its children, and wait until all have ended; gcc does its work in a child."""
        leader = self._watch or self.program
        end_group(leader, self.program)
        self.release()

    def release(self) -> None:
        """End the shell, which ends the rest of the group."""
        if self._watch and self._watch.stdin:
            self._watch.stdin.close()
            self._watch.wait()


def end_group(leader: subprocess.Popen[Any], *others: subprocess.Popen[Any]) -> None:
    """Kill the group that ``leader`` leads, and wait until all its members, including ``others``, have ended."""
    limit = time.monotonic() + GRACE
    while _kill(leader) and time.monotonic() < limit:
        time.sleep(0.01)
        for each in (leader, *others):
            each.poll()


def _kill(leader: subprocess.Popen[Any]) -> bool:
    """Kill the group, and return whether there may be members left."""
    if not GROUPS:
        leader.kill()
        return False
    try:
        os.killpg(leader.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # macOS: a group of zombies
        return False
    return True
