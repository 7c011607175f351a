"""A CMake project around a library of kernels: its files, its verification, and the text of its templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.api.numbers import integer
from momagen.clib import Library
from momagen.clib.files import MANIFEST, manifest
from momagen.clib.folder import write
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.files import path_of
from momagen.notebook import Progress
from momagen.templates import templates
from momagen.verify import Report

KERNELS = "kernels"
"""The folder of the kernels' library."""
LICENCE = "LICENSE"
TEMPLATE = ".j2"
DESCRIPTION = "kernels.toml"
"""The file that lists the kernels; their library has its own description."""
NAME = "NAME"
"""Stands for the name of the package in paths of templates."""
LARGEST = 1 << 20
"""The largest n of a package's transforms."""


@dataclass(frozen=True)
class Package:
    """A CMake project around a library of kernels.

    Attributes:
        files: every text, by path. library: the kernels, whose files are those of ``kernels/``.
    """

    files: dict[str, str]
    library: Library

    def verify(
        self, *, seed: int = 0, compiler: str | None = None, progress: Progress | None = None, all_sizes: bool = True
    ) -> list[Report]:  # fmt: skip
        """Compare every kernel in every variant with gmpy2; see :meth:`momagen.clib.Library.verify`."""
        reports = self.library.verify(seed=seed, compiler=compiler, progress=progress, all_sizes=all_sizes)
        self.files.update(whole(self.files, self.library))
        return reports

    def save(self, folder: str | Path) -> list[str]:
        """Write the package to ``folder`` and return the paths that changed.

        Args:
            folder: a new or empty folder, or one with an earlier package.

        Raises:
            MomagenError: the folder cannot be written, or holds other files or changed ones; nothing is lost then.
        """
        return write(self.files, path_of(folder, "output"))


def largest_size(max_n: int | str) -> int:
    """Return the largest n of a package's transforms.

    Args:
        max_n: a power of two from 2 to 2^20, or an expression such as ``"2^17"``.

    Raises:
        MomagenError: it is another number.
    """
    n = integer(max_n, "max_n")
    if n.bit_count() != 1 or not 2 <= n <= LARGEST:
        raise MomagenError("a power of two from 2 to 2^20", max_n, "max_n")
    return n


def whole(around: Mapping[str, str], kernels: Library) -> dict[str, str]:
    """Return the files `around` the library, the files of the library as they are now, and the manifest of all."""
    own = {f"{KERNELS}/{path}": text for path, text in kernels.files.items() if path != MANIFEST}
    texts = {path: text for path, text in around.items() if path != MANIFEST} | own
    return {**texts, MANIFEST: manifest(texts)}


def render(name: str, kernels: Library, values: Mapping[str, Any], package: str = "") -> dict[str, str]:
    """Return the texts around the library `kernels`, by path.

    Args:
        name: the folder in ``templates`` with the texts; files that end in ``.j2`` are rendered.
        kernels: the library, whose licence the package has, too.
        values: what the templates use. The list ``sources`` of C and C++ files is added.
        package: what replaces ``NAME`` in paths.
    """
    place = folder("templates") / name
    paths = {path: _renamed(path, package) for path in _paths(place) if path != DESCRIPTION}
    all_values = {**values, "sources": [path for path in paths.values() if _is_source(path)]}
    texts = {own: _text(place, path, name, all_values) for path, own in paths.items()}
    return {LICENCE: kernels.files[LICENCE], **texts}


def _paths(place: Path) -> Sequence[str]:
    return [str(path.relative_to(place)) for path in _walk(place)]


def _walk(place: Path) -> Iterator[Path]:
    return (path for path in sorted(place.rglob("*")) if path.is_file())


def _renamed(path: str, package: str) -> str:
    return path.removesuffix(TEMPLATE).replace(NAME, package)


def _is_source(path: str) -> bool:
    return path.startswith("src/") and path.endswith((".c", ".cpp"))


def _text(place: Path, path: str, name: str, values: Mapping[str, Any]) -> str:
    if not path.endswith(TEMPLATE):
        return (place / path).read_text(encoding="utf-8")
    return templates().get_template(f"{name}/{path}").render(values)
