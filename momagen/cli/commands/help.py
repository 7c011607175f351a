"""``momagen help``: the overview, a command's help, or a topic."""

from __future__ import annotations

import argparse

from rich.text import Text

from momagen.cli.parser import build_parser, commands_of
from momagen.errors import among
from momagen.screen import console
from momagen.screen.tables import ReportTable, plain_table

ENVIRONMENT = {
    "MOMAGEN_CACHE": "folder of compiled kernels; in one that holds other things, momagen-cache is made inside "
    "(default: $XDG_CACHE_HOME/momagen, else ~/.cache/momagen)",
    "MOMAGEN_WISDOM": "wisdom file that ntt, polymul, blas, bench --sweep and tune use without --wisdom",
    "MOMAGEN_DISABLE": "CPU features to do without, separated by commas: avx512f,avx2",
    "MOMAGEN_TRACEBACK": "not empty: show the Python traceback of an internal error",
    "CC": "the C compiler (default: clang, gcc, then zig of the ziglang wheel)",
    "CXX": "the C++ compiler of bench --section hexl (default: c++)",
    "XDG_CACHE_HOME": "parent folder of the cache, where MOMAGEN_CACHE is not set",
    "XDG_CONFIG_HOME": "parent folder of momagen/wisdom.json (default: ~/.config)",
    "COLUMNS": "width of tables where standard output is no terminal (default: 120)",
}
"""What the environment may say, by variable."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="environment, or a command")


def _run(given: argparse.Namespace) -> int:
    if given.topic == "environment":
        console().print(_environment())
        return 0
    if given.topic is None:
        build_parser().print_help()
        return 0
    known = dict(commands_of())
    if given.topic not in known:
        raise among("a topic among", ("environment", *known), given.topic, "help")
    known[given.topic].print_help()
    return 0


def _environment() -> ReportTable:
    table = plain_table("variable", "meaning")
    for name, text in ENVIRONMENT.items():
        table.add_row(name, Text(text))
    return table
