"""Wisdom on disk: a JSON file of rows, readable, mergeable, safe where several tuners write at once.

The place is $MOMAGEN_WISDOM, else $XDG_CONFIG_HOME/momagen/wisdom.json, else ~/.config/momagen/wisdom.json.
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
"""Of the file; in 1 the width of a modulus was called bits, in 2 there were no columns."""
OLDER = "an older version of momagen wrote it; delete it and tune again"


@dataclass(frozen=True)
class Wisdom:
    """The rows of a file, at most one for each key, in the order of their keys."""

    rows: tuple[WisdomRow, ...] = ()

    def find(self, key: Key) -> WisdomRow | None:
        """The row for ``key``, of whatever version of momagen."""
        return next((row for row in self.rows if row.key == key_of(key)), None)

    def merged(self, rows: Iterable[WisdomRow]) -> Wisdom:
        """These rows and ``rows``; of two with the same key the new one."""
        found = {row.key: row for row in (*self.rows, *rows)}
        return Wisdom(tuple(found[key] for key in sorted(found, key=repr)))

    def without(self, unwanted: Callable[[WisdomRow], bool]) -> Wisdom:
        """The rows that are not ``unwanted``."""
        return Wisdom(tuple(row for row in self.rows if not unwanted(row)))

    def __str__(self) -> str:
        rows = [row.to_dict() for row in self.rows]
        return json.dumps({FORMAT: VERSION, "rows": rows}, indent=2, ensure_ascii=False) + "\n"


def read(path: Path, *, needed: bool = False) -> Wisdom:
    """The wisdom in ``path``; none where there is no such file, unless it is ``needed``.

    Raises:
        MomagenError: it cannot be read, is no wisdom of this version, or has a broken row, which is named.
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
    """The wisdom of a file's text; ``path`` is named in errors."""
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
    return f"a table with {', '.join(raw) or 'nothing'}" if isinstance(raw, dict) else f"a {type(raw).__name__}"


def update(path: Path, change: Callable[[Wisdom], Wisdom]) -> Wisdom:
    """``change`` what stands in ``path`` now and put the result there at once; gives it.

    The folder is locked meanwhile, so two that write do not lose each other's rows; a reader sees the old file or the
    new one.

    Raises:
        MomagenError: the file cannot be written, or is broken: then it stays as it was.
    """
    path = path.resolve()  # a link stays a link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(path.parent):
            changed = change(read(path))
            files.write(path, str(changed))
    except OSError as error:
        raise MomagenError("a wisdom file that can be written", path, "wisdom", reason(error)) from None
    return changed
