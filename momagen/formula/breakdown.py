"""Breakdown: a transform expanded by the rules of rules/breakdown.toml until only small kernels remain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from momagen.errors import MomagenError

from .atoms import Scale
from .breakdown_rules import BreakdownRule, rules
from .expression import Compose, Formula, Join
from .instantiate import Visit, size_name
from .syntax import LeafCall
from .transforms import NTT, RADICES, Ring, Transform

Choice = tuple[str, int]
"""The rule's name and the radix r (ignored by rules without r)."""

Choose = Callable[[Transform], Choice | None]
"""How to break a transform down; None keeps it as a kernel."""


def specification(n: int, turn: Fraction = Fraction(0), *, inverse: bool = False, natural: bool = False) -> Formula:
    """The transform modulo x^n − e(turn) (0: cyclic, 1/2: negacyclic), the inverse with its 1/n.

    Forward: natural order in, bit-reversed out; inverse: the reverse; ``natural``: natural order both ways.
    """
    core = NTT(n, inverse, turn) if natural else Ring(n, turn, inverse)
    return Compose(Scale(n), core) if inverse else core


def expand(formula: Formula, choose: Choose) -> Formula:
    """``formula`` with every transform broken down as ``choose`` says, until it answers None.

    What a rule writes with its bare radix as the size, NTT(r) or Ring(r, …), is a kernel and not asked for, as long as
    r is one of RADICES. Raises MomagenError for a rule that does not apply, a choice that goes in a circle, and a
    transform outside RADICES that is kept.
    """
    if isinstance(formula, Join):
        return type(formula)(*(expand(part, choose) for part in formula.parts))
    return _expand(formula, choose, ()) if isinstance(formula, Transform) else formula


def _expand(node: Transform, choose: Choose, above: tuple[Transform, ...]) -> Formula:
    choice = choose(node)
    if choice is None and node.n not in RADICES:
        raise MomagenError(f"a rule for {node}, or a kernel of size {_sizes()}", "no choice", "breakdown")
    if node in above:
        raise MomagenError("a breakdown that ends", f"{node} within itself", "breakdown", " → ".join(map(str, above)))
    return _named(choice[0]).rewrite(node, choice[1], _descend(choose, (*above, node))) if choice else node


def _descend(choose: Choose, above: tuple[Transform, ...]) -> Visit:
    def visit(leaf: Formula, call: LeafCall) -> Formula:
        if not isinstance(leaf, Transform) or (size_name(call) == "r" and leaf.n in RADICES):
            return leaf
        return _expand(leaf, choose, above)

    return visit


class Derivation(NamedTuple):
    """One application of a rule: ``node`` = ``formula``, where transforms may be left."""

    rule: BreakdownRule
    node: Transform
    formula: Formula


def derivation(formula: Formula, choose: Choose) -> list[Derivation]:
    """The applications of rules that :func:`expand` makes of ``formula``, each once, the first one first."""
    found, left = list[Derivation](), _transforms(formula)
    while left:
        node = left.pop(0)
        if node in {each.node for each in found} or (choice := choose(node)) is None:
            continue
        more = list[Transform]()

        def visit(leaf: Formula, call: LeafCall, more: list[Transform] = more) -> Formula:
            if isinstance(leaf, Transform) and not (size_name(call) == "r" and leaf.n in RADICES):
                more.append(leaf)
            return leaf

        rule = _named(choice[0])
        found.append(Derivation(rule, node, rule.rewrite(node, choice[1], visit)))
        left = more + left
    return found


def _transforms(formula: Formula) -> list[Transform]:
    parts = formula.parts if isinstance(formula, Join) else (formula,)
    return [node for node in parts if isinstance(node, Transform)]


def _named(name: str) -> BreakdownRule:
    if name not in rules():
        raise MomagenError(f"one of {', '.join(rules())}", name, "breakdown rule")
    return rules()[name]


def applicable(node: Transform, radix: int) -> list[BreakdownRule]:
    """The rules that can break ``node`` down at this radix: the choices open to a search."""
    return [rule for rule in rules().values() if rule.match(node, radix) is not None]


def plan(names: Sequence[str], radices: Sequence[int]) -> Choose:
    """A choice from a list: at each size the first of the rules ``names`` that applies, at the next of ``radices``.

    The radices multiply to the size of the transform; the last is what remains as a kernel. rings_split and rings_merge
    alone treat all blocks of a stage at once, in no time at any n; ring_split and ring_merge write out every block.
    """
    if not radices or any(radix not in RADICES for radix in radices):
        raise MomagenError(f"radices {_sizes()}", list(radices), "breakdown plan")
    radix_at = {prod(radices[i:]): radix for i, radix in enumerate(radices[:-1])}

    def choose(node: Transform) -> Choice | None:
        radix = radix_at.get(node.n, 0)
        return next(((name, radix) for name in names if radix and _named(name).match(node, radix) is not None), None)

    return choose


def _sizes() -> str:
    return ", ".join(map(str, RADICES))
