"""The breakdown of transforms into matrices of given sizes by repeated application of the three-step rule.

Each application splits off one matrix and leaves a smaller transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .atoms import I
from .breakdown import DENSE, FLOWS, Derivation, named_rule
from .expression import Compose, Formula, Join, Tensor
from .transforms import Ring, Transform


class Factored(NamedTuple):
    """A formula whose transforms are dense matrices.

    Attributes:
        formula: The formula.
        derivation: The applications of rules that led to it, the first one first.
    """

    formula: Formula
    derivation: Sequence[Derivation]


def by_factors(formula: Formula, factors: Sequence[int]) -> Factored:
    """Return a formula with its transforms broken down into matrices of the given sizes.

    The vector is regarded as a row-major array of shape R × C × …. A forward transform first applies the
    matrix of R points along the first axis; an inverse transform applies it last. The sizes must be passed,
    because the size of a remaining transform does not determine its factors: C·D may equal R.

    Args:
        formula: The formula. Each of its transforms has as many points as the product of ``factors``.
        factors: The sizes R, C, … of the matrices.
    """
    if isinstance(formula, Transform):
        return _broken_down(formula, factors)
    if not isinstance(formula, Join):
        return Factored(formula, [])
    return _joined(formula, [by_factors(part, factors) for part in formula.parts])


def _broken_down(node: Transform, factors: Sequence[int]) -> Factored:
    """Return a transform as a product of matrices whose sizes are ``factors``."""
    if isinstance(node, Ring) and len(factors) == 1:
        return Factored(node, [])
    rules = (named_rule(name) for name in FLOWS[DENSE].rules)
    rule = next(rule for rule in rules if rule.match(node, factors[0]) is not None)
    made = rule.rewrite(node, factors[0])
    assert isinstance(made, Compose), "rules of these steps are products"
    whole = _joined(made, [_part(each, factors) for each in made.parts])
    return Factored(whole.formula, [Derivation(rule, node, made), *whole.derivation])


def _part(part: Formula, factors: Sequence[int]) -> Factored:
    """Return one factor of the right side of a rule, with its transform broken down if it has one.

    The transform either has another order or is the remainder in each block; all other factors stay
    unchanged.
    """
    match part:
        case Transform():
            return _broken_down(part, factors)
        case Tensor(parts=(I() as blocks, Transform() as rest)):
            inner = _broken_down(rest, factors[1:])
            return Factored(Tensor(blocks, inner.formula), inner.derivation)
    return Factored(part, [])


def _joined(formula: Join, parts: Sequence[Factored]) -> Factored:
    """Return the parts of a formula joined as in ``formula``, with all their derivations in order."""
    return Factored(
        type(formula)(*(each.formula for each in parts)), [one for each in parts for one in each.derivation]
    )
