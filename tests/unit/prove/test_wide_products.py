"""Products of many words are proven for the longest moduli, and no product with a planted fault is."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support import concrete, proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import Claim, claim_of
from momagen.prove.vectors.proof import all_paths

WRONG = tomllib.loads(Path(__file__).with_name("wrong_wide_products.toml").read_text(encoding="utf-8"))["wrong"]


def claimed(kind: str, bits: int, folder: Path, *edits: tuple[str, str]) -> tuple[Any, Claim]:
    """Return the source of an edited kernel as gcc on x86-64 sees it, and its claim."""
    path = proofs.written(kind, bits, proofs.edited(kind, bits, *edits), folder)
    return read(path, COMPILERS["gcc, x86-64"]), claim_of(json.loads(path.with_suffix(".json").read_text("utf-8")))


def proven(kind: str, bits: int, folder: Path, *edits: tuple[str, str]) -> int:
    """Prove an edited kernel for the moduli of its longest length, and return the number of elements."""
    source, claim = claimed(kind, bits, folder, *edits)
    return all_paths(source, claim, ((1 << bits - 1) + 1, (1 << bits) - 1), "gcc, x86-64")["elements"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("vmul", 128),
        ("vmul", 190),
        ("vmul", 255),
        *(pytest.param("vmul", bits, marks=pytest.mark.thorough) for bits in (130, 192, 250, 252, 377)),
        *(pytest.param("vmuladd", bits, marks=pytest.mark.thorough) for bits in (128, 255)),
        pytest.param("vmul", 512, marks=pytest.mark.slow),
    ],
)
def test_the_product_is_proven(kind: str, bits: int, tmp_path: Path) -> None:
    assert proven(kind, bits, tmp_path) >= 2


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_product_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ProofError) as refusal:
        proven("vmul", wrong["bits"], tmp_path, (wrong["old"], wrong["new"]))
    assert wrong["problem"] in str(refusal.value)


def inputs(q: int, x: int, y: int, bits: int) -> Any:
    """Return a function that draws what a proof leaves open, word by word."""
    exponent = 2 * bits + 3
    quotient, remainder = divmod(1 << exponent, q)
    numbers = {"q": q, "x[…]": x, "y[…]": y, "quotient": quotient, "remainder": remainder}

    def draw(name: str) -> int:
        array, _, word = name.rpartition("[")
        if array in numbers:
            return numbers[array] >> 64 * int(word[:-1]) & (1 << 64) - 1
        return {"n": 5, "index": 3, "out of memory": 0}[name]

    return draw


def test_every_statement_of_a_proof_holds_for_numbers(tmp_path: Path) -> None:
    bits, rng = 128, random.Random(1)
    source, claim = claimed("vmul", bits, tmp_path)
    runs = concrete.paths(source, claim, (1 << bits - 1) + 1, (1 << bits) - 1)
    for _ in range(6):
        q = rng.randrange((1 << bits - 1) + 1, 1 << bits)
        x, y = (rng.choice([0, 1, q - 1, rng.randrange(q)]) for _ in range(2))
        taken = 0
        for facts in runs:
            numbers = concrete.Numbers(facts, q, inputs(q, x, y, bits))
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken
