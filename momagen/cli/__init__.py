"""The command line: arguments in, one clear line where they are wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from momagen.errors import MomagenError

from .parser import build_parser

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``momagen`` with ``argv`` (default: the process's arguments).

    Returns:
        0 where all is well, 1 where a kernel, a bar or a generated file is not what it should be, 2 for bad input,
        3 for a mistake of ours ($MOMAGEN_TRACEBACK shows where it is).
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # where the locale lacks the papers' letters, it shows ?
    try:
        given = build_parser().parse_args(argv)
        code: int = given.run(given)
        sys.stdout.flush()
        return code
    except MomagenError as error:
        print(f"momagen: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("MOMAGEN_TRACEBACK"):
            raise
        print(f"momagen: a mistake in momagen itself, please report it: {error!r}", file=sys.stderr)
        return INTERNAL
