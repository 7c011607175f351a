"""Rows of results that a long study stores as it measures them, so that an interrupted study can continue."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from momagen import files
from momagen.data import folder as data_folder
from momagen.errors import MomagenError, build_error, reason
from momagen.signals import Ended

from .plain import from_plain, to_plain

T = TypeVar("T")
Once = Callable[[str, Callable[[], Sequence[T]]], Sequence[T]]
"""A function that returns rows. Its arguments are the key of the rows and a function that measures them."""
CODE = (".py", ".toml", ".c", ".h", ".j2", ".cpp")
EARLIER = "{} rows were measured by an earlier run of the same command, which was interrupted."
ABSENT = "no row was stored; with --output DIR each row is stored as soon as it is measured"


def afresh(key: str, measure: Callable[[], Sequence[T]]) -> Sequence[T]:
    """Measure the rows without storing them."""
    return measure()


class KeptRows(Generic[T]):
    """The rows of one request, stored in the file NAME-DIGEST.rows, which is deleted when the study is complete.

    The digest covers the request, this CPU and the code of momagen, so that rows of another request, another
    machine or other code are never read. Use the object as a context manager: if a signal ends the study, a
    note on the exception says what is stored.

    Args:
        folder: The folder of the file, or None to store nothing.
        name: The name of the study.
        request: All values that the rows depend on, as JSON values.
        kind: The dataclass of the rows.

    Attributes:
        reused: The number of rows that an earlier run had measured.
        path: The file, or None.

    Raises:
        MomagenError: The folder cannot be written.
    """

    def __init__(self, folder: Path | None, name: str, request: Mapping[str, object], kind: type[T]) -> None:
        self._kind, self._known, self._earlier = kind, dict[str, list[T]](), set[str]()
        self.reused = 0
        self.path = folder / f"{name}-{_digest(request)}.rows" if folder else None
        if self.path:
            self._open(self.path)

    def _open(self, path: Path) -> None:
        """Read the rows of an earlier run, and ignore an incomplete last line."""
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for line in lines:
            try:
                key, rows = json.loads(line)
                self._known[key] = [from_plain(self._kind, row) for row in rows]
            except (ValueError, MomagenError):
                break
        self._earlier = set(self._known)
        try:
            files.write(path, "".join(self._line(*each) for each in self._known.items()))
        except OSError as error:
            raise build_error(f"the folder {path.parent} cannot be written ({reason(error)})", "--output") from None

    @staticmethod
    def _line(key: str, rows: Sequence[T]) -> str:
        return json.dumps([key, [to_plain(row) for row in rows]], ensure_ascii=False) + "\n"

    def once(self, key: str, measure: Callable[[], Sequence[T]]) -> Sequence[T]:
        """Return the rows with the key ``key``: the rows of an earlier run, or new rows, which are then stored."""
        found = self.known(key)
        return self.keep(key, measure()) if found is None else found

    def known(self, key: str) -> Sequence[T] | None:
        """Return the rows with the key ``key`` from an earlier run, or None if it has not measured them."""
        if key not in self._earlier:
            return None
        self.reused += len(self._known[key])
        return self._known[key]

    def keep(self, key: str, rows: Sequence[T]) -> Sequence[T]:
        """Store rows in the file, and return them."""
        self._known[key] = list(rows)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(self._line(key, rows))
                file.flush()
                os.fsync(file.fileno())
        return rows

    def __enter__(self) -> KeptRows[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if isinstance(error, Ended | KeyboardInterrupt):
            error.add_note(self._told())
        elif error is None and self.path:
            self.path.unlink(missing_ok=True)

    def _told(self) -> str:
        """Return a message that says which rows an interrupted run has stored."""
        count = sum(map(len, self._known.values()))
        return f"{count} rows are stored in {self.path}; the same command continues with them" if self.path else ABSENT


def _digest(request: Mapping[str, object]) -> str:
    about = json.dumps({**request, "code": code_digest()}, sort_keys=True, default=str)
    return hashlib.sha256(about.encode()).hexdigest()[:12]


@cache
def code_digest() -> str:
    """Return a digest of momagen's code, rules, targets and templates."""
    digest, own = hashlib.sha256(), Path(files.__file__).parent
    for root in (own, *map(data_folder, ("rules", "targets", "templates"))):
        for path in sorted(each for each in root.rglob("*") if each.suffix in CODE):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
