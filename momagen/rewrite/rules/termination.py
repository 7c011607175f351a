"""Termination: a rule may only produce narrower operations, lower-ranked ones of its own width, or its own operation on
a part of one argument, always the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.ir import OPS

from .evaluate import Evaluator, Operand
from .rule import Rule

Measure = tuple[int, int]
_WIDTH = 64


def measure(op: str, width: int) -> Measure:
    """What must fall at every rewriting: the widest result in bits, then the rank of the operation."""
    return width * OPS[op].spread, OPS[op].rank


@dataclass(frozen=True)
class _Part:
    """A part of an argument, after so many cuts; or any other number, of no argument."""

    argument: int = -1
    cuts: int = 0


_OTHER = _Part()


class _Recorder:
    """An algebra whose numbers do not matter; it writes down which operations are asked for, of which parts."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, Sequence[_Part]]] = []

    def emit(self, op: str, width: int, args: Sequence[_Part], k: int) -> Sequence[_Part]:
        self.asked.append((op, width, args))
        return [_OTHER] * len(OPS[op].results)

    def join(self, digits: Sequence[_Part], weight: int) -> _Part:
        return _OTHER

    def split(self, value: _Part, weight: int, count: int) -> Sequence[_Part]:
        return [_OTHER] * count

    def cut(self, value: _Part, weight: int) -> Sequence[_Part]:
        return [_Part(value.argument, value.cuts + 1)] * 2

    def const(self, number: int) -> _Part:
        return _OTHER

    def assume_below(self, value: _Part, factor: int, most: _Part, signed: bool) -> _Part:
        return value


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
    tops = {name: _WIDTH for names in rule.names for name in names}
    numbers = {**tops, "w": _WIDTH, "k": _WIDTH // 2, "word": _WIDTH, "h": _WIDTH}
    evaluator = Evaluator(recorder, _WIDTH, numbers, rule.where)
    _check_guard(rule, numbers)
    for at, (names, kind) in enumerate(zip(rule.names, OPS[rule.op].args, strict=True)):
        part = _Part(at) if len(names) == 1 else _OTHER
        evaluator.env.update({name: Operand(part, 1, kind == "f") for name in names})
    evaluator.run(rule.statements)
    for target in rule.targets:
        evaluator.lookup(target.name)
    own, shorter = measure(rule.op, rule.digits * _WIDTH), set(range(len(rule.patterns)))
    for op, width, args in recorder.asked:
        if measure(op, width) < own:
            continue
        shorter &= {at for at, arg in enumerate(args) if arg.argument == at and arg.cuts} if op == rule.op else set()
        if not shorter or measure(op, width) > own:
            text = f"{op} at {width // _WIDTH} digits in {rule.right!r}"
            raise MomagenError(f"only operations smaller than {rule.left!r} (rewriting must end)", text, rule.where)
