"""The frozen files: one object per family, a row per line, sorted, so that a difference in git is a list of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from .figures import Figures
from .rows import HERE, Row

FROZEN = HERE / "frozen"
COMPILER = "compiler"
"""The key beside the rows: what they were compiled with."""


def read(folder: Path = FROZEN) -> tuple[dict[str, Figures], str]:
    """All rows by label, and the compiler that counted them."""
    found: dict[str, Figures] = {}
    compiler = ""
    for path in sorted(folder.glob("*.json")):
        held = json.loads(path.read_text(encoding="utf-8"))
        compiler = held.pop(COMPILER)
        found |= held
    return found, compiler


def write(rows: Iterable[Row], figures: Mapping[str, Figures], compiler: str, folder: Path = FROZEN) -> None:
    """Freeze ``figures``, by family; files of families that are no more go."""
    families: dict[str, dict[str, object]] = {}
    for row in rows:
        families.setdefault(row.family, {COMPILER: compiler})[row.label] = figures[row.label]
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.json"):
        path.unlink()
    for family, held in families.items():
        lines = (f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in held.items())
        (folder / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
