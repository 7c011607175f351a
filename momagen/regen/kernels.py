"""The kernels in ``generated/``: those in its manifest."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from momagen.api.manifest import manifest as kernel_manifest
from momagen.api.native import resolved
from momagen.data import folder
from momagen.emit import generate
from momagen.errors import MomagenError, among, build_error, quoted, reason
from momagen.kinds.registry import names

MANIFEST = "manifest.toml"
SUFFIXES = (".c", ".cu", ".h", ".json", ".py", ".s")
AXES = ("kind", "bits", "target")
"""The keys of a [[set]] that hold lists, every combination of which is a kernel; the others are parameters of all."""

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


def specifications(path: Path) -> list[Any]:
    """Return the kernels of a manifest, in its order.

    Raises:
        MomagenError: The manifest cannot be read, or a set in it is invalid.
    """
    try:
        sets = tomllib.loads(path.read_text(encoding="utf-8"))["set"]
    except (OSError, KeyError, ValueError) as error:
        raise MomagenError("a manifest with tables [[set]]", reason(error), str(path)) from None
    return [spec for at, row in enumerate(sets, 1) for spec in _of_set(row, f"{path.name}, set {at}")]


def _of_set(row: Mapping[str, Any], where: str) -> Iterator[Any]:
    if missing := [key for key in ("kind", "target") if key not in row]:
        raise MomagenError(f"the keys {', '.join(missing)}", ", ".join(row), where)
    if single := [key for key in AXES if not isinstance(row.get(key, []), list)]:
        raise MomagenError("a list", quoted(row[single[0]]), f"{where}, {single[0]}")
    axes, shared = ({key: row[key] for key in row if (key in AXES) == is_axis} for is_axis in (True, False))
    for values in product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True)) | shared
        if (kind := chosen.pop("kind")) not in (known := list(names())):
            raise among("one of the kinds", known, kind, f"{where}, kind")
        try:
            yield resolved(kind, **chosen)
        except MomagenError as error:
            raise error.at(f"{where}, {error.where}") from None


def files(spec: Any) -> dict[str, str]:
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
