"""Evaluates the right-hand side of a rule over any algebra: IR values, Python integers, or polynomials in z = 2^w."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.syntax import Assume

from .right_side import BELOW, CUT, JOIN, NONE, OTHERS, SPLIT, RuleStep, right_side
from .rule import Rule

T = TypeVar("T")


class Algebra(Protocol[T]):
    """What a right-hand side needs of its numbers."""

    def emit(self, op: str, width: int, *args: T, k: int) -> Sequence[T]: ...
    def join(self, digits: Sequence[T], weight: int) -> T: ...
    def split(self, value: T, weight: int, count: int) -> Sequence[T]: ...
    def cut(self, value: T, weight: int) -> Sequence[T]:
        """h and l of a number h·2^weight + l of any size and sign."""

    def const(self, number: int) -> T: ...
    def assume(self, fact: Assume, value: T, most: T) -> T:
        """``value``, bounded by ``most`` as ``fact`` says."""


def evaluate(rule: Rule, algebra: Algebra[T], unit: int, numbers: Mapping[str, int], args: Sequence[T]) -> list[T]:
    """The results of a rule's operation on ``args``; ``unit`` is the width of one digit in bits.

    Args:
        numbers: what the rule's distances name beside the digit's width w.
    """
    numbers, values = {**numbers, "w": unit}, list(args)
    side = right_side(rule, tuple([number(count, numbers) for count in rule.repeats]))
    for step in side.steps:
        found = 0
        if step.number is not NONE:
            numbers["i"] = step.turn
            found = number(step.number, numbers)
        taken = [values[at] for at in step.args]
        if step.what in OTHERS:
            values += _other(step, algebra, unit, found, taken)
        else:
            values += algebra.emit(step.what, step.digits * unit, *taken, k=found)
    return [values[at] for at in side.results]


def _other(step: RuleStep, algebra: Algebra[T], unit: int, found: int, args: list[T]) -> Sequence[T]:
    """The results of a step that is no operation."""
    what = step.what
    if what == JOIN:
        return [algebra.join(args, unit)]
    if what == SPLIT:
        return algebra.split(args[0], unit, step.results)
    if what == BELOW:
        assert step.fact is not None
        return [algebra.assume(step.fact, *args)]
    if what == CUT:
        return algebra.cut(args[0], found)
    return [algebra.const(found)]
