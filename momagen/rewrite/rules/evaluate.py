"""The evaluation of rules over any algebra: values of a block, Python integers, or polynomials in z = 2^w."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.syntax import Assume

from .right_side import BELOW, CUT, JOIN, NONE, OTHERS, SPLIT, RuleStep, right_side
from .rule import Rule

T = TypeVar("T")


class Algebra(Protocol[T]):
    """The operations on numbers that the evaluation of a rule needs."""

    def emit(self, op: str, width: int, *args: T, k: int) -> Sequence[T]:
        """Return the results of an operation."""

    def join(self, digits: Sequence[T], weight: int) -> T:
        """Return the number whose limbs of ``weight`` bits are ``digits``, the high one first."""

    def split(self, value: T, weight: int, count: int) -> Sequence[T]:
        """Return ``count`` limbs of ``weight`` bits, the high one first."""

    def cut(self, value: T, weight: int) -> Sequence[T]:
        """Return h and l for a number h·2^weight + l of any size and sign."""

    def const(self, number: int) -> T:
        """Return an integer as a number of the algebra."""

    def assume(self, fact: Assume, value: T, most: T) -> T:
        """Return ``value`` with the bound ``most``, which the theorem ``fact`` proves."""


def evaluate(rule: Rule, algebra: Algebra[T], unit: int, numbers: Mapping[str, int], args: Sequence[T]) -> list[T]:
    """Return the results of the operation that a rule replaces.

    Args:
        rule: The rule.
        algebra: The algebra in which its steps are computed.
        unit: The width of one limb in bits.
        numbers: The values of the names that distances use, except the limb width w.
        args: The arguments of the operation.
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
    """Return the results of a step that is not an operation."""
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
