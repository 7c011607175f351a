"""Kernels that compare elements with a bound are proven, and none with a planted fault is."""

from __future__ import annotations

import json
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from support import concrete, proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.claims import OPERATIONS, claim_of
from momagen.prove.kernels import prove
from momagen.prove.polynomial import combine, times

WRONG = tomllib.loads(Path(__file__).with_name("wrong_comparisons.toml").read_text(encoding="utf-8"))["wrong"]
CASES = [("cmpadd", bits) for bits in (8, 60, 64)] + [("cmpsub", bits) for bits in (31, 60, 124, 255)]


@pytest.mark.parametrize(("kind", "bits"), CASES)
def test_a_comparison_is_proven(kind: str, bits: int, tmp_path: Path) -> None:
    found = prove(proofs.written(kind, bits, proofs.source(kind, bits), tmp_path))
    assert found.problem == ""
    longest = f"2^{64 * -(-bits // 64)}"
    expected = {
        "cmpadd": f"z = (x > bound ? x + diff : x) (mod {longest}), if bound, diff, x < {longest}.",
        "cmpsub": f"z = (x > bound ? x - diff : x) (mod q) and z < q, if diff, x < q and bound < {longest}.",
    }
    assert expected[kind] in found.claim


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=f"{wrong['kind']} {wrong['name']}") for wrong in WRONG])
def test_a_wrong_comparison_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    text = proofs.edited(wrong["kind"], 60, (wrong["old"], wrong["new"]))
    problem = prove(proofs.written(wrong["kind"], 60, text, tmp_path)).problem
    assert problem
    assert wrong["problem"] in problem


@pytest.mark.parametrize("kind", ["cmpadd", "cmpsub"])
def test_another_formula_is_not_proven(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = proofs.written(kind, 60, proofs.source(kind, 60), tmp_path)
    right = OPERATIONS[kind]
    wrong = {
        "the other sign": replace(
            right, value=lambda b, d, x, f: combine([(1, x), (1 if kind == "cmpsub" else -1, times(d, f))])
        ),
        "the bound": replace(right, value=lambda b, d, x, f: combine([(1, x), (1, times(b, f))])),
        "always": replace(right, value=lambda b, d, x, f: combine([(1, x), (1 if kind == "cmpadd" else -1, d)])),
        "operands exchanged": replace(right, compared=("x", "bound")),
        "another operand": replace(right, compared=("diff", "x")),
        "modulo the other number": replace(right, is_modulo_words=not right.is_modulo_words),
    }
    for operation in wrong.values():
        monkeypatch.setitem(OPERATIONS, kind, operation)
        assert "is not proven to be" in prove(path).problem


@pytest.mark.parametrize("kind", ["cmpadd", "cmpsub"])
def test_every_statement_of_a_comparison_holds(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    path = proofs.written(kind, 60, proofs.source(kind, 60), tmp_path)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    runs = concrete.paths(read(path, COMPILERS["gcc, x86-64"]), claim, 2, (1 << 60) - 1)
    for _ in range(12):
        q, n = rng.choice([2, 3, (1 << 60) - 1, rng.randrange(2, 1 << 60)]), rng.choice([1, 2, 1000])
        most = {name: (1 << 64 if name in claim.operation.long else q) - 1 for name in claim.operation.operands}
        drawn = {f"{name}[…][0]": rng.choice([0, end, rng.randint(0, end)]) for name, end in most.items()}
        if rng.random() < 0.3:
            drawn["bound[…][0]"] = drawn["x[…][0]"]
        values = {"q[0]": q, "n": n, "index": rng.randrange(n), "out of memory": 0, **drawn}
        taken = 0
        for facts in runs:
            numbers = concrete.Numbers(facts, q, values.__getitem__)
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken == 1
