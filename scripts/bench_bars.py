"""Measure every bar on this machine and write bench.md and bench.json: ``python scripts/bench_bars.py FOLDER``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from momagen.bench.suite.suite import TITLES, Options, main
from momagen.errors import MomagenError


def options() -> Options:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where bench.md and bench.json go")
    parser.add_argument("--section", action="append", default=[], choices=TITLES, help="only these (default: all)")
    given = parser.parse_args()
    return Options(sections=tuple(given.section or TITLES), folder=given.folder)


if __name__ == "__main__":
    try:
        sys.exit(main(options()))
    except MomagenError as error:
        sys.exit(f"error: {error}")
