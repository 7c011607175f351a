"""Every rule marked ``slack`` bears digits of any size and sign, as rewriting for digits with slack leaves them."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from momagen.ir import OPS
from momagen.rewrite import Rule, table
from momagen.rewrite.notation.syntax import Equation
from momagen.rewrite.proof.prove import RuleError, check_rule, check_slack

SLACK = [rule for rule in table() if rule.slack]


APART = [
    rule for rule in table()
    if any(isinstance(s, Equation) and s.targets[-1].bits is not None for s in rule.body)
]  # fmt: skip
"""Rules that take a number apart."""


def inputs(rule: Rule, w: int) -> int:
    return 1 << w * rule.digits * OPS[rule.op].args.count("w")


@pytest.mark.parametrize("w, times", [(2, 8), (3, 1)])
@pytest.mark.parametrize("rule", SLACK, ids=lambda rule: rule.label)
def test_every_input_with_digits_of_any_size_inside(rule: Rule, w: int, times: int) -> None:
    assert check_slack(rule, w, random.Random(w), times) >= min(inputs(rule, w) // 4, 2)


def test_products_and_what_moves_digits_bear_slack() -> None:
    """Sums, differences, comparisons and selections need no rule: they go digit by digit."""
    ops = {"mul", "mullo", "mulhi", "mulhi_about", "shr", "shl", "shrd", "low", "eq", "word"}
    assert {rule.op for rule in SLACK if rule.digits > 1} == ops
    assert not [rule for rule in SLACK if rule.digits == 1]


@pytest.mark.parametrize("name", ["multiply_high", "karatsuba", "add_low", "subtract"])
def test_a_rule_that_reads_a_carry_does_not(name: str) -> None:
    """[δ1:1, _] = s + d0 keeps the carry of a sum alone; digits with slack have none."""
    (rule,) = table().find(name)
    assert not rule.slack
    with pytest.raises(RuleError, match=re.escape(rule.label)):
        check_slack(rule, 2, random.Random(0), 8)


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("rule", APART, ids=lambda rule: rule.label)
def test_a_number_is_taken_apart_at_any_digits(rule: Rule) -> None:
    assert check_slack(rule, 2, random.Random(0), 1) > 500


@pytest.mark.sampled(2)
@pytest.mark.thorough
def test_a_rule_that_takes_a_number_apart_in_two_ways_is_refused() -> None:
    """⌊c0 / 2^w⌋ is what a cut leaves of c0 only where its digits are from 0 to 2^w - 1."""
    mutant = changed("fold_to_nearest", "[h, f:w] = c0", "[_, f:w] = c0; h = sar{w}(c0)")
    assert check_rule(mutant, 2, exhaustive=True, rng=random.Random(0), count=0) > 500
    with pytest.raises(RuleError, match="fold_to_nearest"):
        check_slack(mutant, 2, random.Random(0), 1)


def changed(name: str, old: str, new: str) -> Rule:
    (rule,) = table().find(name)
    assert old in rule.right
    return replace(rule, right=rule.right.replace(old, new, 1))


MUTANTS = {
    "multiply_low": ("d0 + f1 + g1", "d0 + f1"),
    "multiply": ("[f0, f1] + [g0, g1]", "[f0, f1] + [0, g1]"),
    "multiply_high_by_carries": ("] >> 2 * w", "] + [0, 0, 0, 0]"),
    "multiply_high_about": ("[h0, h1] = [e0, e1] + [0, f0]", "[h0, h1] = [0, e1] + [0, f0]"),
}
"""One wrong turn for every rule with a sum or a product in it."""


def test_products_have_mutants() -> None:
    assert {rule.name for rule in SLACK if rule.op.startswith("mul")} == set(MUTANTS)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_rule_fails_by_its_own_name(name: str) -> None:
    with pytest.raises(RuleError, match=name):
        check_slack(changed(name, *MUTANTS[name]), 2, random.Random(0), 8)


def test_a_digit_with_slack_is_no_factor() -> None:
    """A product that takes a digit of another product: right on words, refused here."""
    mutant = changed("multiply_low", "g1 = a1 · b0", "[z0, z1] = a1 · b0\none = ¬(a1 < a1)\ng1 = z1 · word(one)")
    with pytest.raises(RuleError, match=r"multiply_low.*mullo at 2 bits of .*, which are out of range"):
        check_slack(mutant, 2, random.Random(0), 8)
