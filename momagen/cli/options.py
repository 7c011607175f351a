"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path

from momagen.errors import MomagenError
from momagen.params.presets import presets


def group_of(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """The group of options under that title; a new one where the parser has none."""
    known = {group.title: group for group in parser._action_groups}
    return known.get(title) or parser.add_argument_group(title)


def add_json(parser: argparse._ActionsContainer) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def refuse_others(given: argparse.Namespace, usual: Mapping[str, object], taken: str, action: str) -> None:
    """Refuse options that ``action`` does not take.

    Args:
        usual: options that not every action takes, and what they are where nobody gives them. taken: the names of those
            that this one does.
    """
    for name, default in usual.items():
        if name not in taken.split() and getattr(given, name, default) != default:
            raise MomagenError(f"no --{name.replace('_', '-')} with it", getattr(given, name), action)


def add_layout(group: argparse._ActionsContainer) -> None:
    """Add --layout."""
    words = "array words: u16, u32, u64 (default: chosen by target and width)"
    group.add_argument("--layout", metavar="WORDS", help=words)


def add_target(parser: argparse._ActionsContainer) -> None:
    """Add --target."""
    text = "name from `momagen targets`, native (the best of this CPU), or a TOML file, whose code is executed: "
    text += "use trusted files only (default: c)"
    parser.add_argument("--target", default="c", metavar="NAME", help=text)


def add_depth_and_preset(group: argparse._ActionsContainer) -> None:
    """Add --depth and --preset."""
    depth = "stop after L butterfly levels (incomplete NTT), leaving residues modulo x^d - z, d = n/2^L"
    group.add_argument("--depth", metavar="L", help=f"{depth} (default: log2 n)")
    names_of = "{" + ",".join(presets()) + "}"
    preset = "use the n, depth, modulus and root of a standard (default: none)"
    group.add_argument("--preset", metavar=names_of, help=preset)


def add_compiler(parser: argparse._ActionsContainer) -> None:
    """Add --compiler."""
    text = "clang, gcc, zig or a command (default: $CC, else the first found)"
    parser.add_argument("--compiler", metavar="CC", help=text)


def add_wisdom(parser: argparse._ActionsContainer) -> None:
    """Add --wisdom."""
    text = "use the options that `momagen tune` stored in FILE, or without FILE in its usual file"
    text += " (default: only if $MOMAGEN_WISDOM is set)"
    parser.add_argument("--wisdom", nargs="?", const=True, metavar="FILE", type=name_of, help=text)


def name_of(text: str) -> str:
    """What an option names a file or folder.

    Raises:
        ArgumentTypeError: an empty name, which would be the current folder.
    """
    if not text:
        raise argparse.ArgumentTypeError('expected the name of a file or folder, got ""')
    return text


def path_of(text: str) -> Path:
    """The file or folder that an option names; refused as by `name_of`."""
    return Path(name_of(text))


def seconds(text: str) -> float:
    """The number of seconds that an option gives.

    Raises:
        MomagenError: no number, or none that time can be.
    """
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < math.inf:
        raise MomagenError("a positive number of seconds", text, "seconds")
    return found


def add_saved(parser: argparse.ArgumentParser, count: str) -> None:
    """Paths of saved kernels; ``count`` as argparse's nargs."""
    text = "folder of saved kernels, or a file of one kernel"
    text += " (default: time common kernels)" * (count == "*")
    parser.add_argument("paths", nargs=count, type=path_of, metavar="PATH", help=text)
