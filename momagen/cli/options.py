"""Arguments that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path

from momagen.errors import MomagenError
from momagen.params.presets import presets
from momagen.targets import names


def group_of(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    """The group of options under that title; a new one where the parser has none."""
    known = {group.title: group for group in parser._action_groups}
    return known.get(title) or parser.add_argument_group(title)


def add_json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON on standard output and nothing else")


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
    """The words of the kernel's arrays."""
    words = "words of the kernel's arrays, where a residue is one: u16, u32, u64 (default: the target's for the width)"
    group.add_argument("--layout", metavar="WORDS", help=words)


def add_target(parser: argparse._ActionsContainer) -> None:
    text = f"{', '.join(names())}; native: the best that this CPU has; or a TOML file of your own (default: c)"
    text += "; such a file is code that becomes part of the kernel and runs here: use only what you trust"
    parser.add_argument("--target", default="c", metavar="NAME", help=text)


def add_levels(group: argparse._ActionsContainer) -> None:
    """What says where a transform stops, or whose it is."""
    levels = "of butterflies: an incomplete transform stops at factors x^d - z, d = n/2^L (default: log2 n)"
    group.add_argument("--depth", metavar="L", help=levels)
    names_of = "{" + ",".join(presets()) + "}"
    group.add_argument("--preset", metavar=names_of, help="a standard's transform: its n, depth, modulus and root")


def add_compiler(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--compiler", metavar="CC", help="clang, gcc, zig or a command (default: $CC, clang, gcc, zig)")


def add_wisdom(parser: argparse._ActionsContainer) -> None:
    text = "add what `momagen tune` found, as FILE or the default file has it (default: only if $MOMAGEN_WISDOM is set)"
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
    text = "a folder of saved kernels, or a file of one"
    parser.add_argument("paths", nargs=count, type=path_of, metavar="PATH", help=text)
