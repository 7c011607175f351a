"""Edits of SEAL and OpenFHE by which they convert between RNS bases with a library that momagen generates.

``kernels.toml`` lists the kernels of the library, ``edits.toml`` the edits; edited files call the code of the headers.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..packages import Broken

HERE = Path(__file__).parent
LIBRARY = HERE / "library.cmake"
"""A file for CMake that makes the library and the headers available to all targets of a project."""


@dataclass(frozen=True)
class Edit:
    """Text to insert into a file.

    Attributes:
        file: the path of the file in the source tree.
        after: the text behind which to insert; it must occur exactly once.
        insert: the text to insert.
    """

    file: str
    after: str
    insert: str

    def apply(self, text: str) -> str:
        """Return the edited text.

        Raises:
            Broken: ``after`` does not occur exactly once, so the sources are of another version.
        """
        if (count := text.count(self.after)) != 1:
            raise Broken(f"{self.file}: expected once, got {count} times: {self.after.strip()}")
        return text.replace(self.after, self.after + self.insert)


def edits(project: str) -> list[Edit]:
    """Return the edits of a project, ``seal`` or ``openfhe``."""
    return [Edit(**row) for row in tomllib.loads((HERE / "edits.toml").read_text(encoding="utf-8"))[project]]


def edited(project: str, tree: Path) -> dict[Path, str]:
    """Return the new contents of all files of ``tree`` that the edits of a project change, by path in the tree.

    Raises:
        Broken: a file does not contain the text that an edit looks for.
    """
    texts: dict[Path, str] = {}
    for edit in edits(project):
        path = Path(edit.file)
        text = texts[path] if path in texts else (tree / path).read_text(encoding="utf-8")
        texts[path] = edit.apply(text)
    return texts
