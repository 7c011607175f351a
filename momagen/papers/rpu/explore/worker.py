"""The program ``python -m momagen.papers.rpu.explore.worker``, which runs trials for another process.

It reads trials and writes outcomes as lines of JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from momagen.errors import MomagenError
from momagen.processes import live_with_parent

from .trial import RpuTrial, run_trial


def answer(line: bytes | str) -> dict[str, Any]:
    """Return the outcome of a trial, or its error, as plain data.

    Args:
        line: The trial in JSON.
    """
    try:
        return {"outcome": asdict(run_trial(RpuTrial.of(json.loads(line))))}
    except MomagenError as error:
        return {"error": [error.expected, error.got, error.where, error.hint, error.near]}


def told(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome in an answer.

    Raises:
        MomagenError: The answer contains an error.
    """
    if "error" in row:
        raise MomagenError(*row["error"], whole=True)
    found: dict[str, Any] = row["outcome"]
    return found


def main() -> None:
    """Answer each line of standard input, until the input or the parent process ends."""
    live_with_parent()
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
