"""The section of the stand-in for HEXL: what it makes of what it measured; no bar is held here."""

from __future__ import annotations

import json

import pytest

from momagen.bench.suite import standin
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec

pytestmark = pytest.mark.compiles

TOLD = {"generate": 12.0, "compile": 150.0, "size": 2.1, "calls": {"EltwiseAddMod": [2.0, 3.0, 9.0], "NTT": [5e4] * 3}}


def test_figures_and_their_bars() -> None:
    rows = [*standin._making(TOLD), *standin._calls(TOLD["calls"])]  # type: ignore[arg-type]
    assert [(row.value, row.unit, row.limit, row.ok) for row in rows] == [
        (12.0, "s", 30.0, True), (150.0, "s", 120.0, False), (2.1, "MB", 4.0, True), (3.0, "ns", 6.0, True),
        (50.0, "µs", 100.0, True),
    ]  # fmt: skip


def test_a_machine_without_cmake_says_so() -> None:
    rows = list(standin._making({"generate": 12.0}))
    assert [row.ok for row in rows] == [True, None, None] and "no cmake" in rows[1].note


@pytest.mark.parametrize("failing", [True, False])
def test_the_section(failing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def python(arguments: list[str]) -> str:
        if failing:
            raise MomagenError("a process that ends well", "exit code 1", "measure")
        return json.dumps(TOLD)

    monkeypatch.setattr(standin, "python", python)
    monkeypatch.setattr(standin, "_sized", lambda spec: standin.figure(str(spec.width), 1.0, "", standin.SIZED))
    rows = list(standin.standin())
    assert [row.ok for row in rows] == ([False] if failing else [True, False, True, True, True]) + [True] * 4


def test_a_size_of_one_build_is_raced_against_a_kernel_of_that_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standin, "N", 64)
    monkeypatch.setattr(standin, "ROUNDS", 3)
    found = standin._sized(make_spec("ntt", n=128, modulus_bits=62, negacyclic=True, sized=True))
    assert found.samples == 3 and found.value and 0.2 < found.value < 5
    assert found.name == "any size / 64 points only, 62 bits, forward"
