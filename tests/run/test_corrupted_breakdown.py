"""The breakdown rules decide: with a wrong rule, no kernel that its formula describes passes verification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import momagen as mg
from momagen.formula.breakdown_rules import rules
from momagen.formula.syntax import parse
from momagen.plan.schedule.factors import named_factors
from momagen.rpu.programs.schedules import transform_schedule

TARGETS: dict[str, tuple[str, int, int]] = {
    **{target: (target, 64, 28) for target in ("c", "avx2", "avx512", "avx512ifma", "cuda", "jax")},
    "b512": ("b512", 1024, 28), "integer limbs": ("avx512ifma", 256, 124), "floating-point limbs": ("avx2", 64, 124),
}  # fmt: skip
"""The target, the number of points and the bits of a modulus of each kernel."""
IN_TIME = ("b512",)
"""The targets whose inverse transforms decimate in time."""
TURN = "(t + rev(m, ⌊j/n⌋))"
WRONG = {
    "no bit reversal": ("rings_twist", TURN, "(t + ⌊j/n⌋)"),
    "half of the turn": ("rings_twist", TURN, "(t/2 + rev(m, ⌊j/n⌋))"),
    "an inverse twiddle": ("rings_twist", f"(j mod n)·{TURN}", f"-(j mod n)·{TURN}"),
    "one ring": ("rings_split", "(Rings(m, r, t) ⊗ I(s))", "(Rings(m, r, 0) ⊗ I(s))"),
    "no bit reversal back": ("rings_twist_inverse", TURN, "(t + ⌊j/n⌋)"),
    "a forward twiddle": ("rings_twist_inverse", "-(j mod n)·", "(j mod n)·"),
    "one twiddle in time": ("iterative_inverse", "iT(r^(k-i), r^(k-i-1))", "T(r^(k-i), r^(k-i-1))"),
    "no factor of coefficients": ("twist_inverse", "D[j=0..n-1](-j·t/n)", "D[j=0..n-1](j·t/n)"),
}
"""The rule, a part of its right side, and what replaces it."""
BACK = ("rings_twist_inverse", "iterative_inverse", "twist_inverse")


def forget() -> None:
    """Forget what was read from formulas."""
    for read in (named_factors, transform_schedule):
        read.cache_clear()


@pytest.fixture(params=WRONG)
def wrong_rule(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a rule that is wrong during the test."""
    name, part, other = WRONG[request.param]
    rule = rules()[name]
    text = rule.text[1].replace(part, other)
    assert text != rule.text[1]
    monkeypatch.setitem(rules().found, name, replace(rule, right=parse(text)))  # type: ignore[attr-defined]
    forget()
    yield name
    forget()


def is_right(target: str, inverse: bool) -> bool:
    """Whether a negacyclic transform can be generated and passes verification."""
    try:
        on, n, bits = TARGETS[target]
        return bool(mg.ntt(n, modulus_bits=bits, negacyclic=True, target=on, inverse=inverse).verify())
    except mg.MomagenError as error:
        assert "formula" in str(error)
        return False


@pytest.mark.parametrize("target", TARGETS)
def test_with_a_wrong_rule_no_transform_is_verified(target: str, wrong_rule: str) -> None:
    inverse = wrong_rule in BACK
    used = not inverse or wrong_rule.startswith("rings") != (target in IN_TIME)
    assert is_right(target, inverse) != used


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_with_the_rules_as_they_are_it_is(target: str, inverse: bool) -> None:
    assert is_right(target, inverse)
