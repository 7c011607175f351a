"""Transforms by matrices of given sizes are the transform, whichever the factors."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from support.formulas import RingContext, apply

from momagen.formula.atoms import I
from momagen.formula.breakdown import specification
from momagen.formula.expression import Compose, Tensor
from momagen.formula.factors import stages
from momagen.formula.instantiate import formula
from momagen.formula.three_steps import by_factors
from momagen.formula.transforms import Ring, Transform, digit_reversal

Q, N = 7681, 256
PSI = next(w for w in (pow(g, (Q - 1) // (2 * N), Q) for g in range(2, Q)) if pow(w, N, Q) == Q - 1)
FIELD = RingContext(Q, PSI, 2 * N)
FACTORS = [(4, 64), (64, 4), (2, 128), (16, 16), (16, 4, 4), (4, 4, 16), (4, 2, 2, 16), (2,) * 8, (256,)]
HALF = Fraction(1, 2)


@pytest.mark.parametrize("factors", FACTORS, ids=str)
@pytest.mark.parametrize(("turn", "natural"), [(Fraction(0), False), (HALF, False), (HALF, True)])
def test_factors_give_values_at_roots_and_the_inverse_goes_back(
    factors: tuple[int, ...], turn: Fraction, natural: bool
) -> None:
    rng = Random(str(factors))
    x = [rng.randrange(Q) for _ in range(N)]
    places = [i if natural else digit_reversal(i, N) for i in range(N)]
    points = [pow(PSI, int((turn + k) * 2), Q) for k in places]
    y = [sum(a * pow(point, j, Q) for j, a in enumerate(x)) % Q for point in points]
    forward, back = (by_factors(specification(N, turn, inverse=i, natural=natural), factors) for i in (False, True))
    assert apply(forward.formula, x, FIELD) == y and apply(back.formula, y, FIELD) == x
    for found, order in ((forward, factors), (back, factors[::-1])):
        cores = [stage.core for stage in stages(found.formula, dense=True)]
        assert [core.n for core in cores if isinstance(core, Transform)] == [*order]
        assert len(found.derivation) == len(factors) - 1 + natural


def test_what_is_left_is_told_from_a_matrix_of_the_same_size() -> None:
    found = by_factors(Ring(16, Fraction(0)), (4, 2, 2))
    assert isinstance(found.formula, Compose)
    rest, _, matrix = found.formula.parts
    assert isinstance(rest, Tensor) and rest.parts[0] == I(4) and rest.parts[1].size == 4
    assert matrix == formula("Ring(4, 0) ⊗ I(4)") and rest.parts[1] != Ring(4, Fraction(0))
    assert [(each.rule.name, str(each.node)) for each in found.derivation] == [
        ("three_step", "Ring(16, 0)"), ("three_step", "Ring(4, 0)")
    ]  # fmt: skip
