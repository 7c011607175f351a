"""``momagen help``: the list of commands, the help of one command, or a topic."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from rich.text import Text

from momagen.cli.parser import build_parser, commands_of
from momagen.errors import among
from momagen.params import known_fields
from momagen.screen import console
from momagen.screen.tables import ReportTable, plain_table

ENVIRONMENT = {
    "MOMAGEN_CACHE": "folder for compiled kernels; in a folder with other files, momagen uses the subfolder "
    "momagen-cache (default: $XDG_CACHE_HOME/momagen, else ~/.cache/momagen)",
    "MOMAGEN_KINDS": "modules that register other kinds of kernels, separated by commas (default: none)",
    "MOMAGEN_WISDOM": "wisdom file of ntt, polymul, basemul, blas, bench --sweep and tune without --wisdom "
    "(default: none; tune: $XDG_CONFIG_HOME/momagen/wisdom.json)",
    "MOMAGEN_DISABLE": "CPU features that momagen must not use, separated by commas, such as avx512f,avx2 "
    "(default: none)",
    "MOMAGEN_TRACEBACK": "any value: show the Python traceback of an internal error (default: none)",
    "CC": "C compiler (default: clang, gcc, then zig of the ziglang wheel)",
    "CXX": "C++ compiler of bench --section hexl (default: c++)",
    "XDG_CACHE_HOME": "parent folder of the cache if MOMAGEN_CACHE is not set (default: ~/.cache)",
    "XDG_CONFIG_HOME": "parent folder of momagen/wisdom.json (default: ~/.config)",
    "COLUMNS": "width of tables if standard output is not a terminal (default: 120)",
}
"""The environment variables that momagen reads."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``momagen help``."""
    parser.set_defaults(run=_run)
    topic = "a command, environment (variables), moduli (their names) or support (by targets) (default: list commands)"
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=topic)


def _run(given: argparse.Namespace) -> int:
    if given.topic in TOPICS:
        console().print(TOPICS[given.topic]())
        return 0
    if given.topic is None:
        build_parser().print_help()
        return 0
    known = dict(commands_of())
    if given.topic not in known:
        raise among("a topic among", (*TOPICS, *known), given.topic, "help")
    known[given.topic].print_help()
    return 0


def _environment() -> ReportTable:
    table = plain_table("variable", "meaning")
    for name, text in ENVIRONMENT.items():
        table.add_row(name, Text(text))
    return table


def _moduli() -> ReportTable:
    table = plain_table("name", "bits", "2-adicity", "modulus")
    for name, field in known_fields().items():
        table.add_row(name, str(field.bits), str(field.two_adicity), Text(field.form or f"{field.modulus:#x}"))
    return table


def _support() -> ReportTable:
    from momagen.api.lookup.support_table import MACHINES, supported_kinds  # so that other topics are quick
    from momagen.kinds.registry import kinds

    table = plain_table("kernel", *MACHINES, title="kinds of kernels that targets support; see momagen targets NAME")
    for name, kind in kinds().items():
        table.add_row(name, *("yes" if answer else "–" for answer in supported_kinds(kind).values()))
    return table


TOPICS: Mapping[str, Callable[[], ReportTable]] = {
    "environment": _environment, "moduli": _moduli, "support": _support,
}  # fmt: skip
"""The topics that are not commands."""
