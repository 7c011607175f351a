"""A CMake project that contains a library of kernels: its files, its verification, and the texts of its templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.clib import Library
from momagen.clib.files import MANIFEST, manifest
from momagen.clib.folder import write
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.files import path_of
from momagen.notebook import Progress
from momagen.templates import templates
from momagen.values.numbers import integer
from momagen.verify import Report

KERNELS = "kernels"
"""The folder of the kernels' library."""
LICENCE = "LICENSE"
TEMPLATE = ".j2"
DESCRIPTION = "kernels.toml"
"""The file that lists the kernels; their library has its own description."""
NAME = "NAME"
"""The placeholder for the name of the package in paths of templates."""
LARGEST = 1 << 20
"""The largest n of a package's transforms."""


@dataclass(frozen=True)
class Package:
    """A CMake project that contains a library of kernels.

    Attributes:
        files: The texts of all files, by path.
        library: The kernels, whose files are in ``kernels/``.
    """

    files: dict[str, str]
    library: Library

    def verify(
        self, *, seed: int = 0, compiler: str | None = None, progress: Progress | None = None, all_sizes: bool = True
    ) -> list[Report]:  # fmt: skip
        """Compare every kernel in every variant with gmpy2.

        Args:
            seed: The seed of the random values.
            compiler: The compiler (default: the one that momagen finds).
            progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.
            all_sizes: Whether emulated transforms with ``n=any`` are compared at every size; see
                :meth:`momagen.clib.Library.verify`.

        Returns:
            One report for each kernel and variant.
        """
        reports = self.library.verify(seed=seed, compiler=compiler, progress=progress, all_sizes=all_sizes)
        self.files.update(whole(self.files, self.library))
        return reports

    def save(self, folder: str | Path) -> list[str]:
        """Write the package to a folder.

        Args:
            folder: A new or empty folder, or one that holds an earlier version of the package.

        Returns:
            The paths of the files that changed.

        Raises:
            MomagenError: The folder cannot be written, holds files that are not part of the package, or holds files
                that were edited after they were written; the folder is then left as it was.
        """
        return write(self.files, path_of(folder, "output"))


def largest_size(max_n: int | str) -> int:
    """Return the largest n of a package's transforms.

    Args:
        max_n: A power of two from 2 to 2^20, or an expression such as "2^17".

    Raises:
        MomagenError: ``max_n`` is another number.
    """
    n = integer(max_n, "max_n")
    if n.bit_count() != 1 or not 2 <= n <= LARGEST:
        raise MomagenError("a power of two from 2 to 2^20", max_n, "max_n")
    return n


def whole(around: Mapping[str, str], kernels: Library) -> dict[str, str]:
    """Return all files of a package.

    Args:
        around: The files other than those of the library.
        kernels: The library, whose files are added as they are now.

    Returns:
        The files and a manifest of all of them.
    """
    own = {f"{KERNELS}/{path}": text for path, text in kernels.files.items() if path != MANIFEST}
    texts = {path: text for path, text in around.items() if path != MANIFEST} | own
    return {**texts, MANIFEST: manifest(texts)}


def render(name: str, kernels: Library, values: Mapping[str, Any], package: str = "") -> dict[str, str]:
    """Return the texts of a package other than those of its library, by path.

    Args:
        name: The folder in ``templates`` with the texts; files that end in ``.j2`` are rendered.
        kernels: The library, whose licence the package has, too.
        values: The values that the templates use. The list ``sources`` of C and C++ files is added.
        package: The name that replaces ``NAME`` in paths.
    """
    place = folder("templates") / name
    paths = {path: _renamed(path, package) for path in _paths(place) if path != DESCRIPTION}
    all_values = {**values, "sources": [path for path in paths.values() if _is_source(path)]}
    texts = {own: _text(place, path, name, all_values) for path, own in paths.items()}
    return {LICENCE: kernels.files[LICENCE], **texts}


def _paths(place: Path) -> Sequence[str]:
    """Return the paths of the files in a folder, relative to it."""
    return [str(path.relative_to(place)) for path in _walk(place)]


def _walk(place: Path) -> Iterator[Path]:
    """Return the files in a folder and its subfolders, sorted."""
    return (path for path in sorted(place.rglob("*")) if path.is_file())


def _renamed(path: str, package: str) -> str:
    """Return the path of a rendered template."""
    return path.removesuffix(TEMPLATE).replace(NAME, package)


def _is_source(path: str) -> bool:
    """Return whether a path is that of a C or C++ source."""
    return path.startswith("src/") and path.endswith((".c", ".cpp"))


def _text(place: Path, path: str, name: str, values: Mapping[str, Any]) -> str:
    """Return the text of a file, which is rendered if it is a template."""
    if not path.endswith(TEMPLATE):
        return (place / path).read_text(encoding="utf-8")
    return templates().get_template(f"{name}/{path}").render(values)
