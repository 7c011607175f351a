"""Proofs with numbers: what a proof states of its variables holds for random operands, so that no proof is vacuous."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from support import concrete, proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.claims import claim_of

KERNELS = [
    ("vsub", 20, 2, (1 << 20) - 1),
    ("vadd", 60, 2, (1 << 60) - 1),
    ("vsub", 124, 2, (1 << 124) - 1),
    ("vmul", 6, 33, 63),
]


def inputs(rng: random.Random, q: int, n: int, index: int) -> Callable[[str], int]:
    """Return a function that draws the inputs of a run by their names: residues word by word."""
    residues: dict[str, int] = {}

    def draw(name: str) -> int:
        array, _, word = name.rpartition("[")
        if array == "q":
            return q >> 64 * int(word[:-1]) & (1 << 64) - 1
        if array.endswith("[…]"):
            if word == "0]":
                residues[array] = rng.choice([0, 1, q - 1, rng.randrange(q)])
            return residues[array] >> 64 * int(word[:-1]) & (1 << 64) - 1
        return {"n": n, "index": index, "out of memory": 0}[name]

    return draw


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "bits", "least", "greatest"), KERNELS)
def test_every_statement_of_a_proof_holds(kind: str, bits: int, least: int, greatest: int, tmp_path: Path) -> None:
    _check(kind, bits, least, greatest, "gcc, x86-64", tmp_path)


@pytest.mark.parametrize("compiler", [*COMPILERS][1:])
@pytest.mark.parametrize(("kind", "bits", "least", "greatest"), KERNELS)
def test_every_statement_holds_for_other_compilers(
    kind: str, bits: int, least: int, greatest: int, compiler: str, tmp_path: Path
) -> None:
    _check(kind, bits, least, greatest, compiler, tmp_path)


def _check(kind: str, bits: int, least: int, greatest: int, compiler: str, tmp_path: Path) -> None:
    """Draw q, n, an index and operands: on the one path that they take, every equation and bound holds."""
    rng = random.Random(f"{kind} {bits} {compiler}")
    path = proofs.written(kind, bits, proofs.source(kind, bits), tmp_path)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    runs = concrete.paths(read(path, COMPILERS[compiler]), claim, least, greatest)
    for _ in range(12):
        q = rng.choice([least, greatest, rng.randrange(least, greatest + 1)])
        n = rng.choice([1, 2, 1000, 1 << 50])
        index, seed = rng.randrange(n), rng.random()
        taken = 0
        for facts in runs:
            numbers = concrete.Numbers(facts, q, inputs(random.Random(seed), q, n, index))
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken == 1, f"q = {q}, n = {n}, index {index}: {taken} paths"


def test_a_false_statement_is_found(tmp_path: Path) -> None:
    path = proofs.written("vsub", 20, proofs.source("vsub", 20), tmp_path)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    facts = concrete.paths(read(path, COMPILERS["another compiler"]), claim, 2, (1 << 20) - 1)[1]
    draw = inputs(random.Random(1), 97, 5, 2)
    assert concrete.Numbers(facts, 97, draw).problems() == []
    facts.checker.state({(0,): 1, (): -96})
    assert len(concrete.Numbers(facts, 97, inputs(random.Random(1), 97, 5, 2)).problems()) == 1
