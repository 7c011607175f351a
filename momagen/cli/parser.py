"""The parser of the command line. A command's module is imported when the command is used, so that help is quick."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple, NoReturn

from momagen import __version__
from momagen.errors import MomagenError, nearest
from momagen.kinds.titles import TITLES, TUNING, VARIABLE
from momagen.renamed import renewed_words


class Command(NamedTuple):
    """A command: its description, its module in ``momagen.cli.commands``, and the function that adds its arguments."""

    text: str
    module: str
    add: str = "add"


COMMANDS = {
    **{name: Command(title, "kernels", "add_kind") for name, title in TITLES.items()},
    "lib": Command(
        "Generate a C library of kernels for several targets, which selects the target at run time.", "libraries.lib"
    ),
    "rns": Command("Generate a C library for polynomials in an RNS basis: an RNS context for FHE.", "libraries.rns"),
    "hexl": Command("Generate a drop-in replacement for Intel HEXL, for SEAL and OpenFHE.", "libraries.hexl"),
    "targets": Command("List the targets, or show how one of them spells each operation.", "targets"),
    "rules": Command("List the rewrite rules in the notation of the papers.", "rules"),
    "explain": Command("Show how an operation becomes machine words, step by step, or the plan of an NTT.", "explain"),
    "verify": Command("Compile saved kernels without generating them again, and compare them with gmpy2.", "verify"),
    "prove": Command("Prove saved kernels from their C source, for every modulus and number of elements.", "prove"),
    "bench": Command("Time common kernels, saved kernels, or sweeps over sizes and widths.", "bench"),
    "tune": Command("Find the fastest options of a kernel on this machine, and store them as wisdom.", "tune"),
    "isa": Command("Evaluate proposed instructions: verify, count and time kernels that use them.", "isa.compare"),
    "mqx": Command("Repeat the studies of the MQX paper.", "isa.mqx"),
    "paper": Command("Show the tables and figures of a paper beside our measurements.", "paper"),
    "rpu": Command("Generate, run and simulate programs for the Ring Processing Unit.", "rpu.command"),
    "regen": Command("Regenerate the checked-in files, such as the kernels in generated/, or check them.", "regen"),
    "cache": Command("Show the folder and size of the cache of compiled kernels, or clear it.", "cache"),
    "completion": Command("Print a completion script for bash, zsh or fish.", "completion"),
    "help": Command("Show the help of a command, the environment variables or the named moduli.", "help"),
}

VERBOSE = "print phases, times, compiler commands and cache hits on stderr"
"""The help of --verbose, which may stand before the command or after it."""
HELP_TUNING = "--help-tuning"
"""The option that shows the options that only affect speed, which the usual help leaves out."""
REGISTRY = "momagen.kinds.registry"
"""The module in which other kinds are registered."""
GENERAL = {"help", "verbose", "help_tuning"}
"""The names of the options that all commands have."""
INVOCATION = 32
"""Columns of help that show an option and its placeholder."""
EXAMPLE = "  "
"""The start of a line that help does not wrap."""
EPILOG = """\
`momagen COMMAND --help` describes the options of a command. Examples:
  momagen ntt --n 4096 --bits 128 --target avx2     generate, verify and time an NTT
  momagen explain mulmod --bits 128                 show how a product modulo q is computed
  momagen bench                                     time common kernels on this machine"""
SHORT = re.compile(r"-[A-Za-z]\S*$")
"""A word with one dash that argparse treats as options: no negative number, and no text with spaces."""


class UsageError(MomagenError):
    """The error for arguments that the parser rejects; ``near`` suggests a similar name."""

    def __init__(self, program: str, message: str, near: str = "") -> None:
        self.expected, self.got, self.where, self.hint, self.near = "", "", program, "", near
        ValueError.__init__(self, f"{message}{'; ' * bool(near)}{near} (see {program} --help)")


class HelpFormatter(argparse.HelpFormatter):
    """A formatter that wraps descriptions and epilogs paragraph by paragraph, but not indented lines."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=INVOCATION)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            line if line.startswith(EXAMPLE) else super(HelpFormatter, self)._fill_text(line, width, indent)
            for line in text.splitlines()
        )


class ArgumentParser(argparse.ArgumentParser):
    """A parser that raises instead of printing its usage and exiting."""

    def __init__(self, **more: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        """Raise the error instead of printing it.

        Raises:
            UsageError: Always.
        """
        raise UsageError(self.prog, message)

    def check_options(self, args: Iterable[str]) -> None:
        """Check that all options exist, before anything else is parsed.

        Raises:
            UsageError: An option does not exist; the error suggests the most similar one.
        """
        known = self._option_string_actions
        for word in (arg.partition("=")[0] for arg in takewhile("--".__ne__, args)):
            if word.startswith("--") and word not in known:
                raise UsageError(self.prog, f"unknown option {word}", nearest(word, known))
            if SHORT.match(word) and not all(f"-{letter}" in known for letter in word[1:]):
                long = [each for each in known if each.startswith("--")]
                raise UsageError(self.prog, f"unknown option {word}", nearest(word, long))

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse the arguments after a check of the options."""
        words = sys.argv[1:] if args is None else args
        self.check_options(takewhile(lambda word: word.startswith("-"), words))
        return super().parse_known_args(words, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "command" if isinstance(action, argparse._SubParsersAction) else action.dest
            raise UsageError(self.prog, f"unknown {what} {value}", nearest(value, action.choices))


class CommandParser(ArgumentParser):
    """The parser of one command, which adds its arguments when it is first used."""

    def __init__(self, *, command: Command, **more: Any) -> None:
        super().__init__(description=command.text, **more)
        self._command: Command | None = command

    def complete(self) -> None:
        """Import the command's module and add its arguments, unless this was done before."""
        if self._command:
            module = import_module(f".commands.{self._command.module}", __package__)
            add: Callable[[ArgumentParser], None] = getattr(module, self._command.add)
            self._command = None
            add(self)
            self.add_argument("-v", "--verbose", action="store_true", default=argparse.SUPPRESS, help=VERBOSE)
            if self._tuning:
                text = "show the options that only affect speed, and exit"
                self.add_argument(HELP_TUNING, action=_HelpTuning, nargs=0, default=argparse.SUPPRESS, help=text)
            self._move_general_options()

    def _move_general_options(self) -> None:
        """Show the options that all commands have last, if the others are in groups."""
        at = self._action_groups.index(self._optionals)
        if {action.dest for action in self._optionals._group_actions} <= GENERAL and len(self._action_groups) > 2:
            self._action_groups.append(self._action_groups.pop(at))
            self._optionals.title = "General"

    @property
    def _tuning(self) -> list[argparse._ArgumentGroup]:
        return [group for group in self._action_groups if group.title == TUNING]

    def format_help(self) -> str:
        """Return the help without the options that only affect speed."""
        return self._formatted([group for group in self._action_groups if group.title != TUNING], self.epilog)

    def format_tuning(self) -> str:
        """Return the help of the options that only affect speed."""
        return self._formatted(self._tuning, None)

    def _formatted(self, groups: list[argparse._ArgumentGroup], epilog: str | None) -> str:
        before = self._action_groups, self.epilog
        self._action_groups, self.epilog = groups, epilog
        try:
            return super().format_help()
        finally:
            self._action_groups, self.epilog = before

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Add the command's options, and parse the arguments."""
        self.complete()
        words = renewed_words(args or (), self._option_string_actions)
        self.check_options(words)
        found, more = super().parse_known_args(words, namespace)
        if more:
            near = nearest(more[0], self._option_string_actions)
            raise UsageError(self.prog, f"unexpected arguments: {' '.join(more)}", near)
        return found, more


class _HelpTuning(argparse.Action):
    """Show the options that only affect speed, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        assert isinstance(parser, CommandParser)
        print(parser.format_tuning(), end="")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; ``run`` of its result takes the result and returns the exit code."""
    about = (
        "Generate verified kernels for modular arithmetic: NTTs, vector operations and RNS conversions at any width."
    )
    parser = ArgumentParser(prog="momagen", description=about, epilog=EPILOG)

    def overview(given: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(run=overview)
    parser.add_argument("--version", action="version", version=f"momagen {__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help=VERBOSE)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=CommandParser)
    for name, row in known_commands().items():
        commands.add_parser(name, help=row.text, command=row)
    return parser


def known_commands() -> dict[str, Command]:
    """Return all commands by name, including the commands of kinds that other modules register."""
    if REGISTRY not in sys.modules and not os.environ.get(VARIABLE):
        return COMMANDS
    from momagen.kinds.registry import kind_named, others  # not before it is needed, so that help is quick

    own = {name: kind_named(name) for name in others()}
    return COMMANDS | {name: Command(kind.title, "kernels", "add_kind") for name, kind in own.items() if kind.title}


def commands_of() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command with its parser, which has all arguments."""
    for name, row in known_commands().items():
        parser = CommandParser(prog=f"momagen {name}", command=row)
        parser.complete()
        yield name, parser
