"""Proofs of transforms with numbers: what is stated of each part holds for real moduli, roots and vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import is_prime
from support.part_numbers import NumbersRun
from support.transforms import files, written

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path as Decisions
from momagen.prove.transforms import summary
from momagen.prove.transforms.claim import Transform, transform_of
from momagen.prove.transforms.field import RandomField

pytest.importorskip("pycparser")

SMALL = {4: 5, 8: 17, 16: 17, 32: 97}
"""By the order of a root: the least prime modulus that has one."""


def moduli(order: int, bits: int, rng: random.Random) -> list[int]:
    """Return a small modulus, the product of two, and a long one that is prime, each with roots of an order."""
    small = SMALL[order]
    while True:
        long = (rng.getrandbits(bits) | 1 << bits - 1) // order * order + 1
        if is_prime(long) and long.bit_length() == bits:
            return [small, small * small, int(long)]


def a_root(q: int, order: int, rng: random.Random) -> int:
    """Return a root of an order, whose power order / 2 is -1 modulo q."""
    exponent = (q - 1) // order if is_prime(q) else 1
    while True:
        root = pow(rng.randrange(q), exponent, q)
        if pow(root, order // 2, q) == q - 1:
            return root


def transformed(claim: Transform, q: int, root: int, x: list[int]) -> list[int]:
    """Return the values of the polynomial x modulo q, from the definition."""
    return [sum(c * pow(root, e * i, q) for i, c in enumerate(x)) % q for e in claim.powers()]


def run_with_numbers(
    claim: Transform, source: Any, known: Any, numbers: tuple[int, int, list[int]], is_in_place: bool = False
) -> NumbersRun:
    """Run ``create`` and ``execute`` for one modulus, root and vector."""
    run = NumbersRun(source, claim, claim.moduli, RandomField(claim.order, "seed"), known, SEARCH)
    run.prepare(*numbers)
    run.execute_vector(run.create_valid(), (0, 0) if is_in_place else (0, 1), Decisions())
    return run


def claim_and_source(n: int, bits: int, is_negacyclic: bool, is_inverse: bool, folder: Path) -> tuple[Transform, Any]:
    """Return the claim and the source of a generated transform."""
    path = written(files(n, bits, is_negacyclic, is_inverse), folder)
    claim = transform_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    return claim, read(path, COMPILERS["gcc, x86-64"])


CASES = [(4, 124, False), (4, 64, True), (16, 31, False), (16, 60, False)]


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("is_inverse", [False, True])
@pytest.mark.parametrize(("n", "bits", "is_negacyclic"), CASES)
def test_every_statement_of_a_part_holds(
    n: int, bits: int, is_negacyclic: bool, is_inverse: bool, tmp_path: Path
) -> None:
    rng = random.Random(f"{n} {bits} {is_inverse}")
    claim, source = claim_and_source(n, bits, is_negacyclic, is_inverse, tmp_path)
    known: dict[Any, Any] = {}
    for at, q in enumerate(moduli(claim.order, bits, rng)):
        root = a_root(q, claim.order, rng)
        x = [rng.choice([0, 1, q - 1, rng.randrange(q)]) for _ in range(n)]
        run = run_with_numbers(claim, source, known if at else {}, (q, root, x), is_in_place=bool(at))
        assert run.problems == []
        assert run.parts > 2 * n
        y = run.vector_of_results()
        assert transformed(claim, q, root, y if is_inverse else x) == (x if is_inverse else y)


WRONG_STATEMENTS: dict[str, Callable[[Any], Any]] = {
    "find_inverse": lambda found: found and replace(found, unit=2 * found.unit),
    "find_quotient": lambda found: found and replace(found, high=(0,)),
    "_outcome": lambda found: replace(found, high=(0,)) if found.high == (-1, 1) else found,
}


@pytest.mark.parametrize("name", WRONG_STATEMENTS)
def test_a_false_statement_of_a_part_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, source = claim_and_source(4, 33, False, False, tmp_path)
    right = getattr(summary, name)
    monkeypatch.setattr(summary, name, lambda *given: WRONG_STATEMENTS[name](right(*given)))
    rng = random.Random(1)
    q = moduli(4, 33, rng)[-1]
    run = NumbersRun(source, claim, claim.moduli, RandomField(claim.order, "seed"), {}, SEARCH)
    run.prepare(q, a_root(q, 4, rng), [1, 2, 3, 4])
    with suppress(ProofError, AssertionError):
        run.execute_vector(run.create_valid(), (0, 1), Decisions())
    assert run.problems
