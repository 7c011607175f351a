"""Termination: a rule may only produce narrower operations, lower-ranked ones of its own width, or its own operation on
a part of one argument, always the same."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.ir import OPS

from .right_side import BELOW, CUT, RuleStep
from .rule import Rule

Part = tuple[int, int]
"""An argument, and how many times it was cut."""
OTHER: Part = (-1, 0)
"""Any other number, of no argument."""


def measure(op: str, digits: int) -> tuple[int, int]:
    """What must fall at every rewriting: the widest result in digits, then the rank of the operation."""
    return digits * OPS[op].spread, OPS[op].rank


def _parts(step: RuleStep, args: list[Part]) -> list[Part]:
    if step.what == CUT:
        return [(args[0][0], args[0][1] + 1)] * 2
    return args[:1] if step.what == BELOW else [OTHER] * step.results


def check_shrinks(rule: Rule) -> None:
    """Refuse a rule whose right-hand side asks for an operation that is not smaller, or does not define its results.

    Raises:
        MomagenError: naming file, rule and text.
    """
    own, shorter = measure(rule.op, rule.digits), set(range(len(rule.patterns)))
    parts: list[Part] = [(at, 0) for at in sorted(shorter)]
    for step in rule.side.steps:
        args = [parts[at] for at in step.args]
        parts += _parts(step, args)
        if step.what not in OPS or (size := measure(step.what, step.digits)) < own:
            continue
        same = {at for at, (argument, cuts) in enumerate(args) if argument == at and cuts}
        shorter &= same if step.what == rule.op else set()
        if not shorter or size > own:
            text = f"{step.what} at {step.digits} digits in {rule.right!r}"
            raise MomagenError(f"only operations smaller than {rule.left!r} (rewriting must end)", text, rule.where)
    _check_guard(rule)


def _check_guard(rule: Rule) -> None:
    try:
        rule.guard.holds(rule.side.numbers)
    except KeyError as missing:
        known = ", ".join(rule.side.numbers)
        raise MomagenError(f"one of {known} in “{rule.guard.text}”", missing.args[0], rule.where) from None
