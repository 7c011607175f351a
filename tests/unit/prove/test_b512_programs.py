"""B512 programs are proven for every modulus and root, and changed programs are not, unless they compute the same."""

from __future__ import annotations

import functools
import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen.prove.b512.text import FORMS, read
from momagen.prove.checker import ProofError
from momagen.prove.kernels import prove

pytest.importorskip("pycparser")

N = 1024
KERNELS: dict[str, tuple[str, dict[str, Any]]] = {
    "forward": ("ntt", {"negacyclic": True}),
    "cyclic": ("ntt", {}),
    "inverse": ("ntt", {"inverse": True, "negacyclic": True}),
    "cyclic inverse": ("ntt", {"inverse": True}),
    "longer": ("ntt", {"n": 4096}),
    "product": ("polymul", {"negacyclic": True}),
    "cyclic product": ("polymul", {}),
}


@functools.cache
def kernel_of(name: str) -> mg.Kernel:
    kind, options = KERNELS[name]
    return mg.kernel(kind, **{"n": N, "modulus_bits": 60, "target": "b512", **options})


@functools.cache
def files(name: str) -> dict[str, str]:
    """Return the files of a program by their suffixes."""
    with tempfile.TemporaryDirectory() as folder:
        kernel_of(name).save(folder)
        return {path.suffix: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def written(name: str, folder: Path, text: str, manifest: str) -> Path:
    """Write a program into a folder, and return its path."""
    for suffix, content in ((".s", text), (".json", manifest)):
        (folder / f"{kernel_of(name).name}{suffix}").write_text(content, encoding="utf-8")
    return folder / f"{kernel_of(name).name}.s"


@pytest.mark.parametrize("name", KERNELS)
def test_a_program_is_proven(name: str, tmp_path: Path) -> None:
    result = prove(written(name, tmp_path, files(name)[".s"], files(name)[".json"]))
    assert result.problem == "" and result.elements == kernel_of(name).n
    assert "For every odd q with 2 < q < 2^60" in result.claim and "the machine that runs it" in result.text()


def differs(name: str, folder: Path) -> bool:
    """Return whether the saved program gives other results than the generated one, or cannot be run."""
    chance = random.Random(name)
    right = kernel_of(name)
    operands = [[chance.randrange(right.modulus) for _ in range(N)] for _ in right.operands]
    try:
        return mg.load(folder)(*operands) != right(*operands)
    except mg.MomagenError:
        return True


def changed(text: str, chance: random.Random) -> str:
    """Return a program with another number, another instruction, or two lines exchanged or left out."""
    lines = text.splitlines()
    at = chance.choice([i for i, line in enumerate(lines) if line and not line.startswith("#")])
    match chance.randrange(5):
        case 0:
            del lines[at]
        case 1:
            other = chance.choice([i for i, line in enumerate(lines) if line and line[0] not in "#."])
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            word = lines[at].split()[0]
            same = [name for name, form in FORMS.items() if form == FORMS.get(word) and name != word]
            lines[at] = lines[at].replace(word, chance.choice(same or [word]), 1)
        case _:
            numbers = list(re.finditer(r"\d+", lines[at]))
            found = chance.choice(numbers) if numbers else None
            if found:
                new = int(found[0]) + chance.choice([-1, 1, 4, 512])
                lines[at] = lines[at][: found.start()] + str(max(new, 0)) + lines[at][found.end() :]
    return "\n".join(lines)


@pytest.mark.compiles
@pytest.mark.parametrize("name", ["forward", "inverse", "product"])
def test_a_changed_program_is_refused_unless_it_computes_the_same(name: str, tmp_path: Path) -> None:
    chance, rejected = random.Random(name), 0
    for _ in range(60):
        text = changed(files(name)[".s"], chance)
        path = written(name, tmp_path, text, files(name)[".json"])
        if prove(path).is_proven:
            assert not differs(name, tmp_path), text
        else:
            rejected += 1
    assert rejected > 30


MANIFESTS = {
    "the other direction": {"inverse": True},
    "the other ring": {"negacyclic": False},
    "natural order": {"order": "natural"},
    "half as many points": {"n": N // 2},
    "a product": {"kind": "polymul"},
    "two columns": {"columns": 2},
    "two columns of half as many points": {"columns": 2, "n": N // 2},
    "an incomplete transform": {"columns": 2, "degree": 2, "n": N // 2},
    "a sum": {"kind": "vadd"},
    "a sum of products": {"kind": "dot"},
}


def test_a_transform_is_one_with_an_automorphism_for_another_root(tmp_path: Path) -> None:
    manifest = json.loads(files("forward")[".json"])
    manifest["spec"]["automorphism"] = 3
    result = prove(written("forward", tmp_path, files("forward")[".s"], json.dumps(manifest)))
    assert result.problem == ""
    assert "a(X^3)" in result.claim


@pytest.mark.parametrize("name", MANIFESTS)
def test_another_claim_is_refused(name: str, tmp_path: Path) -> None:
    manifest = json.loads(files("forward")[".json"])
    manifest["spec"] |= MANIFESTS[name]
    assert not prove(written("forward", tmp_path, files("forward")[".s"], json.dumps(manifest)))


FAULTS = {
    "a table inside the operand": (".table 0 3072 512", ".table 0 72 512", "overlap"),
    "a result inside the operand": (".area y 1024 1024", ".area y 1023 1024", "overlap"),
    "a table that is divided by n": (".table 0 3072 512", ".table 0 3072 512 /n", "is not the transform"),
    "another exponent": (".table 0 3072 512", ".table 0 3072 510", "is not the transform of the operand"),
    "a root of another order": (".order 2048", ".order 1024", "another transform"),
    "two moduli": (".towers 1", ".towers 2", "several moduli"),
    "a table of another modulus": (".table 0 3072 512", ".table 1 3072 512", "is not understood: .table 1"),
    "an area that is stated twice": (".area room", ".area x", "is not understood: .area x"),
    "another word as the modulus": ("mload m0, 0", "mload m0, 1", "not the first word"),
    "no modulus": ("mload m0, 0", "", "a modulus register is used"),
    "an address register": ("vload v0, a0[0]", "vload v0, a1[0]", "an address register is used"),
    "an address outside the memory": ("vload v0, a0[0]", "vload v0, a0[0], strided 20", "outside the vector memory"),
    "a word that was not written": ("vload v0, a0[0]", "vload v0, a0[8192]", "was not written"),
    "a register that does not exist": ("vload v0, a0[0]", "vload v64, a0[0]", "is not understood"),
    "an instruction that does not exist": ("vload v0, a0[0]", "load v0, a0[0]", "is not understood"),
    "a scalar": ("mload m0, 0", "mload m0, 0\nsload s0, 1", "that is no scalar"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_with_its_reason(name: str, tmp_path: Path) -> None:
    old, new, reason = FAULTS[name]
    text = files("forward")[".s"]
    assert old in text
    assert reason in prove(written("forward", tmp_path, text.replace(old, new, 1), files("forward")[".json"])).problem


@pytest.mark.parametrize("kind", ["vadd", "vsub", "vneg", "vmul", "vmuladd", "scal", "axpy"])
def test_an_operation_on_vectors_is_proven(kind: str, tmp_path: Path) -> None:
    path = elementwise(kind, tmp_path)
    result = prove(path)
    assert result.problem == "" and "every q with 1 < q < 2^60" in result.claim


def elementwise(kind: str, folder: Path) -> Path:
    """Save a program for an operation on vectors, and return its path."""
    kernel = mg.blas(kind, modulus_bits=60, target="b512")
    kernel.save(folder)
    return folder / f"{kernel.name}.s"


VECTOR_FAULTS = {
    "a difference": ("axpy", "vadd v", "vsub v", "is not a * x + y modulo q"),
    "a product without the scalar": ("axpy", ", s0, m0", ", v4, m0", "is not understood"),
    "another scalar": ("axpy", ".scalars a", ".scalars b", "other scalars"),
    "two scalars of one name": ("axpy", ".scalars a", ".scalars a a", "is not understood"),
    "the modulus as a scalar": ("axpy", "sload s0, 1", "sload s0, 0", "that is no scalar"),
    "a scalar that is not loaded": ("axpy", "sload s0, 1", "", "a scalar register is read"),
    "one element less": ("vmul", ".area z 16384 8192", ".area z 16384 8191", "does not have 8191 words"),
    "another operand": ("vmul", "vload v0, a0[0]", "vload v0, a0[512]", "is not x * y modulo q"),
    "a result that is not stored": ("vmul", "a0[16384]", "a0[16385]", "is not stored"),
    "a table without a transform": ("vmul", ".towers 1", ".towers 1\n.table 0 90000 1", "belongs to no transform"),
    "points of a transform": ("vmul", ".towers 1", ".towers 1\n.points 8192", "another transform"),
}


@pytest.mark.parametrize("name", VECTOR_FAULTS)
def test_a_fault_in_an_operation_on_vectors_is_refused(name: str, tmp_path: Path) -> None:
    kind, old, new, reason = VECTOR_FAULTS[name]
    path = elementwise(kind, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert reason in prove(path).problem


@pytest.mark.parametrize("line", ["vload v0", "vadd v0, v1, v2", "bfly v0, v1, v2, v3, v4, v5", ".points ten", ".x 1"])
def test_a_line_that_is_not_understood_is_named(line: str) -> None:
    with pytest.raises(ProofError, match="line 2 is not understood"):
        read(f"# a comment\n{line}\n")
