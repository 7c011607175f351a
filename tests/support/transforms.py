"""Generated transforms for the tests of the prover, and edits of their source."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import momagen as mg


@functools.cache
def files(
    n: int, bits: int, is_negacyclic: bool = False, is_inverse: bool = False, target: str = "c", order: str = "bitrev"
) -> dict[str, str]:
    """Return the files of a generated transform by name."""
    rings = {"negacyclic": is_negacyclic, "inverse": is_inverse}
    return _files(mg.ntt(n, modulus_bits=bits, target=target, order=order, **rings))


@functools.cache
def product_files(n: int, bits: int, is_negacyclic: bool = False) -> dict[str, str]:
    """Return the files of a generated product of polynomials by name."""
    return _files(mg.polymul(n, modulus_bits=bits, negacyclic=is_negacyclic))


def _files(kernel: mg.Kernel) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        kernel.save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def written(found: dict[str, str], folder: Path, *edits: tuple[str, str]) -> Path:
    """Write the files into a folder, with edits of the C source, and return the path of the source."""
    for name, text in found.items():
        for old, new in edits if name.endswith((".c", ".cu")) else ():
            assert old in text, f"the generated source no longer contains {old!r}"
            text = text.replace(old, new, 1)
        (folder / name).write_text(text, encoding="utf-8")
    return next(path for path in folder.iterdir() if path.suffix in (".c", ".cu"))
