"""The kernels kept in ``generated/``: what stands in its manifest, written anew or compared byte by byte."""

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
from momagen.kernels.spec.spec import Spec

MANIFEST = "manifest.toml"
SUFFIXES = (".c", ".cu", ".h", ".json", ".s")
AXES = ("kind", "bits", "target")
"""Keys of a [[set]] that hold lists: every combination is a kernel. The others are passed on as they are."""
FIELDS = ("n", "columns", "modulus_bits", "modulus", "root", "generator", "inverse", "negacyclic", "order", "options")

Progress = Callable[[float, str], None]


def place(output: Path | None) -> Path:
    """Return ``output``, or else the folder ``generated/`` of this checkout of momagen.

    Raises:
        MomagenError: there is no ``output``, and momagen does not run from a checkout.
    """
    if output is None and not _kept().is_file():
        problem = "an installed momagen has no folder generated/, only a checkout of its repository has one"
        raise build_error(problem, "regen", f"pass --output DIR, a folder with a {MANIFEST}")
    return output or _kept().parent


def manifest_of(where: Path) -> Path:
    """Return the manifest in the folder, or else that of the checkout.

    Raises:
        MomagenError: neither exists.
    """
    own = where / MANIFEST
    if not own.is_file() and not _kept().is_file():
        raise build_error(f"the folder has no {MANIFEST}", str(where), "copy the one in generated/ of a checkout")
    return own if own.is_file() else _kept()


def _kept() -> Path:
    """The checkout's manifest; the wheel has none."""
    return folder("generated") / MANIFEST


def specifications(path: Path) -> list[Spec]:
    """Return the kernels of a manifest, in its order.

    Raises:
        MomagenError: the manifest cannot be read, or one of its sets is invalid.
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
        keys = f"the key{'s' * (len(missing) > 1)} {' and '.join(missing)}"
        raise MomagenError(keys, f"only {', '.join(row)}", where)
    axes = {key: row[key] for key in AXES if key in row}
    for values in product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True)) | {key: row[key] for key in FIELDS if key in row}
        yield specify(chosen.pop("kind"), **chosen)


def files(spec: Spec) -> dict[str, str]:
    """The texts of one kernel by file name; the same on every machine."""
    made = generate(spec)
    texts = {**made.files, ".json": kernel_manifest(made)}
    return {f"{made.name}{suffix}": text for suffix, text in texts.items()}


def texts(manifest: Path, progress: Progress) -> dict[str, str]:
    """Return the generated files of all kernels of a manifest, by file name.

    Raises:
        MomagenError: two kernels have the same name.
    """
    found: dict[str, str] = {}
    specs = specifications(manifest)
    for done, spec in enumerate(specs):
        progress(done / len(specs), spec.name)
        if f"{spec.name}.json" in found:
            raise build_error(f"two kernels of the manifest have the name {spec.name}", manifest.name)
        found |= files(spec)
    return found


def _there(where: Path) -> set[str]:
    """The kernels' files in a folder; nothing else in it is ours."""
    return {path.name for path in where.glob("*") if path.suffix in SUFFIXES}


def check(where: Path, progress: Progress) -> list[str]:
    """What differs from its manifest in the folder ``where``: a line per file, none where it is current."""
    wanted, there = texts(manifest_of(where), progress), _there(where)
    changed = (n for n in wanted if n in there and (where / n).read_bytes() != wanted[n].encode())
    faults = {
        "changed": changed,
        "missing": (n for n in wanted if n not in there),
        "stale": sorted(there - set(wanted)),
    }
    return [f"{fault}: {where / name}" for fault, names in faults.items() for name in names]


def write(where: Path, progress: Progress) -> list[str]:
    """Generate the files of the manifest in the folder ``where``; return a line for each file that changed.

    Raises:
        MomagenError: a file cannot be written.
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
        raise build_error(f"the folder {where} cannot be written ({reason(error)})", "regen") from None
    return faults + [f"removed: {where / name}" for name in stale]
