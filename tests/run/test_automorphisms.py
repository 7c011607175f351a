"""Transforms of a(x^g): on every target, against a moved by integers and then evaluated at every point."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from support.automorphisms import moved

import momagen as mg
from momagen.cli import main
from momagen.cuda.nvrtc import nvrtc_version
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec

N = 16


def values(a: list[int], k: mg.Kernel) -> list[int]:
    """Of a, at every point of a kernel in its order."""
    q = k.modulus
    return [sum(c * pow(k.root, e * i, q) for i, c in enumerate(a)) % q for e in k.order.tolist()]


def some(q: int, seed: int = 1) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(q) for _ in range(N - 1)] + [0]


@pytest.mark.thorough
@pytest.mark.sampled(16)
@pytest.mark.parametrize("g", [5, -1, 2 * N + 3, -(10**30) + 1])
@pytest.mark.parametrize("order", ["bitrev", "natural"])
@pytest.mark.parametrize("negacyclic", [True, False])
@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma", "python", "jax", "cuda"])
def test_values_and_coefficients_of_the_moved_polynomial(target: str, negacyclic: bool, order: str, g: int) -> None:
    if target == "jax":
        pytest.importorskip("jax", reason="JAX is missing")
    if target == "cuda" and nvrtc_version() is None:
        pytest.skip("NVRTC is missing")
    asked = {"modulus_bits": 60, "negacyclic": negacyclic, "order": order, "target": target}
    there = mg.ntt(N, automorphism=g, **asked)  # type: ignore[arg-type]
    back = mg.ntt(N, automorphism=g, inverse=True, **asked)  # type: ignore[arg-type]
    q, a = there.modulus, some(there.modulus)
    right = moved(a, g, negacyclic, q)
    assert there(a) == values(right, there)
    assert back(values(a, back)) == right
    assert there.inverse()(values(right, there)) == a, "the automorphism is undone, too"
    assert back.inverse()(right) == values(a, back)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        {"n": 64, "bits": 128, "negacyclic": True}, {"n": 2048, "bits": 64, "order": "natural"},
        {"n": 32, "moduli": 3, "modulus_bits": 28, "negacyclic": True}, {"n": 16, "bits": 64, "columns": 3},
        {"n": 16, "bits": 64, "input_factor": 2, "negacyclic": True}, {"n": "any", "max_n": 8, "bits": 64},
        pytest.param({"n": 1024, "moduli": 2, "modulus_bits": 60, "target": "b512"}, marks=pytest.mark.slow),
    ],
    ids=str,
)  # fmt: skip
def test_verification_moves_coefficients_by_definition(asked: dict[str, object], inverse: bool) -> None:
    report = mg.ntt(automorphism=13, inverse=inverse, **asked).verify()  # type: ignore[arg-type]
    assert report.ok, str(report)


@pytest.mark.parametrize("inverse", [False, True])
def test_verification_finds_tables_of_another_automorphism(inverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    k = mg.ntt(N, bits=64, negacyclic=True, automorphism=5, inverse=inverse)
    monkeypatch.setattr(Spec, "power_of_root", property(lambda spec: 7))
    report = k.verify()
    assert not report.ok and report.mismatch is not None and report.mismatch.method == "definition"


@pytest.mark.thorough
def test_one_build_serves_all_automorphisms() -> None:
    k = mg.ntt(N, bits=64, negacyclic=True)
    q, a = k.modulus, some(k.modulus)
    for g in (3, 2 * N - 1, 1, 7):
        k = k.with_automorphism(g)
        assert k.spec.automorphism == g and k(a) == values(moved(a, g, True, q), k) and k.verify().ok
        assert k.inverse()(k(a)) == a
    small = mg.ntt("any", max_n=64, bits=64, negacyclic=True).at(N).with_automorphism(37)
    assert small.spec.automorphism == 37 % (2 * N)
    a = some(small.modulus)
    assert small(a) == values(moved(a, 37, True, small.modulus), small)


def test_the_c_file_is_told_a_power_of_the_root(tmp_path: Path) -> None:
    """Its functions are those of the plain transform, so that nothing is added: the root makes the automorphism."""
    k, plain = (mg.ntt(N, bits=64, negacyclic=True, automorphism=g) for g in (5, 1))
    q, a = k.modulus, some(k.modulus)
    told = pow(plain.root, 5, q)
    assert mg.ntt(N, modulus=q, root=told, negacyclic=True)(a) == k(a)
    assert f"root = {told:#x} of order {2 * N}" in k.source and f"w^5 for w = {plain.root:#x}" in k.source
    codes = [re.sub(each.name, "NAME", each.source.partition("*/")[2], flags=re.IGNORECASE) for each in (k, plain)]
    assert codes[0] == codes[1] and k.name == "ntt16_negacyclic_automorphism5_60b_c"
    assert "--automorphism 5" in k.spec.command()
    again = mg.load(k.save(tmp_path))
    assert again.spec == k.spec and again(a) == k(a) and again.verify().ok


@pytest.mark.thorough
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["ntt", "--n", "16", "--bits", "64", "--negacyclic", "--inverse", "--automorphism", "-3", "--no-bench"]
    assert main([*line, "--json", "--output", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["automorphism"] == 29 and told["verify"]["ok"]
    assert main(["verify", str(tmp_path)]) == 0
    assert main([*line[:-2], "4", "--no-bench"]) == 2
    assert "automorphism: expected an odd number, got 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mg.ntt(N, bits=64, automorphism=0), "automorphism: expected an odd number, got 0"),
        (lambda: mg.ntt(N, bits=64, automorphism="x"), "automorphism 'x'"),
        (lambda: mg.ntt(N, bits=64, coset=7, target="cuda", automorphism=3), "`automorphism` cannot be combined with"),
        (lambda: mg.polymul(N, bits=64, automorphism=3), "`automorphism` does not apply to polymul"),  # type: ignore[call-arg]
        (lambda: make_spec("polymul", n=N, bits=64, automorphism=3), "`automorphism` does not apply to polymul"),
        (lambda: mg.ntt(N, bits=64).with_automorphism(2), "automorphism: expected an odd number, got 2"),
        (lambda: mg.polymul(N, bits=64).with_automorphism(3), "expected a transform, got a kernel of the kind polymul"),
    ],
)  # fmt: skip
def test_what_has_no_automorphism_is_refused(call: object, text: str) -> None:
    with pytest.raises(MomagenError) as error:
        call()  # type: ignore[operator]
    assert text in str(error.value)
