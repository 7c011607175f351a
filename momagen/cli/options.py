"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from momagen.errors import MomagenError


def listed(known: Iterable[str]) -> str:
    """Return values as help shows them."""
    return "{" + ",".join(known) + "}"


def group_of(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """Return the group of options with that title, which is created if the parser has none."""
    known = {group.title: group for group in parser._action_groups}
    return known.get(title) or parser.add_argument_group(title)


def add_json(parser: argparse._ActionsContainer) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def refuse_others(given: argparse.Namespace, usual: Mapping[str, object], taken: str, action: str) -> None:
    """Check that no option is given that ``action`` does not accept.

    Args:
        given: The parsed arguments.
        usual: The options that not every action accepts, with their defaults.
        taken: The names of the options that this action accepts.
        action: The name of the action.

    Raises:
        MomagenError: Such an option is given.
    """
    for name, default in usual.items():
        if name not in taken.split() and getattr(given, name, default) != default:
            raise MomagenError(f"no option --{name.replace('_', '-')}", getattr(given, name), action)


def add_compiler(parser: argparse._ActionsContainer) -> None:
    """Add --compiler."""
    text = "clang, gcc, zig or a command (default: $CC, else the first found)"
    parser.add_argument("--compiler", metavar="CC", help=text)


def add_wisdom(parser: argparse._ActionsContainer) -> None:
    """Add --wisdom."""
    text = "use the options that `momagen tune` stored in FILE, or without FILE in its usual file"
    text += " (default: the file $MOMAGEN_WISDOM, if set)"
    parser.add_argument("--wisdom", nargs="?", const=True, metavar="FILE", type=name_of, help=text)


def name_of(text: str) -> str:
    """Return the name of a file or folder that an option gives.

    Raises:
        ArgumentTypeError: The name is empty, which would mean the current folder.
    """
    if not text:
        raise argparse.ArgumentTypeError('expected the name of a file or folder, got ""')
    return text


def path_of(text: str) -> Path:
    """Return the path of a file or folder that an option gives; raise as `name_of` does."""
    return Path(name_of(text))


def seconds(text: str) -> float:
    """Return the number of seconds that an option gives.

    Raises:
        MomagenError: It is not a positive, finite number.
    """
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < math.inf:
        raise MomagenError("a positive number of seconds", text, "seconds")
    return found


def add_saved(parser: argparse.ArgumentParser, count: str) -> None:
    """Add the paths of saved kernels; ``count`` is argparse's nargs."""
    text = "folder of saved kernels, or a file of one kernel"
    text += " (default: time common kernels)" * (count == "*")
    parser.add_argument("paths", nargs=count, type=path_of, metavar="PATH", help=text)
