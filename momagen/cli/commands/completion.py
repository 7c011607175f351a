"""``momagen completion``: print a completion script, generated from the parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import NamedTuple

from momagen.cli.options import listed, name_of, path_of
from momagen.cli.parser import COMMANDS, commands_of
from momagen.params import known_fields
from momagen.targets import names

from .help import TOPICS

FILES = (path_of, name_of)
"""The types of arguments that name files or folders."""
EPILOG = """\
examples:
  eval "$(momagen completion bash)"       in bash
  eval "$(momagen completion zsh)"        in zsh
  momagen completion fish | source        in fish"""


class Word(NamedTuple):
    """One option of a command, "" for its first argument.

    Attributes:
        values: The values that it lists.
        files: Whether values are names of files.
        takes: Whether it takes a value.
        text: Its help.
    """

    command: str
    option: str
    values: tuple[str, ...]
    files: bool
    takes: bool
    text: str


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``momagen completion``."""
    parser.set_defaults(run=_run)
    parser.epilog = EPILOG
    parser.add_argument(
        "shell", metavar=listed(tuple(SHELLS)), choices=tuple(SHELLS), help="shell that runs the script"
    )


def _run(given: argparse.Namespace) -> int:
    print(SHELLS[given.shell](list(words())), end="")
    return 0


def words() -> Iterator[Word]:
    """Yield all options and arguments, command by command."""
    yield Word("", "", tuple(COMMANDS), False, True, "")
    for name, parser in commands_of():
        for action in parser._actions:
            for option in [text for text in action.option_strings if text.startswith("--")] or [""]:
                files = action.type in FILES or action.dest == "target"
                takes = action.nargs != 0
                yield Word(name, option, _values(action) if takes else (), files and takes, takes, action.help or "")


def _values(action: argparse.Action) -> tuple[str, ...]:
    """Return the values of an argument: those that its help lists in braces, or those of a table."""
    known = {
        "target": (*names(), "native"), "modulus": tuple(known_fields()), "compiler": ("clang", "gcc", "zig"),
        "topic": (*TOPICS, *COMMANDS),
    }  # fmt: skip
    shown = str(action.metavar or "")
    return tuple(shown[1:-1].split(",")) if shown.startswith("{") else known.get(action.dest, ())


def _bash(found: list[Word]) -> str:
    """Return the script for bash: it completes the values of the previous option, else the options of the command."""
    cases, listed_words = [], dict[str, list[str]]()
    for word in found:
        listed_words.setdefault(word.command, []).extend([word.option] if word.option else word.values)
        if word.option and word.takes:
            files = ' $(compgen -f -- "$cur")' * word.files
            reply = f'COMPREPLY=($(compgen -W {shlex.quote(" ".join(word.values))} -- "$cur"){files})'
            cases.append(f"    {shlex.quote(f'{word.command} {word.option}')}) {reply}; return;;")
    lists = [f"    {name}) known={shlex.quote(' '.join(known))};;" for name, known in listed_words.items() if name]
    return BASH.format(cases="\n".join(cases), lists="\n".join(lists), commands=" ".join(listed_words[""]))


def _zsh(found: list[Word]) -> str:
    return "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + _bash(found)


def _fish(found: list[Word]) -> str:
    lines = ["complete -c momagen -f"]
    for word in found:
        seen = f"__fish_seen_subcommand_from {word.command}" if word.command else "__fish_use_subcommand"
        parts = ["complete -c momagen", f"-n {shlex.quote(seen)}"]
        parts += [f"-l {word.option[2:]}"] * bool(word.option) + ["-F"] * word.files
        parts += ["-r" if word.files else "-x"] * bool(word.option and word.takes)
        parts += [f"-a {shlex.quote(' '.join(word.values))}"] * bool(word.values)
        lines.append(" ".join([*parts, f"-d {shlex.quote(word.text)}"]))
    return "\n".join(lines) + "\n"


BASH = """_momagen() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} known=
  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W '{commands}' -- "$cur")); return; fi
  case "${{COMP_WORDS[1]}} $prev" in
{cases}
  esac
  case "${{COMP_WORDS[1]}}" in
{lists}
  esac
  COMPREPLY=($(compgen -W "$known" -- "$cur") $([[ $cur == -* ]] || compgen -f -- "$cur"))
}}
complete -o filenames -F _momagen momagen
"""

SHELLS: dict[str, Callable[[list[Word]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The script of each shell."""
