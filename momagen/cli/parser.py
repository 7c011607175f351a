"""The parser: a row per command; only the one that is asked for imports what it needs."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple, NoReturn

from momagen import __version__
from momagen.errors import MomagenError, nearest
from momagen.renamed import renewed_words


class Command(NamedTuple):
    """A command: what it does, the module of this room that has it, and the function there that adds its arguments."""

    text: str
    module: str
    add: str = "add"


COMMANDS = {
    "ntt": Command("A number theoretic transform: generate, compile, verify, time.", "kernels", "add_ntt"),
    "polymul": Command("A product of polynomials modulo x^n - 1 or x^n + 1.", "kernels", "add_polymul"),
    "basemul": Command(
        "Products of what incomplete transforms give: modulo every factor x^d - z.", "kernels", "add_basemul"
    ),
    "lde": Command("A low-degree extension: values at n points to values on a larger coset.", "kernels", "add_lde"),
    "blas": Command("Element by element at any length: sums, products, a·x + y, …", "kernels", "add_blas"),
    "matmul": Command("Products of a constant matrix modulo q, on engines.", "matrices.command", "add_matmul"),
    "convert": Command("Convert residues from one RNS basis to another.", "matrices.command", "add_convert"),
    "keyswitch": Command(
        "Add products of digits and keys in an RNS basis (key switching).", "matrices.command", "add_keyswitch"
    ),
    "moddown": Command(
        "Divide by the product of the last moduli of an RNS basis (ModDown).", "matrices.command", "add_moddown"
    ),
    "rescale": Command("Divide by the last modulus of an RNS basis, and round.", "matrices.command", "add_rescale"),
    "lib": Command(
        "Generate a C library of several kernels for several targets; the CPU decides at run time which is used.",
        "libraries.lib",
    ),
    "rns": Command("Generate a C library for polynomials in an RNS basis: an RNS context for FHE.", "libraries.rns"),
    "hexl": Command("Generate a drop-in replacement for Intel HEXL, for SEAL and OpenFHE.", "libraries.hexl"),
    "targets": Command("The targets: words, lanes, CPU features needed, what each was tested on.", "targets"),
    "rules": Command("The rule tables in the papers' notation.", "rules"),
    "explain": Command("One operation as it becomes machine words, step by step; or a transform's plan.", "explain"),
    "verify": Command("Compile saved kernels as they stand and compare them with gmpy2.", "verify"),
    "bench": Command("Time kernels on this machine: common ones in under a minute, or saved ones.", "bench"),
    "tune": Command("Search the fastest options for a kernel on this machine, and keep them as wisdom.", "tune"),
    "isa": Command("Proposed instruction sets: checked, counted and timed beside others.", "isa.compare"),
    "mqx": Command("The studies of the MQX paper: proxies tried, its parts, its figures, speed of light.", "isa.mqx"),
    "rpu": Command(
        "Programs for the Ring Processing Unit: generated, assembled, run, counted to the cycle.", "rpu.command"
    ),
    "regen": Command("Write the kernels of generated/, or check that it is current.", "regen"),
    "cache": Command("The cache of compiled kernels: its folder and size, or delete it.", "cache"),
    "completion": Command("A completion script for bash, zsh or fish.", "completion"),
    "help": Command("This overview, the help of a command, or the environment variables.", "help"),
}

VERBOSE = "say on standard error what is done: phases and their times, compiler commands, cache hits"
"""Of an option that may stand before the command or after it."""
SHORT = re.compile(r"-[A-Za-z]\S*$")
"""A word with one dash that argparse takes for options: not a negative number, and no text with spaces."""


class UsageError(MomagenError):
    """Arguments that the parser itself refuses; ``near`` suggests what was meant."""

    def __init__(self, program: str, message: str, near: str = "") -> None:
        self.expected, self.got, self.where, self.hint, self.near = "", "", program, "", near
        ValueError.__init__(self, f"{message}{'; ' * bool(near)}{near} (see {program} --help)")


class ArgumentParser(argparse.ArgumentParser):
    """A parser that raises instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(self.prog, message)

    def check_options(self, args: Iterable[str]) -> None:
        """Refuse options that there are not, whatever else may be wrong, with the one that was probably meant."""
        known = self._option_string_actions
        for word in (arg.partition("=")[0] for arg in takewhile("--".__ne__, args)):
            if word.startswith("--") and word not in known:
                raise UsageError(self.prog, f"unknown option {word}", nearest(word, known))
            if SHORT.match(word) and not all(f"-{letter}" in known for letter in word[1:]):
                long = [each for each in known if each.startswith("--")]
                raise UsageError(self.prog, f"unknown option {word}", nearest(word, long))

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        words = sys.argv[1:] if args is None else args
        self.check_options(takewhile(lambda word: word.startswith("-"), words))
        return super().parse_known_args(words, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "command" if isinstance(action, argparse._SubParsersAction) else action.dest
            raise UsageError(self.prog, f"unknown {what} {value}", nearest(value, action.choices))


class CommandParser(ArgumentParser):
    """The parser of one command, which gets its arguments when it is first used."""

    def __init__(self, *, command: Command, **more: Any) -> None:
        super().__init__(description=command.text, allow_abbrev=False, **more)
        self._command: Command | None = command

    def complete(self) -> None:
        """Import the command's module and add its arguments, where that has not been done."""
        if self._command:
            module = import_module(f".commands.{self._command.module}", __package__)
            add: Callable[[ArgumentParser], None] = getattr(module, self._command.add)
            self._command = None
            add(self)
            self.add_argument("-v", "--verbose", action="store_true", default=argparse.SUPPRESS, help=VERBOSE)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self.complete()
        words = renewed_words(args or (), self._option_string_actions)
        self.check_options(words)
        found, more = super().parse_known_args(words, namespace)
        if more:
            near = nearest(more[0], self._option_string_actions)
            raise UsageError(self.prog, f"unexpected arguments: {' '.join(more)}", near)
        return found, more


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; ``run`` of the result takes the result and gives the exit code."""
    about = "Verified modular-arithmetic kernels, generated at any width for any machine."
    parser = ArgumentParser(prog="momagen", description=about, allow_abbrev=False)

    def overview(given: argparse.Namespace) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(run=overview)
    parser.add_argument("--version", action="version", version=f"momagen {__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help=VERBOSE)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=CommandParser)
    for name, row in COMMANDS.items():
        commands.add_parser(name, help=row.text, command=row)
    return parser


def commands_of() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser, complete."""
    for name, row in COMMANDS.items():
        parser = CommandParser(prog=f"momagen {name}", command=row)
        parser.complete()
        yield name, parser
