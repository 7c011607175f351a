"""Every row is proven or named here as open, proofs hold for concrete integers, and planted faults are rejected."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache

import pytest
from support.rule_mutants import mutants

from momagen.data import folder
from momagen.ir import OPS
from momagen.prove.checker import ProofError
from momagen.prove.rules import prove_rules
from momagen.prove.rules.instances import instances, operation_of
from momagen.prove.rules.notation import parse_comparisons
from momagen.prove.rules.prove import RuleProof, VacuousError, claim_of, prove_row
from momagen.prove.rules.rows import RuleRow, definitions, read_rows
from momagen.prove.rules.trial import ContradictionError, try_proof
from momagen.rewrite.proof.prove import RuleError, check_rule
from momagen.rewrite.rules.rule import Rule, parse_rule

FILES = ("moma", "multiply", "modular", "reduction", "butterfly", "narrow", "fold", "signed", "slack", "real")
OPEN = {"real": "columns fold_to_nearest row_to_nearest rows_to_nearest shoup_to_nearest"}
"""The rows that the prover does not prove yet, by file."""


@lru_cache(maxsize=16)
def rows(file: str) -> list[RuleRow]:
    return read_rows(folder("rules") / f"{file}.toml")


def proven(file: str) -> list[RuleRow]:
    return [row for row in rows(file) if row.name not in OPEN.get(file, "").split()]


CASES = [pytest.param(row, id=f"{file}-{row.name}") for file in FILES for row in proven(file)]


def some_proof(row: RuleRow, seed: int = 0) -> RuleProof:
    """Return a finished proof of a row for one of its widths and distances."""
    found = list(instances(row, every=False))
    random.Random(seed).shuffle(found)
    for instance in found:
        try:
            proof = RuleProof(row, instance)
        except VacuousError:
            continue
        proof.run()
        return proof
    raise AssertionError(row.name)


def test_open_rows_exist() -> None:
    for file, names in OPEN.items():
        assert set(names.split()) <= {row.name for row in rows(file)}, file


def test_the_rules_of_moma_are_proven() -> None:
    results = prove_rules([folder("rules") / "moma.toml", folder("rules") / "butterfly.toml"])
    assert len(results) == 33
    assert {result.status for result in results} == {"proven"}
    assert all(result.widths and result.instances for result in results)


@pytest.mark.thorough
@pytest.mark.sampled(80)
@pytest.mark.parametrize("row", CASES)
def test_a_row_is_proven(row: RuleRow) -> None:
    result = prove_row(row)
    assert result.status == "proven", result.reason


@pytest.mark.thorough
@pytest.mark.sampled(20)
@pytest.mark.parametrize("row", CASES)
def test_all_facts_of_a_proof_hold_for_concrete_integers(row: RuleRow) -> None:
    """A proof from facts that contradict each other would hold of no integers.

    Few random inputs meet the conditions of some widths and distances, so that several are tried.
    """
    assert any(try_proof(some_proof(row, seed), random.Random(row.name), 5) for seed in range(8))


def test_a_claim_is_readable() -> None:
    (row,) = [row for row in rows("modular") if row.name == "conditional_subtract"]
    assert claim_of(row, definitions()["csub"]) == (
        "c = csub(a, m), which is csub of a (word), m (word): c = a - m if m ≤ a otherwise a; 0 ≤ c ≤ a"
    )


# Faults in rules.


def is_correct(row: RuleRow, original: RuleRow | None = None) -> bool:
    """Return whether a rule is correct for all inputs of short words, and for edge cases and random ones of longer.

    Words have an even number of bits, as in proofs: some conditions hold at each even width. Widths at which the
    original rule is not correct, such as 2 bits for some rules on half words, are left out.
    """
    widths = (2, 4, 6) if parsed(row).digits > 1 else (2, 4, 6, 8, 10, 16)
    return all(is_correct_at(row, w) or (original is not None and not is_correct_at(original, w)) for w in widths)


def parsed(row: RuleRow) -> Rule:
    keys = {"name": row.name, "from": row.left, "to": row.right, "why": "", "when": row.when,
            "derive": row.derive, "form": row.form}  # fmt: skip
    return parse_rule(keys, row.file)


def is_correct_at(row: RuleRow, width: int) -> bool:
    rule = parsed(row)
    few = width * rule.digits * len(OPS[rule.op].args) < 17
    try:
        check_rule(rule, width, exhaustive=few, rng=random.Random(width), count=1000)
    except RuleError:
        return False
    return True


@pytest.mark.thorough
@pytest.mark.sampled(80)
@pytest.mark.parametrize("row", CASES)
def test_planted_faults_are_rejected(row: RuleRow) -> None:
    """A fault that is accepted must be none: the changed rule is correct for all inputs of short words."""
    found = list(mutants(row))
    random.Random(row.name).shuffle(found)
    for name, changed in found[:3]:
        assert prove_row(changed).status == "open" or is_correct(changed, row), name


@pytest.mark.sampled(2)
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "name", "old", "new"),
    [
        ("moma", "add", "c1] = δ0 + a0 + b0", "c1] = a0 + b0"),
        ("moma", "add", "[δ0:1, c2] = a1 + b1", "[δ0:1, c2] = a0 + b1"),
        ("moma", "less", "(a0 < b0)", "(a0 ≤ b0)"),
        ("moma", "shift_right_within", "c0 = a0 >> k", "c0 = a0 >> k + 1"),
        ("multiply", "multiply", "[h0, h1, h2, 0]", "[0, h1, h2, 0]"),
        ("multiply", "multiply", "[e0, e1, d0, d1]", "[e0, e1, d1, d0]"),
        ("modular", "add_modulo", "[δ, s] mod q", "[0 < 0, s] mod q"),
        ("modular", "conditional_subtract", "c = a if δ otherwise b", "c = b if δ otherwise a"),
        ("modular", "subtract_modulo", "u = t + q", "u = t - q"),
        ("modular", "barrett", "k + 5", "k + 6"),
        ("modular", "barrett_lazy", "k - 2", "k - 1"),
        ("modular", "reduce_by_leading_bits", "<", "≤"),
        ("butterfly", "cooley_tukey_lazy", "s = x + c", "s = x + q"),
        ("slack", "multiply_add", "d1 = plus(c1, l)", "d1 = plus(c0, l)"),
        ("slack", "residue_over_power", "plus(m, e)", "plus(m, h)"),
        ("slack", "residue_over_power", "z = q << k", "z = q"),
        ("slack", "product_by_truncated_barrett", "clear{k}", "clear{k + 1}"),
        ("signed", "sums_of_digit_products", "smulhalf(h, b)", "smulhalf(h, a)"),
        ("signed", "product_of_digits", "addif(δ, s, 0 - e)", "addif(δ, s, e)"),
        ("signed", "product_of_digits_signed", "((1 << w - 1) - 1)", "(1 << w - 1)"),
        ("signed", "multiply_by_signed_digits", "(y, a, b, q)", "(y, b, a, q)"),
        ("signed", "cooley_tukey_signed", "(x, t, q)", "(y, t, q)"),
        ("signed", "gentleman_sande_signed", "(x, z, q)", "(z, x, q)"),
        ("real", "multiply_add_to_nearest", "e = minus(c0, d0)", "e = minus(d0, c0)"),
        ("real", "product_to_nearest", "r = minus(l, u)", "r = minus(u, l)"),
        ("real", "residue_to_nearest", "n = minus(0, e)", "n = e"),
        ("real", "times_to_nearest", "sal{w}", "sal{w + 1}"),
    ],
)
def test_known_faults_are_rejected(file: str, name: str, old: str, new: str) -> None:
    (row,) = [row for row in rows(file) if row.name == name]
    assert old in row.right
    changed = replace(row, right=row.right.replace(old, new, 1))
    assert not is_correct(changed)
    assert prove_row(changed).status == "open"


@pytest.mark.parametrize(
    ("file", "name", "old", "new"),
    [
        ("modular", "over_by_reciprocal", "≤ 2 · q - 1", "≤ q - 1"),
        ("modular", "over_by_reciprocal", "by q: 1 ≤ M", "by q: 2^k ≤ 0 - M"),
        ("modular", "over_by_reciprocal", "0 ≤ a · ρ", "0 ≤ a · (ρ - q)"),
        ("modular", "shoup_by_halves", "replace t = y · v", "replace t = y · v + q"),
        ("narrow", "residue_by_rounded_quotient", "by q: u ≡ 0 - M", "by q: u ≡ 1 - M"),
        ("narrow", "residue_by_rounded_quotient", "by q: u ≡", "by 2 · q: u ≡"),
        ("slack", "montgomery_by_constant", "by 2^w: a - b", "by q: a - b"),
        ("slack", "residue_over_power", "by 2^k: y ≡ x ·", "by 2^k: y ≡ (x + 1) ·"),
        ("signed", "product_of_digits", "f · (j + r / 2) = 0", "f · (j + r / 2) = 1"),
        ("signed", "product_of_digits", "0 ≤ A + B + q - 1", "0 ≤ A + B"),
        ("signed", "multiply_by_signed_digits", "c1 · R ≡ c2 (mod q)", "c1 ≡ c2 · R (mod q)"),
        ("real", "residue_to_nearest", "0 ≤ ρ ≤ q - 1", "0 ≤ ρ ≤ q - 2"),
        ("real", "product_to_nearest", "0 ≤ ρ ≤ g ≤", "0 ≤ ρ ≤ g - 1 ≤"),
    ],
)
def test_a_wrong_lemma_is_rejected(file: str, name: str, old: str, new: str) -> None:
    """Lemmas are hints: a false one, or one by a factor that is not coprime, makes the proof fail."""
    (row,) = [row for row in rows(file) if row.name == name]
    assert old in row.lemmas
    changed = replace(row, lemmas=row.lemmas.replace(old, new, 1))
    with pytest.raises(ProofError):
        some_proof(changed)


def test_a_missing_condition_is_rejected() -> None:
    (row,) = [row for row in rows("modular") if row.name == "reduce_by_minimum"]
    assert prove_row(replace(row, when="w = word")).status == "open"


# Faults in the prover.


@pytest.mark.sampled(2)
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "name", "means"),
    [
        ("modular", "add_modulo", "c = (a + b) mod q; 0 ≤ c < q - 1"),
        ("modular", "add_modulo", "c = (a + b) mod q; 0 < c; c < q"),
        ("modular", "reduce_by_borrow", "c = [f, a] mod q; 0 ≤ c < q - 1"),
        ("modular", "shoup", "t ≡ y · v (mod q); 0 ≤ t < 2 · k · q - q"),
        ("modular", "conditional_subtract", "c = a - m if m ≤ a otherwise a; 0 ≤ c ≤ a - 1"),
        ("butterfly", "cooley_tukey_lazy", "X ≡ x + v · y (mod q); X < x + 2 · k · q - 1; Y ≤ x + c"),
        ("butterfly", "cooley_tukey_lazy", "X < x + 2 · k · q; Y ≡ x - v · y (mod q); Y < x + c"),
        ("butterfly", "cooley_tukey_lazy", "X ≡ x - v · y (mod q); X < x + 2 · k · q; Y ≤ x + c"),
        ("moma", "subtract_borrow_out", "c - f · 2^w = a - b - 1"),
        ("moma", "less", "f = (a ≤ b)"),
    ],
)
def test_a_claim_that_is_tighter_by_one_is_rejected(
    file: str, name: str, means: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = [row for row in rows(file) if row.name == name]
    operation = operation_of(row)[0]
    claimed = replace(operation, means=tuple(parse_comparisons(means)))
    for instance in instances(row, every=False):
        try:
            proof = RuleProof(row, instance)
        except VacuousError:
            continue
        proof.operation = claimed
        with pytest.raises(ProofError):
            proof.run()


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("csub", "c = a - m if m ≤ a otherwise a; 0 ≤ c; 2 · c < m"),
        ("mulmod", "t ≡ y · v (mod q); 0 ≤ t < 2 · k · q; 2 · t < q"),
    ],
)
def test_a_wrong_meaning_is_noticed_by_concrete_integers(
    name: str, means: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proofs that assume a false meaning may succeed, but their facts do not hold for all inputs."""
    meaning = definitions()[name]
    monkeypatch.setitem(definitions(), name, replace(meaning, means=tuple(parse_comparisons(means))))
    (row,) = [row for row in rows("butterfly") if row.name == "cooley_tukey_tight"]
    with pytest.raises((ContradictionError, ProofError)):
        for seed in range(20):
            try_proof(some_proof(row, seed), random.Random(seed), 20)


# Ranges.


def test_moduli_of_any_size_are_longer_than_words() -> None:
    (row,) = [row for row in rows("real") if row.name == "residue_to_nearest"]
    assert some_proof(row).facts.checker.greatest.bit_length() == 4096


def test_a_precondition_of_an_inner_operation_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a bound of c, the quotient in ``near_residue`` may exceed what ``quotient`` allows."""
    meaning = definitions()["near_residue"]
    few = tuple(what for what in meaning.requires if "2^41" not in what.text)
    kept = replace(meaning, requires=few, required="")
    assert len(few) < len(meaning.requires)
    monkeypatch.setitem(definitions(), "near_residue", kept)
    (row,) = [row for row in rows("real") if row.name == "residue_to_nearest"]
    result = prove_row(row)
    assert result.status == "open" and "w = 46" in result.reason


def test_a_result_that_wraps_may_be_negative() -> None:
    (row,) = [row for row in rows("signed") if row.name == "multiply_by_signed_digits"]
    proof = some_proof(row)
    (low,) = [value.low for name, value in proof.names.items() if name == "t"]
    assert low < 0
