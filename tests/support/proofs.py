"""Edited kernels for the tests of the prover, and a comparison of their compiled code with gmpy2."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import momagen as mg
from momagen.cli import main
from momagen.prove.kernels import prove

COMPARE = Path(__file__).with_name("proofs_compare.py")
VARIANTS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    (("__clang__", "__GNUC__"), ("__builtin_ia32_subborrow_u64", "__builtin_ia32_sbb_u64")),
    (("__x86_64__", "MG_NONE"),),
    (("__x86_64__", "MG_NONE"), ("__GNUC__", "MG_NONE")),
)
"""The edits after which gcc compiles the variants of helper functions for other compilers and CPUs."""


@functools.cache
def files(kind: str, bits: int) -> dict[str, str]:
    """Return the files of a generated kernel by name."""
    with tempfile.TemporaryDirectory() as folder:
        mg.blas(kind, modulus_bits=bits, target="c").save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def source(kind: str, bits: int) -> str:
    """Return the C source of a generated kernel."""
    return next(text for name, text in files(kind, bits).items() if name.endswith(".c"))


def edited(kind: str, bits: int, *edits: tuple[str, str]) -> str:
    """Return the C source with every ``old`` replaced by ``new``; each must occur."""
    text = source(kind, bits)
    for old, new in edits:
        assert old in text, f"the generated source no longer contains {old!r}"
        text = text.replace(old, new)
    return text


def written(kind: str, bits: int, text: str, folder: Path) -> Path:
    """Write a kernel with another C source into a folder, and return the path of the source."""
    for name, content in files(kind, bits).items():
        (folder / name).write_text(text if name.endswith(".c") else content, encoding="utf-8")
    return next(folder.glob("*.c"))


def generated(folder: Path, rows: Iterable[tuple[str, int, str]]) -> Path:
    """Generate a kernel for each kind, number of bits and target in ``rows`` into a folder, and return the folder."""
    for kind, bits, target in rows:
        command = ["blas", kind, "--modulus-bits", str(bits), "--target", target, "--output", str(folder)]
        assert main([*command, "--no-verify", "--no-bench"]) == 0
    return folder


def planted(folder: Path, name: str, old: str, new: str, to: Path) -> Path:
    """Copy a kernel to another folder with every ``old`` of its source replaced, and return the path of the source."""
    text = (folder / f"{name}.c").read_text(encoding="utf-8")
    assert old in text, f"the generated source no longer contains {old!r}"
    (to / f"{name}.c").write_text(text.replace(old, new), encoding="utf-8")
    for suffix in (".h", ".json"):
        (to / f"{name}{suffix}").write_bytes((folder / f"{name}{suffix}").read_bytes())
    return to / f"{name}.c"


def problem_of(kind: str, bits: int, text: str, folder: Path) -> str:
    """Return why an edited kernel is not proven, or an empty text if it is proven."""
    return prove(written(kind, bits, text, folder)).problem


def disagreement(kind: str, bits: int, text: str, folder: Path) -> str:
    """Compile an edited kernel in all variants, and return where its results differ from gmpy2, or an empty text."""
    for at, edits in enumerate(VARIANTS):
        variant, library = text, folder / f"{at}.so"
        for old, new in edits:
            variant = variant.replace(old, new)
        path = written(kind, bits, variant, folder)
        command = ["gcc", "-O2", "-w", "-shared", "-fPIC", str(path), "-o", str(library)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        if compiled.returncode:
            return f"variant {at}: error: {compiled.stderr[:200]}"
        request = json.dumps({"library": str(library), "name": path.stem, "kind": kind, "bits": bits})
        run = [sys.executable, str(COMPARE), request]
        compared = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
        if compared.returncode:
            return f"variant {at}: {compared.stdout[-200:]}{compared.stderr[-200:]}"
    return ""
