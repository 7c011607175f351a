"""The command line: it reports each error in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper

from momagen.errors import MomagenError, printable, reason
from momagen.renamed import shown
from momagen.signals import Ended, ending

from .parser import build_parser
from .spoken import spoken

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``momagen`` with ``argv`` (default: the process's arguments).

    Returns:
        The exit code: 0 for success; 1 if a verification failed, a performance threshold was missed or a generated
        file is out of date; 2 for bad input; 3 for an internal error, whose traceback $MOMAGEN_TRACEBACK shows; 128
        plus the number of a signal that ended the command.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a locale that lacks a character shows ?
    try:
        with ending(_abandon), shown():
            given = build_parser().parse_args(argv)
            with spoken(given.verbose):
                code: int = given.run(given)
            sys.stdout.flush()
            return code
    except Ended as ended:
        for note in getattr(ended, "__notes__", ()):
            print(f"momagen: interrupted: {note}", file=sys.stderr)
        return ended.code
    except MomagenError as error:
        print(f"momagen: {_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        _mute()
        return 0
    except OSError as error:
        _mute()
        print(
            printable(f"momagen: {error.filename or 'output'}: the operating system reports: {reason(error)}"),
            file=sys.stderr,
        )
        return BAD_INPUT
    except MemoryError:
        print("momagen: out of memory", file=sys.stderr)
        return BAD_INPUT
    except Exception as error:
        if os.environ.get("MOMAGEN_TRACEBACK"):
            raise
        print(f"momagen: internal error, please report it: {error!r}", file=sys.stderr)
        return INTERNAL
    finally:
        _leave_nothing()


def _line(error: MomagenError) -> str:
    """Return the error in one line, with the option --modulus-bits for the Python argument modulus_bits."""
    text, where = printable(" ".join(str(error).split())), error.where
    option = "_" in where and where.isidentifier() and text.startswith(where)
    return f"--{where.replace('_', '-')}{text.removeprefix(where)}" if option else text


def _mute() -> None:
    """Discard the output that is still buffered, so that Python does not try to write it again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _leave_nothing() -> None:
    """End the processes that the command started. Without any, do not even import the module that would do it."""
    if "momagen.processes" in sys.modules:
        from momagen.processes import end_all

        end_all()


def _abandon() -> None:
    from momagen.processes import end_for_good

    end_for_good()
