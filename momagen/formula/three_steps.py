"""Transforms by matrices of given sizes: three steps again and again, each of which leaves a matrix and a rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .atoms import I
from .breakdown import DENSE, FLOWS, Derivation, named_rule
from .expression import Compose, Formula, Join, Tensor
from .transforms import Ring, Transform


class Factored(NamedTuple):
    """A formula whose transforms are matrices, and the applications of rules that made it, the first one first."""

    formula: Formula
    derivation: Sequence[Derivation]


def by_factors(formula: Formula, factors: Sequence[int]) -> Factored:
    """``formula``, whose transforms have as many points as the product of ``factors``, by matrices of so many points.

    The vector is an array of R × C × … in the order of rows. Forward, the matrix of R points acts first, along the
    first axis; an inverse transform goes back. What is left is no transform of its size alone, as C·D may be R.
    """
    if isinstance(formula, Transform):
        return _broken_down(formula, factors)
    if not isinstance(formula, Join):
        return Factored(formula, [])
    return _joined(formula, [by_factors(part, factors) for part in formula.parts])


def _broken_down(node: Transform, factors: Sequence[int]) -> Factored:
    if isinstance(node, Ring) and len(factors) == 1:
        return Factored(node, [])
    rules = (named_rule(name) for name in FLOWS[DENSE].rules)
    rule = next(rule for rule in rules if rule.match(node, factors[0]) is not None)
    made = rule.rewrite(node, factors[0])
    assert isinstance(made, Compose), "rules of these steps are products"
    whole = _joined(made, [_part(each, factors) for each in made.parts])
    return Factored(whole.formula, [Derivation(rule, node, made), *whole.derivation])


def _part(part: Formula, factors: Sequence[int]) -> Factored:
    """A factor of what a rule makes: a transform in another order, a rest in every block, or nothing to break down."""
    match part:
        case Transform():
            return _broken_down(part, factors)
        case Tensor(parts=(I() as blocks, Transform() as rest)):
            inner = _broken_down(rest, factors[1:])
            return Factored(Tensor(blocks, inner.formula), inner.derivation)
    return Factored(part, [])


def _joined(formula: Join, parts: Sequence[Factored]) -> Factored:
    return Factored(
        type(formula)(*(each.formula for each in parts)), [one for each in parts for one in each.derivation]
    )
