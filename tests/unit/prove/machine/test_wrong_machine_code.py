"""Wrong machine code: each is a stated edit of assembly that is proven, and the edited one must not be."""

from __future__ import annotations

import functools
import json
import platform
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest

import momagen as mg
from momagen.prove.c.parsed import Source
from momagen.prove.c.source import parse, text_seen_by
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.checker import ProofError
from momagen.prove.claims import Claim, claim_of
from momagen.prove.machine.proof import prove_machine

HERE = Path(__file__).parent
COMPILER = "gcc, x86-64"
KERNELS = {
    "vadd": ("vadd", 124, "c"),
    "vmul": ("vmul", 60, "c"),
    "shift": ("vmul", 124, "c"),
    "lanes": ("vadd", 60, "avx512ifma"),
    "wide": ("vmul", 252, "c"),
    "pairs": ("vadd", 124, "avx2"),
}
"""The kind, the bits and the target of each kernel."""
SLOW = ("shift", "lanes", "wide", "pairs")
WRONG = tomllib.loads((HERE / "wrong_machine_code.toml").read_text(encoding="utf-8"))["wrong"]

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.sampled(2),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine code is for x86-64"),
]


@functools.cache
def assembly(kernel: str) -> str:
    """Return the assembly of a kernel from its file, or as gcc makes it if there is no file."""
    kind, bits, target = KERNELS[kernel]
    path = HERE / f"{kind}_{bits}b_{target}.s"
    if path.is_file():
        return path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        mg.blas(kind, modulus_bits=bits, target=target).save(folder)
        source = next(Path(folder).glob("*.c"))
        subprocess.run(
            ["gcc", "-O2", "-fPIC", "-std=c99", "-w", "-S", source.name, "-o", "f.s"], cwd=folder, check=True
        )
        return (Path(folder) / "f.s").read_text(encoding="utf-8")


@functools.cache
def parsed(kernel: str) -> tuple[Source, Claim]:
    """Return the C source of a kernel and its claim."""
    kind, bits, target = KERNELS[kernel]
    with tempfile.TemporaryDirectory() as folder:
        mg.blas(kind, modulus_bits=bits, target=target).save(folder)
        path = next(Path(folder).glob("*.c"))
        manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return parse(text_seen_by(path, COMPILER)), claim_of(manifest)


def prove(kernel: str, text: str, folder: Path) -> None:
    """Prove the machine code of a kernel, whose assembly is given."""
    (folder / "f.s").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-nostdlib", "-w", "f.s", "-o", "f.so"], cwd=folder, check=True)
    source, claim = parsed(kernel)
    prove_machine(source, (folder / "f.so").read_bytes(), claim, COMPILER, SEARCH)


@pytest.mark.parametrize("kernel", ["vadd", "vmul", *(pytest.param(kernel, marks=pytest.mark.slow) for kernel in SLOW)])
def test_the_assembly_is_proven(kernel: str, tmp_path: Path) -> None:
    prove(kernel, assembly(kernel), tmp_path)


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=pytest.mark.slow if row["kernel"] in SLOW else ()) for row in WRONG],
    ids=[row["name"] for row in WRONG],
)
def test_a_wrong_one_is_refused(row: dict[str, str], tmp_path: Path) -> None:
    text = assembly(row["kernel"])
    for old, new in row["edits"]:
        if row["kernel"] == "wide" and old not in text:
            pytest.skip("this version of gcc makes other instructions")
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(ProofError) as refusal:
        prove(row["kernel"], text, tmp_path)
    assert row["problem"] in str(refusal.value)
