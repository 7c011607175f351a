"""Proves a rule: its right-hand side, on Python integers, against the meaning of the operation on its left.

The right-hand side is run once per width as a *tape* of integer functions, then replayed on every input. Each operation
on the tape is watched: its arguments fit, and what it requires holds. Where an operation may answer lazily, the tape
answers with either extreme, so a rule that trusts more than is promised fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from momagen.ir import OPS

from .cases import Case, edge_cases, every_case, random_cases
from .composites import COMPOSITES
from .evaluate import Evaluator, Operand, results_of
from .identity import check_identity
from .rules import Rule, names_of

__all__ = ["RuleError", "Tape", "check_identity", "check_rule"]

Function = Callable[..., Sequence[int]]

LAZY: dict[str, Callable[..., range]] = {
    "shoup": lambda w, k, y, v, vq, q: range(y * v % q, 2 * k * q, q),
    "mulhi_about": lambda w, k, a, b: range(max(0, (a * b >> w) - 2 * (k - 1)), (a * b >> w) + 1),
}
"""All that an operation may answer, in order, where its meaning is only one of several."""


class RuleError(AssertionError):
    """A rule disproved: the rule, the inputs, what came and what was expected."""


class _BrokenError(Exception):
    """A step of a tape went wrong on these inputs."""


class Tape:
    """An algebra whose values are slots: it records a right-hand side, and runs it on integers again and again."""

    def __init__(self) -> None:
        self.slots = self.inputs = self.lazy = self.high = 0
        self.steps: list[tuple[Function, tuple[int, ...]]] = []

    def input(self) -> int:
        """A slot for an argument; all are taken before the first step."""
        self.inputs += 1
        return self._take(1)[0]

    def run(self, args: Sequence[int], high: int) -> list[int]:
        """All slots for these arguments; bit i of ``high`` asks the i-th lazy operation for its greatest answer.

        Raises:
            _BrokenError: an operation was asked for what it does not promise.
        """
        self.high = high
        known = list(args)
        for function, slots in self.steps:
            known.extend(function(*[known[slot] for slot in slots]))
        return known

    def _take(self, count: int) -> tuple[int, ...]:
        self.slots += count
        return tuple(range(self.slots - count, self.slots))

    def _step(self, function: Function, args: Sequence[int], results: int) -> tuple[int, ...]:
        self.steps.append((function, tuple(args)))
        return self._take(results)

    def emit(self, op: str, width: int, args: Sequence[int], k: int) -> Sequence[int]:
        return self._step(_watched(op, width, k, self._answer(op, width, k)), args, len(OPS[op].results))

    def _answer(self, op: str, width: int, k: int) -> Function:
        meaning = OPS[op].meaning
        if op not in LAZY:
            return lambda *args: meaning(width, k, *args)
        options, at = LAZY[op], self.lazy
        self.lazy += 1
        return lambda *args: (options(width, k, *args)[-(self.high >> at & 1)],)

    def join(self, digits: Sequence[int], weight: int) -> int:
        def joined(*parts: int) -> tuple[int]:
            total = 0
            for part in parts:
                total = (total << weight) + part
            return (total,)

        return self._step(joined, digits, 1)[0]

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        mask, shifts = (1 << weight) - 1, range(weight * (count - 1), -1, -weight)

        def parts(number: int) -> list[int]:
            if number >> weight * count:
                raise _BrokenError(f"{number:#x} does not fit {count} digits of {weight} bits")
            return [number >> shift & mask for shift in shifts]

        return self._step(parts, (value,), count)

    def const(self, number: int) -> int:
        return self._step(lambda: (number,), (), 1)[0]

    def assume_below(self, value: int, factor: int, other: int) -> int:
        def checked(number: int, bound: int) -> tuple[int]:
            if number >= factor * bound:
                raise _BrokenError(f"the assumption {number:#x} < {factor}·{bound:#x} is wrong")
            return (number,)

        return self._step(checked, (value, other), 1)[0]


def _watched(op: str, width: int, k: int, answer: Function) -> Function:
    """``answer``, refusing arguments that do not fit or for which the operation promises nothing."""
    if k < 0:
        raise _BrokenError(f"{op} by {k} bits")
    requires = OPS[op].requires if op in COMPOSITES else None

    def function(*args: int) -> Sequence[int]:
        if max(args) >> width or min(args) < 0:
            raise _BrokenError(f"{op} at {width} bits of {_hex(args)}, which does not fit")
        if requires is not None and not requires(width, k, *args):
            raise _BrokenError(f"{op} at {width} bits of {_hex(args)}, which it does not take")
        return answer(*args)

    return function


def _hex(numbers: Sequence[int]) -> str:
    return "(" + ", ".join(map(hex, numbers)) + ")"


class _Proof:
    """One rule at one digit width; a tape per distance k, as distances are part of a tape."""

    def __init__(self, rule: Rule, w: int) -> None:
        self.rule, self.w, self.width, self.row = rule, w, rule.digits * w, OPS[rule.op]
        self.word = w if rule.word_level or rule.digits == 1 else 1
        self.tapes: dict[int, tuple[Tape, list[int]]] = {}

    def numbers(self, k: int) -> dict[str, int]:
        return {"w": self.w, "k": k, "word": self.word}

    def applies(self, k: int, args: Sequence[int]) -> bool:
        """Whether the guard holds, with intervals as tight as they can be, and the operation promises something."""
        pairs = zip(self.rule.patterns, args, strict=True)
        tops = {names_of(pattern)[0]: arg for pattern, arg in pairs if len(names_of(pattern)) == 1}
        return self.rule.guard.holds({**tops, **self.numbers(k)}) and self.row.requires(self.width, k, *args)

    def tape(self, k: int) -> tuple[Tape, list[int]]:
        if k not in self.tapes:
            self.tapes[k] = self._record(k)
        return self.tapes[k]

    def _record(self, k: int) -> tuple[Tape, list[int]]:
        tape = Tape()
        evaluator = Evaluator(tape, self.w, self.numbers(k), self.rule.where)
        slots = [tape.input() for _ in self.rule.patterns]
        for pattern, kind, slot in zip(self.rule.patterns, self.row.args, slots, strict=True):
            names = names_of(pattern)
            parts = tape.split(slot, self.w, len(names)) if len(names) > 1 else [slot]
            evaluator.env.update({n: Operand(p, 1, kind == "f") for n, p in zip(names, parts, strict=True)})
        evaluator.run(self.rule.body)
        return tape, results_of(self.rule, evaluator)

    def check(self, k: int, args: tuple[int, ...]) -> None:
        try:
            tape, results = self.tape(k)
            for high in range(1 << tape.lazy):
                known = tape.run(args, high)
                self._compare(k, args, tuple(known[slot] for slot in results))
        except _BrokenError as broken:
            raise RuleError(f"{self._inputs(k, args)}: {broken}") from None

    def _compare(self, k: int, args: tuple[int, ...], got: tuple[int, ...]) -> None:
        wanted = self.row.meaning(self.width, k, *args)
        agrees = self.row.agrees(self.width, k, args, got) if self.row.agrees else got == wanted
        if not agrees:
            raise RuleError(f"{self._inputs(k, args)}: expected {self.row.notation} = {_hex(wanted)}, got {_hex(got)}")

    def _inputs(self, k: int, args: Sequence[int]) -> str:
        named = [f"{self.rule.patterns[i]} = {arg:#x}" for i, arg in enumerate(args)]
        return f"{self.rule.where}, at w = {self.w}, k = {k}, {', '.join(named)}"


def check_rule(rule: Rule, w: int, *, exhaustive: bool, rng: random.Random, count: int) -> int:
    """How many inputs the rule was tried on, at digits of ``w`` bits; all were right.

    Args:
        exhaustive: every input that the operation takes and the guard lets through; otherwise every combination of
            edges and ``count`` random inputs.

    Raises:
        RuleError: the rule is wrong; the message names it and the inputs.
    """
    proof, tried = _Proof(rule, w), 0
    for k, args in _cases(rule, w, exhaustive, rng, count):
        if proof.applies(k, args):
            proof.check(k, args)
            tried += 1
    return tried


def _cases(rule: Rule, w: int, exhaustive: bool, rng: random.Random, count: int) -> Iterator[Case]:
    if exhaustive:
        return every_case(rule.op, rule.digits, w)
    return chain(edge_cases(rule.op, rule.digits, w), random_cases(rule.op, rule.digits, w, rng, count))
