"""Generated element-wise kernels for CUDA for the tests of the prover, and edits of their source."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import momagen as mg


@functools.cache
def files(kind: str, bits: int) -> dict[str, str]:
    """Return the files of a generated kernel by name."""
    with tempfile.TemporaryDirectory() as folder:
        mg.blas(kind, modulus_bits=bits, target="cuda").save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def written(kind: str, bits: int, folder: Path, *edits: tuple[str, str]) -> Path:
    """Write a kernel into a folder, with the first ``old`` of each edit replaced, and return the path of the source."""
    for name, text in files(kind, bits).items():
        for old, new in edits if name.endswith(".cu") else ():
            assert old in text, f"the generated source no longer contains {old!r}"
            text = text.replace(old, new, 1)
        (folder / name).write_text(text, encoding="utf-8")
    return next(folder.glob("*.cu"))


def shapes_of(launches: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the kernel of each launch, and the numbers of its threads, blocks and vectors."""
    return [(launch.kernel, launch.threads, launch.blocks, launch.group) for launch in launches]
