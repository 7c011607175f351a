"""What an interrupted command goes on with: the rows that the same request kept in the same folder."""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path
from typing import TypeVar

from momagen.bench.measure.baselines import LIBRARIES
from momagen.bench.measure.machine import cpu
from momagen.bench.report.kept import KeptRows
from momagen.build import find_compiler
from momagen.errors import MomagenError
from momagen.targets import load_target

T = TypeVar("T")
TELLING = {"json", "csv", "output", "plot", "verbose", "run", "jobs"}
"""Arguments that say how results are told, or how many processes look for them; rows do not depend on them."""
VARIABLES = ("MOMAGEN_DISABLE", "MOMAGEN_WISDOM", *(row.root for row in LIBRARIES.values() if row.root))
"""Environment variables that rows depend on, beside $CC."""


def kept_rows(given: argparse.Namespace, name: str, kind: type[T]) -> KeptRows[T]:
    """Return the rows of a command in --output, and keep none where it is not given.

    Raises:
        MomagenError: no compiler, or a folder that cannot be written.
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
    """Return a digest of a file; of a target's, with what it inherits."""
    try:
        content = repr(load_target(path)).encode()
    except MomagenError:
        content = Path(path).read_bytes()
    return hashlib.sha256(content).hexdigest()
