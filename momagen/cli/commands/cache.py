"""``momagen cache``: show the folder and size of the cache of compiled kernels, or clear it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from momagen.cli.options import add_json
from momagen.runtime import cache
from momagen.screen import console


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen cache``."""
    parser.set_defaults(run=_run)
    parser.add_argument("--clear", action="store_true", help="delete all files that momagen stored there")
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    root = cache.root()
    found = [(part, *_size(root / part)) for part in cache.PARTS]
    if given.clear:
        cache.clear()
    if given.json:
        rows = [{"part": part, "entries": entries, "bytes": size} for part, entries, size in found]
        print(json.dumps({"folder": str(root), "cleared": given.clear, "parts": rows}, indent=2))
        return 0
    screen = console()
    screen.print(str(root), style="bold", markup=False, soft_wrap=True)
    for part, entries, size in found:
        screen.print(f"  {part:<10} {entries:>6} entries {size / 2**20:>9.1f} MiB{', deleted' * given.clear}")
    return 0


def _size(folder: Path) -> tuple[int, int]:
    """Return the number of entries of a folder, and of bytes of its files; skip files that are deleted meanwhile."""
    if not folder.is_dir():
        return 0, 0
    sizes = 0
    for path in folder.rglob("*"):
        try:
            sizes += path.lstat().st_size if path.is_file() else 0
        except OSError:
            continue
    return sum(1 for _ in folder.iterdir()), sizes
