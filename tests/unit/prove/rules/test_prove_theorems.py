"""Each theorem is proven for all integers, holds for concrete ones, and is rejected if it states more than is true."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from momagen.kernels.residues.theorems import THEOREMS
from momagen.prove.rules import prove_theorem, read_theorems
from momagen.prove.rules.notation import Comparison, RuleAssignment, parse_comparisons, parse_node, parse_rule_lines
from momagen.prove.rules.numbers import compute, holds
from momagen.prove.rules.theorems import SUM, TheoremRow

ROWS = {row.name: row for row in read_theorems()}
CHOSEN = {
    "nearest_quotient": {"e": "(2 · y · (v · R / q) + R) / (2 · R)"},
    "nearest_quotient_less_one": {"q": "4 · P + q", "e": "(2 · (S / P) · P + q) / (2 · q)"},
    "montgomery_remainder": {"v": "1", "y": "t · R + m · q"},
    "rounded_remainder": {"q": "2 · j + 1", "c": "(2 · H + q) / (2 · q)", "e": "(2 · x · c + H) / (2 · H)"},
    "quotient_by_signed_digits": {"e": "(2 · a · H + q) / (2 · q)", "f": "(2 · b · H + q) / (2 · q)"},
    "split_quotient": {"e": "y · v / q"},
    "shifted_residue": {"K": "q · P + 1"},
}
"""How to choose some of the integers, so that conditions hold which random integers would rarely meet."""
DRAWS, WANTED = 20_000, 15


def comparisons(text: str) -> list[Comparison]:
    return parse_comparisons(" ".join(text.split()))


def drawn(row: TheoremRow, rng: random.Random) -> dict[str, int] | None:
    """Return integers that meet the conditions of a theorem, or None."""
    positive = {c.right.text for c in comparisons(row.when) if c.left == parse_node("0") and hasattr(c.right, "text")}
    names = {name: rng.randint(name in positive, 9) if name in positive else rng.randint(-9, 12)
             for name in row.names.split()}  # fmt: skip
    for name, text in CHOSEN.get(row.name, {}).items():
        names[name] = compute(parse_node(text), names)
    if match := SUM.fullmatch(row.sum):
        total, count, term = match[1], match[2], parse_node(match[3])
        names |= {total: 0, count: rng.randint(0, 4)}
        for _ in range(names[count]):
            scope = {**names, **{name: rng.randint(-9, 9) for name in "xyrd"}}
            if not all(holds(what, scope) for what in comparisons(row.each)):
                return None
            names[total] += compute(term, scope)
    for line in parse_rule_lines(row.let):
        assert isinstance(line, RuleAssignment)
        try:
            names[line.targets[0].text] = compute(line.value, names)
        except ZeroDivisionError:
            return None
    return names if all(holds(what, names) for what in comparisons(row.when)) else None


def test_the_theorems_of_kernels_are_those_that_are_proven() -> None:
    assert list(ROWS) == list(THEOREMS) and len(ROWS) == 17


@pytest.mark.parametrize("name", ROWS)
def test_a_theorem_is_proven(name: str) -> None:
    result = prove_theorem(ROWS[name])
    assert result.status == "proven", result.reason


@pytest.mark.parametrize("name", ROWS)
def test_a_theorem_holds_for_concrete_integers(name: str) -> None:
    """The conditions can be met, and the claims then hold, so that no proof is vacuous."""
    row, rng, met = ROWS[name], random.Random(name), 0
    for _ in range(DRAWS):
        names = drawn(row, rng)
        if names is not None:
            assert all(holds(what, names) for what in comparisons(f"{row.then}; {row.bounds}")), names
            met += 1
            if met == WANTED:
                return
    raise AssertionError(f"only {met} of {DRAWS} choices met the conditions")


@pytest.mark.parametrize(
    ("name", "key", "old", "new"),
    [
        ("shoup_remainder", "then", "t < 2 · q", "t < 2 · q - 1"),
        ("shoup_remainder", "when", "0 ≤ y < R", "0 ≤ y ≤ R"),
        ("shoup_remainder", "let", "y · u / R", "y · u / R - 1"),
        ("offset_difference", "then", "0 < x", "1 < x"),
        ("folded_product", "then", "(n + 1) · q", "n · q"),
        ("folded_product", "bounds", "(R - 1)", "(R - 2)"),
        ("folded_product", "each", "y < R", "y ≤ R"),
        ("lazy_levels", "bounds", "L · g · q", "L · g · q - 1"),
        ("lazy_levels", "each", "d ≤ g · q", "d ≤ g · q + 1"),
        ("sign_correction", "when", "x < q", "x ≤ q"),
        ("sign_correction", "let", "x < 0", "x ≤ 0"),
        ("nearest_quotient", "when", "≤ R", "≤ R + 1"),
        ("nearest_quotient_less_one", "when", "4 · P ≤ q", "P ≤ q"),
        ("montgomery_remainder", "when", "m < R", "m ≤ R"),
        ("rounded_remainder", "when", "q = 2 · j + 1", "q = 2 · j"),
        ("montgomery_step", "then", "(c + 1) · q", "c · q"),
        ("multiples_of_q", "then", "< x - y", "≤ x - y - 2"),
        ("sums_of_digits", "when", "n · D ≤ 2 · G", "n · D ≤ 3 · G"),
        ("sums_of_products", "bounds", "m · (q - 1) · (q - 1)", "m · (q - 1) · (q - 2)"),
        ("shifted_residue", "when", "q · P < K", "q · P ≤ K + 1"),
        ("multiple_towards_zero", "let", "max(m, b - m)", "min(m, b - m)"),
        ("quotient_by_signed_digits", "then", "0 - q ≤ 2 · t", "0 - q ≤ 2 · t - 1"),
        ("split_quotient", "when", "(e + 3)", "(e + 4)"),
    ],
)
def test_a_theorem_that_states_too_much_is_rejected(name: str, key: str, old: str, new: str) -> None:
    row = ROWS[name]
    assert old in getattr(row, key)
    result = prove_theorem(replace(row, **{key: getattr(row, key).replace(old, new, 1)}))
    assert result.status == "open" and "not proven" in result.reason


@pytest.mark.parametrize(
    ("name", "key", "text", "reason"),
    [
        ("offset_difference", "lemmas", "0 ≤ u", "unknown names"),
        ("offset_difference", "when", "0 ≤ u", "unknown names"),
        ("offset_difference", "lemmas", "0 ≤ x - 1", "not proven"),
        ("lazy_levels", "step", "0 ≤ u", "unknown names"),
        ("lazy_levels", "sum", "S = L terms q", "own"),
        ("lazy_levels", "sum", "a sum", "expected a sum"),
        ("lazy_levels", "bounds", "S = 1", "not proven"),
    ],
)
def test_what_is_not_understood_is_refused(name: str, key: str, text: str, reason: str) -> None:
    result = prove_theorem(replace(ROWS[name], **{key: text}))
    assert result.status == "open" and reason in result.reason
