"""Sums of products are proven for every number of elements, and none with a planted fault is."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import proofs
from support.part_numbers import NumbersRun

from momagen.prove import kernels
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path as Execution
from momagen.prove.kernels import certify, check, prove
from momagen.prove.sums import loops
from momagen.prove.sums.claim import SumOfProducts, sum_of
from momagen.prove.sums.loops import SumRun
from momagen.prove.sums.proof import prove_sum
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.stored import Stored
from momagen.prove.vectors.plans import Plans

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_sums.toml").read_text(encoding="utf-8"))["wrong"]
WIDE = [pytest.mark.thorough, pytest.mark.sampled(6)]


@pytest.mark.parametrize(
    "bits", [60, *(pytest.param(bits, marks=WIDE) for bits in (8, 20, 31, 33, 62, 63, 64, 97, 124))]
)
def test_a_sum_is_proven(bits: int, tmp_path: Path) -> None:
    found = prove(proofs.written("dot", bits, proofs.source("dot", bits), tmp_path))
    assert found.problem == ""
    assert found.claim.startswith(f"For every odd q with 2 < q < 2^{bits} and every n <= 2^50: z = the sum of x[i] * y")


@pytest.mark.thorough
@pytest.mark.sampled(10)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_sum_is_not_proven(wrong: dict[str, str], tmp_path: Path) -> None:
    text = proofs.edited("dot", 60, (wrong["old"], wrong["new"]))
    problem = prove(proofs.written("dot", 60, text, tmp_path)).problem
    assert wrong["problem"] in problem
    assert problem


@pytest.mark.thorough
def test_a_certificate_proves_a_sum_and_no_wrong_one(tmp_path: Path) -> None:
    path = proofs.written("dot", 60, proofs.source("dot", 60), tmp_path)
    _, certificate = certify(path)
    assert certificate is not None
    assert check(path, certificate).is_proven
    path.write_text(proofs.edited("dot", 60, ("(u128)x2_0 * y2_0", "(u128)x2_0 * y3_0")), encoding="utf-8")
    found = check(path, replace(certificate, inputs=prove(path).inputs))
    assert not found.is_proven


def _with(**changed: Callable[[SumOfProducts], Any]) -> type[SumOfProducts]:
    return type("Changed", (SumOfProducts,), {name: property(value) for name, value in changed.items()})


TIGHTER = {
    "the modulus 1 is accepted": _with(least=lambda claim: 1),
    "the modulus 3 is refused": _with(least=lambda claim: 5),
    "a longer modulus is accepted": _with(greatest=lambda claim: (1 << 60) + 1),
    "the longest modulus is refused": _with(greatest=lambda claim: (1 << 60) - 3),
}


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_claim_is_not_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim_from(manifest: dict[str, Any]) -> SumOfProducts:
        claim = sum_of(manifest)
        return TIGHTER[name](claim.name, claim.bits, claim.words, claim.word)

    monkeypatch.setitem(kernels.PROVERS, "dot", (claim_from, prove_sum))
    assert prove(proofs.written("dot", 60, proofs.source("dot", 60), tmp_path)).problem


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("change", ["one product more", "half of the sum", "an empty sum of 1"])
def test_another_sum_is_not_proven(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proven = SumRun.total
    changes: dict[str, Callable[[SumRun], Any]] = {
        "one product more": lambda run: proven(run) + 1,
        "half of the sum": lambda run: 2 * proven(run) % run.field.prime,
        "an empty sum of 1": lambda run: proven(run) or 1,
    }
    monkeypatch.setattr(SumRun, "total", changes[change])
    found = prove(proofs.written("dot", 60, proofs.source("dot", 60), tmp_path))
    assert "is not proven to be the sum of all products" in found.problem


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("count", [1, 3])
def test_an_iteration_reads_at_most_as_many_elements_as_a_view_has(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "MOST", count)
    found = prove(proofs.written("dot", 60, proofs.source("dot", 60), tmp_path))
    assert "an access to x lies outside it" in found.problem


@pytest.mark.thorough
def test_a_sum_that_is_longer_than_its_accumulator_is_not_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let loops have 2^72 times as many iterations."""
    proven = SumRun._at_most
    monkeypatch.setattr(SumRun, "_at_most", lambda run, length: proven(run, length) << 72)
    found = prove(proofs.written("dot", 60, proofs.source("dot", 60), tmp_path))
    assert "an iteration is not proven to add the products" in found.problem


class Drawn(dict[Stored, int]):
    """The values of stored numbers; one that is not known is drawn from its range."""

    def __init__(self, known: dict[Stored, int], q: int, chance: random.Random) -> None:
        super().__init__(known)
        self.q, self.chance = q, chance

    def __missing__(self, number: Stored) -> int:
        """Return a new value."""
        low, high = (int(sum(c * self.q**i for i, c in enumerate(ends))) for ends in (number.low, number.high))
        self[number] = self.chance.choice([low, high, self.chance.randint(low, high)])
        return self[number]


class SumNumbersRun(NumbersRun, SumRun):
    """A run of a sum of products whose stored numbers have values."""


@pytest.mark.parametrize("bits", [60, pytest.param(97, marks=WIDE)])
def test_every_statement_of_a_part_holds(bits: int, tmp_path: Path) -> None:
    chance = random.Random(bits)
    path = proofs.written("dot", bits, proofs.source("dot", bits), tmp_path)
    claim = sum_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    same: Any = claim
    plans = Plans(read(path, COMPILERS["gcc, x86-64"]), same, "seed")
    for q in (3, 9, (1 << bits) - 1, chance.getrandbits(bits) | 1):
        execution: Execution | None = Execution()
        while execution is not None:
            run = SumNumbersRun(plans.source, claim, Moduli(3, claim.greatest, 1), plans, execution)
            run.prepare(q, 0, [])
            run.numbers = Drawn(run.numbers, q, chance)
            plan = run.create_from_modulus()
            assert plan is not None
            pointers = run.arguments_of(0)
            run.call_execute([plan, *pointers[:2], pointers[2]], run.length)
            assert run.problems == []
            assert run.parts > 10
            execution = execution.following()


def test_other_requests_have_no_claim(tmp_path: Path) -> None:
    path = proofs.written("dot", 60, proofs.source("dot", 60), tmp_path)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    for change in ({"options": {"input_factor": 2}}, {"basis": [3, 5]}, {"montgomery": 64}):
        with pytest.raises(ProofError, match="no claim"):
            sum_of({**manifest, "spec": {**manifest["spec"], **change}})
