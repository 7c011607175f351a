"""A certificate proves its kernel again without a search, and nothing else."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import proofs
from support.proofs_mutants import EDITS, sample
from support.transforms import files, written

import momagen as mg
from momagen.errors import MomagenError
from momagen.prove.certificates.certificate import Certificate, load
from momagen.prove.kernels import certify, check, prove
from momagen.prove.numbers.structure import Structure
from momagen.prove.search import Search

pytest.importorskip("pycparser")

Proven = tuple[Path, Certificate]


def proven(path: Path) -> Proven:
    """Return the path of a kernel and its certificate."""
    result, certificate = certify(path)
    assert result.is_proven and certificate is not None
    return path, certificate


@pytest.fixture(scope="module")
def vsub(tmp_path_factory: pytest.TempPathFactory) -> Proven:
    """Return a kernel of two words, whose proof is one for all moduli."""
    return proven(proofs.written("vsub", 124, proofs.source("vsub", 124), tmp_path_factory.mktemp("vsub")))


@pytest.fixture(scope="module")
def vmul(tmp_path_factory: pytest.TempPathFactory) -> Proven:
    """Return a kernel with a proof for each length of the modulus."""
    return proven(proofs.written("vmul", 3, proofs.source("vmul", 3), tmp_path_factory.mktemp("vmul")))


@pytest.fixture(scope="module")
def ntt(tmp_path_factory: pytest.TempPathFactory) -> Proven:
    """Return a transform."""
    return proven(written(files(4, 60), tmp_path_factory.mktemp("ntt")))


@pytest.mark.parametrize("name", ["vsub", "vmul", "ntt"])
def test_a_certificate_proves_its_kernel_without_a_search(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, certificate = request.getfixturevalue(name)
    read = load(certificate.save(tmp_path))
    assert read == certificate

    def searched(*_: Any, **__: Any) -> None:
        raise AssertionError("something is searched for")

    for owner in (Search, Structure):
        for method in [m for m in vars(owner) if not m.startswith("__") and m != "add_number"]:
            if callable(getattr(owner, method)):
                monkeypatch.setattr(owner, method, searched)
    result = check(path, read)
    assert result.problem == "" and result.is_replayed and result.claim == certificate.claim
    monkeypatch.undo()
    searched_for = prove(path)
    assert (result.paths, result.elements) == (searched_for.paths, searched_for.elements)


@pytest.mark.parametrize("name", ["vsub", pytest.param("ntt", marks=pytest.mark.thorough)])
def test_a_certificate_does_not_depend_on_the_process(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path, certificate = request.getfixturevalue(name)
    for seed in "1", "2":
        command = [sys.executable, "-m", "momagen", "prove", str(path), "--check", str(certificate.save(tmp_path))]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0 and "PROVEN by its certificate" in ran.stdout


def test_a_certificate_of_another_kernel_or_text_is_refused(vsub: Proven, vmul: Proven, tmp_path: Path) -> None:
    path, certificate = vsub
    assert not check(path, vmul[1]).is_proven
    assert "is that of vmul" in check(path, replace(certificate, name="vmul")).problem
    text = proofs.source("vsub", 124)
    commented = proofs.written("vsub", 124, text + "/* a comment */", tmp_path)
    assert check(commented, certificate).is_proven
    changed = proofs.written("vsub", 124, text + "int more;", tmp_path)
    assert "has changed since the proof" in check(changed, certificate).problem


def forged(certificate: Certificate, path: Path) -> Certificate:
    """Return a certificate that claims to be about the present text of a kernel."""
    return replace(certificate, inputs=check(path, certificate).inputs)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("share", sorted(EDITS))
def test_a_certificate_proves_no_fault(share: str, vsub: Proven, tmp_path: Path) -> None:
    for mutant in sample(proofs.source("vsub", 124), share, 4, seed=1):
        if proofs.problem_of("vsub", 124, mutant.text, tmp_path):
            path = proofs.written("vsub", 124, mutant.text, tmp_path)
            assert not check(path, forged(vsub[1], path)).is_proven, mutant.name


def values(part: Any) -> Iterator[tuple[Any, Any]]:
    """Return all places in a value of JSON: the list or dictionary, and the key."""
    for key in part if isinstance(part, dict) else range(len(part)):
        yield part, key
        if isinstance(part[key], list | dict):
            yield from values(part[key])


def mutate(sessions: Any, chance: random.Random) -> None:
    """Change one value in the steps, exchange it with another one, or delete it."""
    where, key = chance.choice(list(values(sessions)))
    numbers = [-1, 0, 1, 2, 3, 7, 1 << 64, True, 0.5, "1/2", "-1/0"]
    others = [*numbers, None, [], {}, "meet", "by_cases", "enclose", "end", {"step": 0}, {"eliminate": [1]}]
    change = chance.randrange(4)
    if change == 0 and isinstance(where, list):
        del where[key]
    elif change == 1 and isinstance(where, list):
        other = chance.randrange(len(where))
        where[key], where[other] = where[other], where[key]
    elif change == 2 and type(where[key]) is int:
        where[key] += chance.choice([-1, 1])
    else:
        where[key] = chance.choice(others)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["vsub", "vmul", "ntt"])
def test_changed_steps_give_a_result_and_no_crash(name: str, seed: int, request: pytest.FixtureRequest) -> None:
    path, certificate = request.getfixturevalue(name)
    chance = random.Random(seed)
    outcomes = set()
    for _ in range(4):
        sessions = json.loads(json.dumps(certificate.sessions))
        mutate(sessions, chance)
        outcomes.add(check(path, replace(certificate, sessions=sessions)).is_proven)
    assert False in outcomes


@pytest.mark.thorough
def test_changed_steps_prove_no_wrong_kernel(ntt: Proven, tmp_path: Path) -> None:
    chance = random.Random(1)
    path = written(files(4, 60), tmp_path, ("const uint64_t t6 = x0_0 + t5;", "const uint64_t t6 = x0_0 - t5;"))
    for _ in range(6):
        certificate = replace(ntt[1], sessions=json.loads(json.dumps(ntt[1].sessions)))
        mutate(certificate.sessions, chance)
        assert not check(path, forged(certificate, path)).is_proven


def test_a_kernel_in_python_is_proven_and_its_certificate_saved(tmp_path: Path) -> None:
    kernel = mg.blas("vneg", modulus_bits=20, target="c")
    proof = kernel.prove(certificate=tmp_path / "proofs")
    assert proof and str(proof).startswith("vneg_20b_c: PROVEN")
    line = "   Proven: For every q with 1 < q < 2^20 and every n <= 2^50: z = -x (mod q) and z < q, if x < q."
    for text in kernel.source, kernel.header:
        assert text.count(line) == 1 and "Not proven: the compiler." in text and "Not verified yet" in text
    assert kernel.prove().header() == proof.header() and kernel.source.count("Proven:") == 1
    kernel.save(tmp_path)
    assert check(tmp_path / "vneg_20b_c.c", load(tmp_path / "proofs" / "vneg_20b_c.proof.json.gz"))
    assert not mg.blas("vneg", modulus_bits=20, target="python").prove()


def test_a_request_that_the_prover_cannot_read_is_not_proven(tmp_path: Path) -> None:
    path = proofs.written("vneg", 20, proofs.source("vneg", 20), tmp_path)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    del manifest["spec"]["options"]
    path.with_suffix(".json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "the prover does not support this source (KeyError: 'options')" in prove(path).problem


OTHERS = {
    "nothing": b"", "text": b"text", "no content": gzip.compress(b""), "a list": gzip.compress(b"[]"),
    "no format": gzip.compress(b"{}"), "another format": gzip.compress(b'{"format": 2}'),
    "few fields": gzip.compress(b'{"format": 1, "name": "x"}'), "half a file": gzip.compress(b"{}")[:9],
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_no_certificates(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.proof.json.gz").write_bytes(OTHERS[name])
    with pytest.raises(MomagenError, match=r"x\.proof\.json\.gz"):
        load(tmp_path / "x.proof.json.gz")
