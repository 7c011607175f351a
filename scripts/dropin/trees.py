"""The source tree that is built: as the user has it, or put together below the work folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from . import hexl_tests, rows
from .files import files, put, refresh
from .suites import VARIANTS

Folders = dict[str, Path]

OVERLAY = ("CMakeLists.txt", "configure", "src", "third-party")
"""Of openfhe-hexl: what openfhe-configurator copies over OpenFHE's tree, less what only installed copies need."""

SUBMODULES = {
    Path("third-party/cereal"): "cereal",
    Path("third-party/google-test"): "googletest",
    Path("third-party/google-benchmark"): "benchmark",
}
"""Of OpenFHE: the option that names each."""

BENCHES = Path(__file__).parent / "openfhe_bench"
"""Benchmarks of ours, which OpenFHE's CMake files compile like its own."""


def seal(folders: Folders, work: Path, variant: str) -> Path:
    """Return SEAL's folder itself, or an edited copy of it."""
    if not VARIANTS[variant].rows:
        return folders["seal"]
    tree, texts = work / "seal-source-rows", rows.edited("seal", folders["seal"])
    refresh(folders["seal"], tree, keep=texts)
    _put_all(tree, texts)
    return tree


def openfhe(folders: Folders, work: Path, variant: str) -> Path:
    """Return a copy of OpenFHE, with its submodules and our benchmarks.

    With HEXL, openfhe-hexl's files replace OpenFHE's; with rows, they are edited.
    """
    hexl = folders["openfhe-hexl"]
    tree = work / f"openfhe-source-{variant if variant in ('plain', 'rows') else 'hexl'}"
    over = {} if variant == "plain" else {name: hexl / name for name in OVERLAY}
    texts = rows.edited("openfhe", hexl) if VARIANTS[variant].rows else {}
    replaced = {path.relative_to(hexl) for top in over.values() for path in files(top)}
    refresh(folders["openfhe"], tree, keep=replaced | set(SUBMODULES))
    for inside, option in SUBMODULES.items():
        refresh(folders[option], tree / inside)
    for name, part in over.items():
        refresh(part, tree / name, keep={path.relative_to(name) for path in texts if path.is_relative_to(name)})
    refresh(BENCHES, tree / "benchmark/src")
    _put_all(tree, texts)
    return tree


def hexl(folders: Folders, work: Path, variant: str) -> Path:
    """Return a project of HEXL's unit tests alone."""
    return hexl_tests.write(folders["hexl"], work / "hexl-source")


TREES: dict[str, Callable[[Folders, Path, str], Path]] = {"hexl": hexl, "seal": seal, "openfhe": openfhe}


def _put_all(tree: Path, texts: dict[Path, str]) -> None:
    """Write the edited files of a tree."""
    for path, text in texts.items():
        put(tree / path, text)
