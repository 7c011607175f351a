"""Reductions and conversions to and from Montgomery form are proven, and none with a planted fault is."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import concrete, proofs

from momagen.prove import kernels
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.claims import Claim, claim_of
from momagen.prove.facts import Path as Execution
from momagen.prove.kernels import prove
from momagen.prove.polynomial import scaled
from momagen.prove.vectors.odd import OddKernel
from momagen.prove.vectors.plans import Plans
from momagen.prove.vectors.proof import prove_elementwise

WIDE = pytest.mark.thorough
FAULTS: dict[tuple[str, str], tuple[tuple[str, str], str]] = {
    ("reduce", "no conditional subtraction"): (("mg_reduce1(&t4, t3, q_0)", "t4 = t3"), "below q"),
    ("reduce", "a subtraction of 2q"): (("mg_reduce1(&t4, t3, q_0)", "mg_reduce1(&t4, t3, 2 * q_0)"), "below q"),
    ("reduce", "a quotient of the low word"): (("(uint64_t)(((u128)x_0 * u1_0) >> 64)", "x_0 * u1_0"), "below q"),
    ("reduce", "a sum"): (("t3 = x_0 - t2", "t3 = x_0 + t2"), "below q"),
    ("reduce", "a constant 1 too large"): (("memcpy(c + 1, u11", "u11[0]++;\n    memcpy(c + 1, u11"), "below q"),
    ("reduce", "a constant that is half"): (("divide(u11, 1, 64, c)", "divide(u11, 1, 63, c)"), "below q"),
    ("reduce", "an operand below q"): (("x_0 = x[0]", "x_0 = x[0] & ((uint64_t)-1 >> 1)"), "x modulo q"),
    ("reduce", "an element left out"): (("i < n; i++", "i + 1 < n; i++"), "all elements"),
    ("reduce", "an element too many"): (("i < n; i++", "i <= n; i++"), "may lie outside it"),
    ("reduce", "a NULL operand"): (("(n && !(x && z))", "(n && !z)"), "is read where nothing was stored"),
    ("reduce", "a modulus of 1"): (("q[0] > 1", "q[0] > 0"), "refuse q = 1"),
    ("reduce", "a modulus that is too long"): ((" && q[0] >> 60 == 0", ""), "create is not proven to refuse"),
    ("tomont", "a start of Newton at 1"): (("memcpy(c + 1, q, sizeof(uint64_t) * 1);", "c[1] = 1;"), "below q"),
    ("tomont", "a smaller power of two"): (("doubled(square, one, 64, c)", "doubled(square, one, 63, c)"), "modulo q"),
    ("tomont", "a greater power of two"): (("doubled(square, one, 64, c)", "doubled(square, one, 65, c)"), "modulo q"),
    ("tomont", "constants exchanged"): (("square_0 = c[2]", "square_0 = c[1]"), "modulo q"),
    ("tomont", "no restoring"): (("mg_restore1(&t6, t2, t5, q_0)", "t6 = t2 - t5"), "below q"),
    ("tomont", "an even modulus"): (("(q[0] & 1) && ", ""), "different states"),
    ("tomont", "a constant of Newton"): (("UINT64_C(0x2) - t1", "UINT64_C(0x3) - t1"), "below q"),
    ("frommont", "a step of Newton less"): (("i < 5; i++)\n        newton", "i < 4; i++)\n        newton"), "modulo q"),
    ("frommont", "the sign"): (("mg_restore1(&t3, UINT64_C(0x0), t2, q_0)", "t3 = t2"), "modulo q"),
    ("frommont", "no restoring"): (("mg_restore1(&t3, UINT64_C(0x0), t2, q_0)", "t3 = 0 - t2"), "below q"),
    ("frommont", "the low word"): (("t2 = (uint64_t)(((u128)t1 * q_0) >> 64)", "t2 = t1 * q_0"), "below q"),
    ("frommont", "a product twice"): (("t1 = x_0 * qi_0", "t1 = x_0 * qi_0 * qi_0"), "modulo q"),
    ("frommont", "a result that does not advance"): (("        z++;\n", ""), "may be overwritten"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("reduce", 60),
        ("tomont", 60),
        ("frommont", 60),
        *(pytest.param(kind, bits, marks=WIDE) for kind in ("reduce", "tomont", "frommont") for bits in (8, 31, 64)),
        pytest.param("reduce", 124, marks=WIDE),
        pytest.param("reduce", 190, marks=WIDE),
        pytest.param("tomont", 124, marks=[WIDE, pytest.mark.sampled(8)]),
        pytest.param("frommont", 124, marks=[WIDE, pytest.mark.sampled(8)]),
    ],
)
def test_a_kernel_is_proven(kind: str, bits: int, tmp_path: Path) -> None:
    found = prove(proofs.written(kind, bits, proofs.source(kind, bits), tmp_path))
    assert found.problem == ""
    words = -(-bits // 64)
    expected = {
        "reduce": f"z = x (mod q) and z < q, if x < 2^{64 * words}.",
        "tomont": f"z = 2^{64 * words} * x (mod q) and z < q, if x < q.",
        "frommont": f"z = x / 2^{64 * words} (mod q) and z < q, if x < q.",
    }
    assert expected[kind] in found.claim
    assert found.claim.startswith("For every q with" if kind == "reduce" else "For every odd q with")


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize(("kind", "name"), FAULTS)
def test_a_fault_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    edit, expected = FAULTS[kind, name]
    found = prove(proofs.written(kind, 60, proofs.edited(kind, 60, edit), tmp_path)).problem
    assert found
    assert expected in found


def test_every_statement_of_a_reduction_holds(tmp_path: Path) -> None:
    rng = random.Random(60)
    path = proofs.written("reduce", 60, proofs.source("reduce", 60), tmp_path)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    runs = concrete.paths(read(path, COMPILERS["gcc, x86-64"]), claim, 2, (1 << 60) - 1)
    for _ in range(12):
        q, n = rng.choice([2, 3, (1 << 60) - 1, rng.randrange(2, 1 << 60)]), rng.choice([1, 2, 1000])
        x = rng.choice([0, q - 1, q, (1 << 64) - 1, rng.randrange(1 << 64)])
        values = {"q[0]": q, "n": n, "index": rng.randrange(n), "x[…][0]": x, "out of memory": 0}
        taken = 0
        for facts in runs:
            numbers = concrete.Numbers(facts, q, values.__getitem__)
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken == 1


@pytest.mark.parametrize(("kind", "power"), [("tomont", 128), ("frommont", 128)])
def test_every_statement_of_a_conversion_holds(kind: str, power: int, tmp_path: Path) -> None:
    rng = random.Random(kind)
    path = proofs.written(kind, 60, proofs.source(kind, 60), tmp_path)
    source = read(path, COMPILERS["gcc, x86-64"])
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    plans = Plans(source, claim, "seed")
    runs = [concrete.RecordingFacts(claim.least, claim.greatest, Execution([first])) for first in (True, False)]
    for facts in runs:
        OddKernel(source, claim, facts, plans, plans.prove()).run()
    for _ in range(12):
        q, n = rng.randrange(3, 1 << rng.randrange(3, 61)) | 1, rng.choice([1, 2, 1000])
        inverse = pow(q, -1, 1 << 64)
        values = {"q[0]": q, "n": n, "index": rng.randrange(n), "quotient": q // 2, "(q^2 - 1) / 8": (q * q - 1) // 8}
        values |= {"x[…][0]": rng.choice([0, 1, q - 1]), "factor": (1 << power) // q, "slack": (q * inverse - 1) >> 64}
        taken = 0
        for facts in runs:
            constants = iter([inverse, (1 << power) % q])
            numbers = concrete.Numbers(facts, q, partial(_drawn, values, constants))
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken == 1


def _drawn(values: dict[str, int], constants: Iterator[int], name: str) -> int:
    return next(constants) if name == "constant[0]" else values[name]


@pytest.mark.parametrize(("kind", "formula"), [("reduce", "2 * x"), ("tomont", "2^63 * x"), ("frommont", "x / 2^65")])
def test_another_formula_is_not_proven(
    kind: str, formula: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claim twice or half of the result."""
    path = proofs.written(kind, 60, proofs.source(kind, 60), tmp_path)

    def other(manifest: dict[str, Any]) -> Claim:
        claim = claim_of(manifest)
        operation = claim.operation
        changed = {
            "reduce": replace(operation, value=lambda x: scaled(x, 2), formula=formula),
            "tomont": replace(operation, value=lambda x: scaled(x, 1 << 63), formula=formula),
            "frommont": replace(operation, divisor=1 << 65, formula=formula),
        }
        return replace(claim, operation=changed[kind])

    monkeypatch.setattr(kernels, "ELEMENTWISE", (other, prove_elementwise))
    assert f"is not proven to be {formula} modulo q" in prove(path).problem

