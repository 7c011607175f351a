"""Wisdom files: JSON files of rows, which can be merged and are safe for several tuners that write at the same time.

The default file is $MOMAGEN_WISDOM, otherwise $XDG_CONFIG_HOME/momagen/wisdom.json, otherwise
~/.config/momagen/wisdom.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from momagen import files
from momagen.errors import MomagenError, build_error, quoted, reason
from momagen.tables import parse_json

from .row import Key, WisdomRow, key_of, parse_row

FORMAT = "momagen wisdom"
VERSION = 3
"""The version of the file format.

In version 1 the width of a modulus was called bits, in version 2 there were no columns.
"""
OLDER = "an older version of momagen wrote it; delete it and tune again"


@dataclass(frozen=True)
class Wisdom:
    """The rows of a wisdom file, at most one for each key, in the order of their keys."""

    rows: tuple[WisdomRow, ...] = ()

    def find(self, key: Key) -> WisdomRow | None:
        """Return the row for ``key``, whichever version of momagen measured it, or None."""
        return next((row for row in self.rows if row.key == key_of(key)), None)

    def merged(self, rows: Iterable[WisdomRow]) -> Wisdom:
        """Return the rows of this wisdom and ``rows``; if both have a row for a key, the row in ``rows`` is kept."""
        found = {row.key: row for row in (*self.rows, *rows)}
        return Wisdom(tuple(found[key] for key in sorted(found, key=repr)))

    def without(self, unwanted: Callable[[WisdomRow], bool]) -> Wisdom:
        """Return the rows for which ``unwanted`` returns false."""
        return Wisdom(tuple(row for row in self.rows if not unwanted(row)))

    def __str__(self) -> str:
        rows = [row.to_dict() for row in self.rows]
        return json.dumps({FORMAT: VERSION, "rows": rows}, indent=2, ensure_ascii=False) + "\n"


def read(path: Path, *, needed: bool = False) -> Wisdom:
    """Return the wisdom in a file; it is empty if the file does not exist and is not ``needed``.

    Raises:
        MomagenError: The file is missing but needed, cannot be read, has another version, or has an invalid row, which
            the message names.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if needed:
            raise build_error("there is no such wisdom file", str(path), "create one with `momagen tune`") from None
        return Wisdom()
    except (OSError, UnicodeDecodeError) as error:
        raise build_error(f"the wisdom file cannot be read ({reason(error)})", str(path)) from None
    return parse(text, path)


def parse(text: str, path: Path) -> Wisdom:
    """Return the wisdom in the text of a file; errors name ``path``.

    Raises:
        MomagenError: The text is not wisdom of this version, or a row is invalid.
    """
    raw = parse_json(text, "wisdom in JSON", str(path))
    if not isinstance(raw, dict) or FORMAT not in raw:
        raise MomagenError(f"a table with the key “{FORMAT}”", _shape(raw), str(path))
    if raw[FORMAT] != VERSION:
        hint = OLDER if raw[FORMAT] in range(1, VERSION) else ""
        raise MomagenError(f"version {VERSION}", quoted(raw[FORMAT]), f"{path}, {FORMAT}", hint)
    if set(raw) != {FORMAT, "rows"} or not isinstance(raw["rows"], list):
        raise MomagenError(f"the keys {FORMAT} and rows, which is a list", _shape(raw), str(path))
    return Wisdom().merged(parse_row(row, f"row {at}", path) for at, row in enumerate(raw["rows"], 1))


def _shape(raw: object) -> str:
    """Return a description of a JSON value."""
    return f"a table with {', '.join(raw) or 'nothing'}" if isinstance(raw, dict) else f"a {type(raw).__name__}"


def update(path: Path, change: Callable[[Wisdom], Wisdom]) -> Wisdom:
    """Replace the wisdom in a file by the result of ``change``, and return that result.

    The folder is locked meanwhile, so that two writers do not lose each other's rows; a reader sees either the old file
    or the new one.

    Args:
        path: The wisdom file.
        change: A function from the old wisdom to the new one.

    Raises:
        MomagenError: The file is invalid or cannot be written; then it is unchanged.
    """
    path = path.resolve()  # replaces the file that a symbolic link names, not the link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(path.parent):
            changed = change(read(path))
            files.write(path, str(changed))
    except OSError as error:
        raise MomagenError("a wisdom file that can be written", path, "wisdom", reason(error)) from None
    return changed
