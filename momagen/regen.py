"""The kernels in ``generated/``: those in its manifest are written again, or compared byte by byte."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from momagen.api.manifest import manifest as kernel_manifest
from momagen.api.request import specify
from momagen.data import folder
from momagen.emit import generate
from momagen.errors import MomagenError, among, build_error, reason
from momagen.files import write as write_file
from momagen.kinds.modular.spec import Spec

MANIFEST = "manifest.toml"
SUFFIXES = (".c", ".cu", ".h", ".json", ".py", ".s")
AXES = ("kind", "bits", "target")
"""The keys of a [[set]] that hold lists, every combination of which is a kernel; other keys are passed on unchanged."""
FIELDS = ("n", "columns", "modulus_bits", "modulus", "root", "generator", "inverse", "negacyclic", "order", "options")

Progress = Callable[[float, str], None]


def place(output: Path | None) -> Path:
    """Return ``output``, or ``generated/`` of the checkout if it is None.

    Raises:
        MomagenError: ``output`` is None, and this is not a checkout.
    """
    if output is None and not _kept().is_file():
        remedy = f"specify --output DIR, a folder with a {MANIFEST}"
        raise build_error("this installed package has no folder of generated kernels", "regen", remedy)
    return output or _kept().parent


def manifest_of(where: Path) -> Path:
    """Return the manifest in the folder, or that of the checkout.

    Raises:
        MomagenError: There is neither.
    """
    own = where / MANIFEST
    if not own.is_file() and not _kept().is_file():
        remedy = "copy the one in generated/ of a checkout of momagen"
        raise build_error(f"the folder has no {MANIFEST}", str(where), remedy)
    return own if own.is_file() else _kept()


def _kept() -> Path:
    """Return the checkout's manifest, which installed packages do not have."""
    return folder("generated") / MANIFEST


def specifications(path: Path) -> list[Spec]:
    """Return the kernels of a manifest, in its order.

    Raises:
        MomagenError: The manifest cannot be read, or a set in it is invalid.
    """
    try:
        sets = tomllib.loads(path.read_text(encoding="utf-8"))["set"]
    except (OSError, KeyError, ValueError) as error:
        raise MomagenError("a manifest with tables [[set]]", reason(error), str(path)) from None
    return [spec for at, row in enumerate(sets, 1) for spec in _of_set(row, f"{path.name}, set {at}")]


def _of_set(row: Mapping[str, Any], where: str) -> Iterator[Spec]:
    if unknown := set(row) - {*AXES, *FIELDS}:
        raise among("only the keys", (*AXES, *FIELDS), ", ".join(sorted(unknown)), where)
    if missing := [key for key in ("kind", "target") if key not in row]:
        raise MomagenError(f"the keys {', '.join(missing)}", ", ".join(row), where)
    axes = {key: row[key] for key in AXES if key in row}
    for values in product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True)) | {key: row[key] for key in FIELDS if key in row}
        yield specify(chosen.pop("kind"), **chosen)


def files(spec: Spec) -> dict[str, str]:
    """Return the texts of one kernel by file name, which are the same on every machine."""
    made = generate(spec)
    texts = {**made.files, ".json": kernel_manifest(made)}
    return {f"{made.name}{suffix}": text for suffix, text in texts.items()}


def texts(manifest: Path, progress: Progress) -> dict[str, str]:
    """Return the texts of all kernels of a manifest, by file name.

    Raises:
        MomagenError: Two kernels have the same name.
    """
    found: dict[str, str] = {}
    specs = specifications(manifest)
    for done, spec in enumerate(specs):
        progress(done / len(specs), spec.name)
        if f"{spec.name}.json" in found:
            raise MomagenError("kernels with different names", f"two with the name {spec.name}", manifest.name)
        found |= files(spec)
    return found


def _there(where: Path) -> set[str]:
    """Return the names of the kernels' files in a folder; momagen ignores all other files in it."""
    return {path.name for path in where.glob("*") if path.suffix in SUFFIXES}


def check(where: Path, progress: Progress) -> list[str]:
    """Return the differences between a folder and its manifest: a line for each file, none if it is current."""
    wanted, there = texts(manifest_of(where), progress), _there(where)
    changed = (n for n in wanted if n in there and (where / n).read_bytes() != wanted[n].encode())
    faults = {
        "changed": changed,
        "missing": (n for n in wanted if n not in there),
        "stale": sorted(there - set(wanted)),
    }
    return [f"{fault}: {where / name}" for fault, names in faults.items() for name in names]


def write(where: Path, progress: Progress) -> list[str]:
    """Make the folder ``where`` agree with its manifest, and return a line for each file that changed.

    Raises:
        MomagenError: A file cannot be written.
    """
    wanted, faults = texts(manifest_of(where), progress), []
    stale = sorted(_there(where) - set(wanted))
    try:
        for name, text in wanted.items():
            if not (where / name).is_file() or (where / name).read_bytes() != text.encode():
                write_file(where / name, text)
                faults.append(f"written: {where / name}")
        for name in stale:
            (where / name).unlink()
    except OSError as error:
        raise MomagenError("a folder that can be written", where, "regen", reason(error)) from None
    return faults + [f"removed: {where / name}" for name in stale]
