"""The parser: one group of commands per file, each adding itself."""

from __future__ import annotations

import argparse
from typing import NoReturn

from momagen import __version__
from momagen.errors import MomagenError

from . import bench, explain, kernels, lib, regen, rules, targets, tune, verify

GROUPS = (kernels, lib, targets, rules, explain, verify, bench, tune, regen)


class UsageError(MomagenError):
    """Arguments that the parser itself refuses."""

    def __init__(self, program: str, message: str) -> None:
        self.expected, self.got, self.where, self.hint = "", "", program, ""
        ValueError.__init__(self, f"{message} (see {program} --help)")


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(self.prog, message)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; ``run`` of the result takes the result and gives the exit code."""
    about = "Verified modular-arithmetic kernels, generated at any width for any machine."
    parser = Parser(prog="momagen", description=about, allow_abbrev=False)

    def overview(given: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(run=overview)
    parser.add_argument("--version", action="version", version=f"momagen {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for group in GROUPS:
        group.add(commands)
    return parser
