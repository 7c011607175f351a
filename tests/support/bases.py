"""Kernels for RNS bases, and edits of them, for the tests of the prover."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import momagen as mg


@functools.cache
def files(kind: str, count: int, bits: int, **options: Any) -> dict[str, str]:
    """Return the files of a generated kernel for some moduli of a length, by name."""
    with tempfile.TemporaryDirectory() as folder:
        getattr(mg, kind)(count, modulus_bits=bits, target="c", **options).save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def written(kernel: dict[str, str], folder: Path, *edits: tuple[str, str]) -> Path:
    """Write a kernel with edits of its C source into a folder, and return the path of the source."""
    for name, content in kernel.items():
        text = content
        for old, new in edits if name.endswith(".c") else ():
            assert old in text, f"the generated source no longer contains {old!r}"
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    return next(folder.glob("*.c"))
