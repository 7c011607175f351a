"""Arguments that several commands share."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from momagen.errors import MomagenError


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for machines: JSON on standard output and nothing else")


def add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target", default="c", metavar="NAME", help="a name that `momagen targets` lists, or a TOML file (default: c)"
    )


def add_compiler(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compiler", metavar="CC", help="clang, gcc, zig or a command (default: $CC, clang, gcc, zig)")


def add_rule_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--multiply", metavar="HOW", help="schoolbook (default) or karatsuba")
    parser.add_argument("--compare", metavar="HOW", help="borrow (default) or less: MoMA's (24) and (26)")
    parser.add_argument("--reduction", metavar="HOW", help="how products are reduced (default: by the width)")


def add_quotients(parser: argparse.ArgumentParser) -> None:
    text = "quotients of twiddles by q: table (Shoup), or computed (Montgomery; on digits, folded) (default: what pays)"
    parser.add_argument("--quotients", metavar="HOW", help=text)


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
