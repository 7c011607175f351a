"""Results as JSON, written anew after each row: a run that is killed keeps what it has."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

import momagen

FORMAT = 1


class Results:
    """A file of results.

    Attributes:
        told: all of it. ``format``; ``date`` (UTC); ``machine``: device, driver, CUDA; ``momagen``: version; ``rates``:
            what the device does; ``transfers``; ``rows``: by name, in the order in which they ran, each with ``state``
            ("measured", "verified" where no time was left, "wrong", "skipped" or "failed") and what belongs to it;
            ``left``: rows that the time did not suffice for.
    """

    def __init__(self, path: Path | None, machine: dict[str, Any]) -> None:
        self.path = path
        self.told: dict[str, Any] = {
            "format": FORMAT, "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "momagen": momagen.__version__, "machine": machine, "rates": {}, "transfers": {}, "rows": {}, "left": [],
        }  # fmt: skip

    def put(self, part: str, value: Any) -> None:
        self.told[part] = value
        self.write()

    def row(self, name: str, **what: Any) -> None:
        """Add to the row ``name``."""
        self.told["rows"].setdefault(name, {}).update(what)
        self.write()

    def write(self) -> None:
        """Put it to the disk in one step."""
        if self.path is None:
            return
        beside = self.path.with_suffix(".tmp")
        beside.write_text(json.dumps(self.told, indent=1) + "\n", encoding="utf-8")
        os.replace(beside, self.path)
