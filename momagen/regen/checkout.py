"""The files of a checkout that ``momagen regen`` holds current: kernels, certificates, maker functions and pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from momagen.errors import MomagenError, reason
from momagen.files import write as write_file
from momagen.screen.progress import part_of

from . import proofs
from .kernels import SUFFIXES, Progress, manifest_of, texts
from .makers import makers
from .pages import page
from .support import support_page

DECLARED: Mapping[str, Callable[[], str]] = {
    "momagen/api/makers.py": makers, "docs/reference/kinds.md": page, "docs/reference/support.md": support_page,
}  # fmt: skip
"""The files that follow from the declarations and limits of kinds and targets, by their paths in a checkout."""
PACKAGE = "momagen/kinds"
"""A folder that only checkouts have next to the folder of kernels."""


def _wanted(where: Path, progress: Progress) -> dict[Path, str]:
    """Return the texts of the kernels in a folder and, if it is that of a checkout, of the checkout's other files."""
    root = where.resolve().parent
    kernels = {where / name: text for name, text in texts(manifest_of(where), progress).items()}
    for name, text in DECLARED.items() if (root / PACKAGE).is_dir() else ():
        progress(1.0, name)
        kernels[root / name] = text()
    return kernels


def _stale(where: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Return the files of kernels in a folder that are not wanted; all other files in it are ignored."""
    return sorted(path for path in where.glob("*") if path.suffix in SUFFIXES and path not in wanted)


def _proven(where: Path, wanted: Mapping[Path, str]) -> list[str]:
    """Return the names of the kernels that the manifest lists as proven."""
    return proofs.proven(manifest_of(where), {path.stem for path in wanted if path.suffix == ".json"})


def _is_current(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def check(where: Path, progress: Progress) -> list[str]:
    """Return the differences between a folder and its manifest: a line for each file, none if it is current."""
    wanted = _wanted(where, part_of(progress, 0, 2))
    differing = [path for path, text in wanted.items() if not _is_current(path, text)]
    faults = [f"{'changed' if path.is_file() else 'missing'}: {path}" for path in differing]
    names = _proven(where, wanted)
    faults += [f"stale: {path}" for path in [*_stale(where, wanted), *proofs.stale(where, names)]]
    changed = {path.stem for path in differing}
    unproven = proofs.faults(where, [name for name in names if name not in changed], part_of(progress, 1, 2))
    return faults + [f"not proven: {path}: {problem}" for path, problem in unproven.items()]


def write(where: Path, progress: Progress) -> list[str]:
    """Make the folder ``where`` agree with its manifest, and return a line for each file that changed.

    Raises:
        MomagenError: A file cannot be written.
    """
    wanted = _wanted(where, part_of(progress, 0, 2))
    names = _proven(where, wanted)
    stale = [*_stale(where, wanted), *proofs.stale(where, names)]
    differing = [path for path, text in wanted.items() if not _is_current(path, text)]
    try:
        for path in differing:
            write_file(path, wanted[path])
        for path in stale:
            path.unlink()
        later = part_of(progress, 1, 2)
        unproven = proofs.faults(where, names, later)
        for done, path in enumerate(unproven):
            proofs.write(path, where, part_of(later, done, len(unproven)))
    except OSError as error:
        raise MomagenError("a folder that can be written", where, "regen", reason(error)) from None
    return [*(f"written: {path}" for path in [*differing, *unproven]), *(f"removed: {path}" for path in stale)]
