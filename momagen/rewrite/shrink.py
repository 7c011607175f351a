"""Termination: a rule may only produce narrower operations, or lower-ranked ones of its own width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from momagen.errors import MomagenError
from momagen.ir import OPS

from .evaluate import Evaluator, Operand
from .rules import Rule, names_of

Measure = tuple[int, int]
_WIDTH = 64


def measure(op: str, width: int) -> Measure:
    """What must fall at every rewriting: the widest result in bits, then the rank of the operation."""
    return width * OPS[op].spread, OPS[op].rank


class _Recorder:
    """An algebra whose numbers do not matter; it writes down which operations are asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def emit(self, op: str, width: int, args: Sequence[int], k: int) -> Sequence[int]:
        self.asked.append((op, width))
        return [0] * len(OPS[op].results)

    def join(self, digits: Sequence[int], weight: int) -> int:
        return 0

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        return [0] * count

    def const(self, number: int) -> int:
        return 0

    def assume_below(self, value: int, factor: int, other: int) -> int:
        return 0


def _check_guard(rule: Rule, numbers: Mapping[str, int]) -> None:
    try:
        rule.guard.holds(numbers)
    except KeyError as missing:
        raise MomagenError(f"one of {', '.join(numbers)} in “{rule.guard.text}”", missing.args[0], rule.where) from None


def check_shrinks(rule: Rule) -> None:
    """Refuse a rule whose right-hand side asks for an operation that is not smaller, or does not define its results.

    Raises:
        MomagenError: naming file, rule and text.
    """
    recorder = _Recorder()
    tops = {name: _WIDTH for pattern in rule.patterns for name in names_of(pattern)}
    numbers = {**tops, "w": _WIDTH, "k": _WIDTH // 2, "word": _WIDTH}
    evaluator = Evaluator(recorder, _WIDTH, numbers, rule.where)
    _check_guard(rule, numbers)
    for pattern, kind in zip(rule.patterns, OPS[rule.op].args, strict=True):
        evaluator.env.update({name: Operand(0, 1, kind == "f") for name in names_of(pattern)})
    evaluator.run(rule.body)
    for target in rule.targets:
        evaluator.lookup(target.name)
    own = measure(rule.op, rule.digits * _WIDTH)
    for op, width in recorder.asked:
        if measure(op, width) >= own:
            text = f"{op} at {width // _WIDTH} digits in {rule.right!r}"
            raise MomagenError(f"only operations smaller than {rule.left!r} (rewriting must end)", text, rule.where)
