"""Claims of transforms that are tighter by one, or about another transform: none of them is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from support.transforms import files, written

from momagen.prove import kernels
from momagen.prove.checker import Bounds
from momagen.prove.facts import Facts
from momagen.prove.kernels import prove
from momagen.prove.polynomial import InModulus, Polynomial, added
from momagen.prove.transforms.claim import Moduli, Transform, transform_of
from momagen.prove.transforms.proof import TransformProof, prove_transform
from momagen.prove.transforms.run import TransformRun
from momagen.prove.transforms.stored import Stored

pytest.importorskip("pycparser")


def _with(**changed: Callable[[Transform], Any]) -> Callable[[Transform], Transform]:
    """Return a function that replaces properties of a claim."""
    kind = type("ChangedTransform", (Transform,), {name: property(value) for name, value in changed.items()})
    return lambda claim: kind(*(getattr(claim, field.name) for field in fields(claim)))


def _moduli(least: int = 0, greatest: int = 0, parity: int | None = 1) -> Callable[[Transform], Transform]:
    """Return a function that moves the ends of the moduli, or changes their parity."""
    return _with(moduli=lambda claim: Moduli(3 + least, (1 << claim.bits) - 1 + greatest, parity))


TIGHTER: dict[str, Callable[[Transform], Transform]] = {
    "the modulus 1 is accepted": _moduli(least=-2),
    "the modulus 3 is refused": _moduli(least=2),
    "the next longer modulus is accepted": _moduli(greatest=2),
    "the longest modulus is refused": _moduli(greatest=-2),
    "even moduli are accepted": _moduli(parity=None),
    "only even moduli are accepted": _moduli(parity=0),
    "a root of twice the order": _with(order=lambda claim: 2 * claim.n),
    "a root of half the order": _with(order=lambda claim: claim.n // 2),
    "values at other powers": _with(powers=lambda claim: lambda: [*Transform.powers(claim)[::-1]]),
    "values in natural order": lambda claim: replace(claim, is_reversed=False),
    "the inverse transform": lambda claim: replace(claim, is_inverse=True),
    "the ring X^n + 1": lambda claim: replace(claim, is_negacyclic=True),
    "twice as many points": lambda claim: replace(claim, n=2 * claim.n),
    "half as many points": lambda claim: replace(claim, n=claim.n // 2),
    "two words": lambda claim: replace(claim, words=2),
}


def _problem(folder: Path) -> str:
    return prove(written(files(8, 40), folder)).problem


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_claim_is_not_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim_from(manifest: dict[str, Any]) -> Transform:
        return TIGHTER[name](transform_of(manifest))

    monkeypatch.setitem(kernels.PROVERS, "ntt", (claim_from, prove_transform))
    assert _problem(tmp_path)


@pytest.mark.thorough
def test_a_result_below_q_minus_1_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proven = Facts.bounds

    def tighter(facts: Facts, polynomial: Polynomial) -> Bounds:
        bounds = proven(facts, polynomial)
        return replace(bounds, high=added(bounds.high, (1,))) if facts.secrets else bounds

    monkeypatch.setattr(Facts, "bounds", tighter)
    assert "below q" in _problem(tmp_path)


def test_the_root_q_is_not_proven_to_be_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def root(run: TransformRun) -> Stored:
        return Stored("root", run.claim.words, (0,), (0, 1), run.field.root)

    monkeypatch.setattr(TransformRun, "root", root)
    assert _problem(tmp_path)


def test_the_root_q_minus_1_is_not_proven_to_be_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proven = TransformRun.any_root

    def any_root(run: TransformRun, low: InModulus = (0,)) -> Stored:
        return proven(run, added(low, (-1,)) if low == (0, 1) else low)

    monkeypatch.setattr(TransformRun, "any_root", any_root)
    assert _problem(tmp_path)


@pytest.mark.thorough
def test_another_order_of_the_root_is_not_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim that ``create`` refuses roots whose power N/2 is not 1."""
    proven = TransformProof._implies_order

    def implies_order(proof: TransformProof, run: TransformRun) -> bool:
        run.compared[:] = [difference - 2 for difference in run.compared]
        return proven(proof, run)

    monkeypatch.setattr(TransformProof, "_implies_order", implies_order)
    assert "another order" in _problem(tmp_path)
