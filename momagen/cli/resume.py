"""The rows that an interrupted command stored, with which the same command continues."""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path
from typing import TypeVar

from momagen.bench.measure.baselines import LIBRARIES
from momagen.bench.measure.machine import cpu
from momagen.bench.report.kept import KeptRows
from momagen.errors import MomagenError
from momagen.runtime import find_compiler
from momagen.targets import load_target

T = TypeVar("T")
TELLING = {"json", "csv", "output", "plot", "verbose", "run", "jobs"}
"""Arguments on which rows do not depend: the format of the output, and the number of processes."""
ROOTS = (row.root for row in LIBRARIES.values() if row.root)
VARIABLES = ("MOMAGEN_DISABLE", "MOMAGEN_KINDS", "MOMAGEN_WISDOM", *ROOTS)
"""Environment variables on which rows depend, in addition to $CC."""


def kept_rows(given: argparse.Namespace, name: str, kind: type[T]) -> KeptRows[T]:
    """Return the file of rows of a command in --output; without --output, no rows are stored.

    Raises:
        MomagenError: There is no compiler, or the folder is not writable.
    """
    if given.output is None:
        return KeptRows(None, name, {}, kind)
    asked = {key: value for key, value in vars(given).items() if key not in TELLING}
    words = {word for value in asked.values() for word in _words(value)}
    request = {
        "options": asked, "cpu": cpu(), "compiler": str(find_compiler(asked.get("compiler"))),
        "files": {word: _content(word) for word in sorted(words) if Path(word).is_file()},
        "environment": {variable: os.environ.get(variable) for variable in VARIABLES},
    }  # fmt: skip
    return KeptRows(given.output, name, request, kind)


def _words(value: object) -> list[str]:
    """Return the parts of an option's value that may name files."""
    return [word for each in (value if isinstance(value, list) else [value]) for word in str(each).split(",")]


def _content(path: str) -> str:
    """Return a digest of a file; for a target file, the digest includes the targets that it inherits."""
    try:
        content = load_target(path).content.encode()
    except MomagenError:
        content = Path(path).read_bytes()
    return hashlib.sha256(content).hexdigest()
