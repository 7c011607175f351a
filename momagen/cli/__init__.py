"""The command line: it reports each error in one line."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Container, Sequence
from contextlib import suppress
from io import TextIOWrapper

from momagen.errors import MomagenError, printable, reason
from momagen.renamed import shown
from momagen.signals import Ended, ending

from .parser import build_parser
from .spoken import spoken

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130
ARGUMENT = re.compile("`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
"""An argument of Python in an error's sentence: `root`, or with a value `limbs="full"`."""


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
    given = Namespace()
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
        print(f"momagen: {_line(error, vars(given))}", file=sys.stderr)
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


def _line(error: MomagenError, options: Container[str]) -> str:
    """Return the error in one line that names arguments of Python as the command's ``options``.

    ``modulus_bits: …`` becomes ``--modulus-bits: …``, and in a sentence `` `limbs="full"` `` becomes `--limbs full`.
    """
    text, where = printable(" ".join(str(error).split())), error.where
    if not where.isidentifier():
        return text
    if not error.expected:
        text = ARGUMENT.sub(lambda found: _option(found) if found[1] in options else found[0], text)
    named = "_" in where and where in options and text.startswith(where)
    return f"--{where.replace('_', '-')}{text.removeprefix(where)}" if named else text


def _option(argument: re.Match[str]) -> str:
    """Return an argument of Python, a match of `ARGUMENT`, as an option of the command line."""
    value = (argument[2] or "").strip('"')
    return f"`--{argument[1].replace('_', '-')}{f' {value}' if value not in ('', 'True') else ''}`"


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
