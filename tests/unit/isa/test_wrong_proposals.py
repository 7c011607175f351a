"""What `isa check` says of a wrong proposal: the inputs and both results in full, and each of them once."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from momagen.errors import MomagenError
from momagen.isa.soundness import sound as soundness
from momagen.rewrite import Rule
from momagen.rewrite.proof.prove import RuleError, check_rule
from momagen.targets import load_target


def wrong_rule(right: str, wrong: str) -> Rule:
    (rule,) = (rule for rule in load_target("mqx_mcp").rule if rule.name == "subtract_modulo_by_predicate")
    assert right in rule.right
    return replace(rule, right=rule.right.replace(right, wrong))


def told(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> MomagenError:
    """Return the error of a check of ``mqx_mcp`` with this rule alone."""
    monkeypatch.setattr(soundness.battery, "check", lambda target, compiler: Counter())
    with pytest.raises(MomagenError) as caught:
        list(soundness.sound(replace(load_target("mqx_mcp"), rule=(rule,))))
    return caught.value


@pytest.mark.parametrize("swept", [True, False])
def test_a_wrong_rule_names_its_inputs_in_full_and_both_results_once(
    swept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With words of 64 bits the line is longer than others may be, and nothing of it is cut."""
    rule = wrong_rule("c0 = addcif(δ, t0, q0, δ1)", "c0 = t0")
    if not swept:
        drawn = partial(check_rule, w=64, exhaustive=False, rng=random.Random(1), count=99)
        monkeypatch.setattr(soundness, "check_rule", lambda rule, w, **more: drawn(rule))
    error = told(rule, monkeypatch)
    text = str(error)
    assert text.startswith("mqx_mcp, [[rule]], rule subtract_modulo_by_predicate, at w = ")
    assert text.count("expected") == text.count("got") == 1 and "…" not in text
    assert all(f"[{name}0, {name}1] = 0x" in text for name in "abq") or all(f"{name} = 0x" in text for name in "abq")
    assert str(pickle.loads(pickle.dumps(error))) == text


def test_the_error_of_a_rule_has_its_parts() -> None:
    rule = wrong_rule("c1 = s1 if δ otherwise t1", "c1 = t1")
    with pytest.raises(RuleError) as caught:
        check_rule(rule, 2, exhaustive=True, rng=random.Random(0), count=0)
    wrong = caught.value
    assert str(wrong) == f"{wrong.inputs}: expected {wrong.wanted}, got {wrong.got}"
    assert wrong.got.startswith("(0x") and " = (0x" in wrong.wanted
