"""The command line: arguments in, one clear line where they are wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from momagen.errors import MomagenError

from .parser import build_parser

BAD_INPUT, INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``momagen`` with ``argv`` (default: the process's arguments).

    Returns:
        0 where all is well, 1 where a kernel, a bar or a generated file is not what it should be, 2 for bad input.
    """
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
