"""The source tree that is built: as the user has it, or put together below the work folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path

from . import hexl_tests

Folders = dict[str, Path]

OVERLAY = ("CMakeLists.txt", "configure", "src", "third-party")
"""Of openfhe-hexl: what openfhe-configurator copies over OpenFHE's tree, less what only installed copies need."""

SUBMODULES = {Path("third-party/cereal"): "cereal", Path("third-party/google-test"): "googletest"}
"""Of OpenFHE: the option that names each."""


def seal(folders: Folders, work: Path, variant: str) -> Path:
    """SEAL is built where it lies."""
    return folders["seal"]


def openfhe(folders: Folders, work: Path, variant: str) -> Path:
    """A copy of OpenFHE with its submodules in place and, where HEXL is used, openfhe-hexl copied over it."""
    tree = work / f"openfhe-source-{'plain' if variant == 'plain' else 'hexl'}"
    over = {} if variant == "plain" else {name: folders["openfhe-hexl"] / name for name in OVERLAY}
    replaced = {path.relative_to(folders["openfhe-hexl"]) for top in over.values() for path in _files(top)}
    refresh(folders["openfhe"], tree, keep=replaced | set(SUBMODULES))
    for inside, option in SUBMODULES.items():
        refresh(folders[option], tree / inside)
    for name, part in over.items():
        refresh(part, tree / name)
    return tree


def hexl(folders: Folders, work: Path, variant: str) -> Path:
    """A project of HEXL's unit tests alone."""
    return hexl_tests.write(folders["hexl"], work / "hexl-source")


TREES: dict[str, Callable[[Folders, Path, str], Path]] = {"hexl": hexl, "seal": seal, "openfhe": openfhe}


def _files(top: Path) -> list[Path]:
    """Files below a folder, or the file itself; nothing of git's."""
    return [top] if top.is_file() else [p for p in top.rglob("*") if p.is_file() and ".git" not in p.parts]


def refresh(source: Path, target: Path, keep: Collection[Path] = ()) -> None:
    """Copy what differs by size or time, so that nothing is compiled again without need; leave out ``keep``."""
    for path in _files(source):
        inside = path.relative_to(source)
        if not {inside, *inside.parents} & {*keep} and not _same(path, target / inside):
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / inside)


def _same(path: Path, other: Path) -> bool:
    if not other.is_file():
        return False
    one, two = path.stat(), other.stat()
    return (one.st_size, int(one.st_mtime)) == (two.st_size, int(two.st_mtime))
