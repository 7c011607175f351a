"""Claims that are tighter by one, or about another operation: none of them is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import proofs

from momagen.prove import claims, kernels
from momagen.prove.checker import Bounds
from momagen.prove.claims import Claim
from momagen.prove.facts import Facts
from momagen.prove.polynomial import Polynomial, added, combine, plus
from momagen.prove.vectors.proof import prove_elementwise

CASES = [("vsub", 20), ("vadd", 60), ("vsub", 124), ("vmul", 3)]


class _LongerModuli(Claim):
    @property
    def greatest(self) -> int:
        return super().greatest + 1


class _ShorterModuli(Claim):
    @property
    def greatest(self) -> int:
        return super().greatest - 1


class _SmallerModuli(Claim):
    @property
    def least(self) -> int:
        return 1


class _LargerModuli(Claim):
    @property
    def least(self) -> int:
        return 3


def _with_value(value: Callable[..., Polynomial]) -> Callable[[Claim], Claim]:
    return lambda claim: replace(claim, operation=replace(claim.operation, value=value))


def _as(kind: type[Claim]) -> Callable[[Claim], Claim]:
    return lambda claim: kind(*(getattr(claim, field.name) for field in fields(claim)))


def _tighter(change: Callable[[Claim], Claim], manifest: dict[str, Any]) -> Claim:
    return change(claims.claim_of(manifest))


TIGHTER: dict[str, Callable[[Claim], Claim]] = {
    "moduli up to 2^bits": _as(_LongerModuli),
    "the longest modulus is refused": _as(_ShorterModuli),
    "modulus 1 is accepted": _as(_SmallerModuli),
    "modulus 2 is refused": _as(_LargerModuli),
    "the result plus 1": lambda claim: _with_value(lambda *o: plus(claim.operation.value(*o), {(): 1}))(claim),
    "operands exchanged and negated": _with_value(lambda x, y: combine([(1, y), (-2, x)])),
    "the sum of three operands": _with_value(lambda x, y: combine([(1, x), (1, y), (1, y)])),
}


def _problem(kernel: tuple[str, int], folder: Path) -> str:
    return proofs.problem_of(*kernel, proofs.source(*kernel), folder)


@pytest.mark.whole
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_claim_is_not_proven(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim_from = partial(_tighter, TIGHTER[name])
    monkeypatch.setattr(kernels, "ELEMENTWISE", (claim_from, prove_elementwise))
    assert _problem(("vsub", 20), tmp_path) != ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kernel", CASES[1:])
@pytest.mark.parametrize("name", TIGHTER)
def test_a_tighter_claim_about_another_kernel_is_not_proven(
    name: str, kernel: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim_from = partial(_tighter, TIGHTER[name])
    monkeypatch.setattr(kernels, "ELEMENTWISE", (claim_from, prove_elementwise))
    assert _problem(kernel, tmp_path) != ""


@pytest.mark.parametrize("kernel", CASES)
def test_a_result_below_q_minus_1_is_not_proven(
    kernel: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claim z < q - 1 by moving the upper bound of every result up by 1."""
    proven = Facts.bounds

    def tighter(facts: Facts, polynomial: Polynomial) -> Bounds:
        bounds = proven(facts, polynomial)
        return replace(bounds, high=added(bounds.high, (1,))) if facts.secrets else bounds

    monkeypatch.setattr(Facts, "bounds", tighter)
    assert "below q" in _problem(kernel, tmp_path)


@pytest.mark.parametrize("kernel", CASES)
def test_more_elements_are_not_proven(kernel: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim that ``execute`` stores n + 1 elements."""
    proven = Facts.are_equal
    monkeypatch.setattr(Facts, "are_equal", lambda facts, a, b: proven(facts, a, plus(b, {(): 1})))
    assert "all elements" in _problem(kernel, tmp_path)


@pytest.mark.parametrize("wrong", ["bounds", "residue"])
def test_an_answer_to_another_question_is_not_accepted(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let the search answer with a true statement about 0, which says nothing about the result."""
    from momagen.prove.search import Search

    answers: dict[str, Callable[..., Any]] = {
        "bounds": lambda search, polynomial: search.checker.enclose(search.checker.identity({})),
        "residue": lambda search, polynomial: search.checker.identity({}),
    }
    monkeypatch.setattr(Search, wrong, answers[wrong])
    edit = ("z[0] = t1;", "z[0] = t1 + 1;") if wrong == "bounds" else ("(&t1, x_0, y_0,", "(&t1, y_0, x_0,")
    text = proofs.edited("vsub", 20, edit)
    assert "something else" in proofs.problem_of("vsub", 20, text, tmp_path)
