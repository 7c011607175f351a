"""Proves a rule: its right-hand side, on Python integers, against the meaning of the operation on its left."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import chain

from momagen.ir import OPS
from momagen.rewrite.lanes.carry_lookahead import ACROSS
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.rule import Rule

from .cases import Case, edge_cases, every_case, random_cases
from .integers import BrokenError, Integers, Loose, LooseIntegers, hexes

__all__ = ["RuleError", "check_rule", "check_slack"]


class RuleError(AssertionError):
    """A rule disproved.

    Args:
        inputs: the rule, and the values of its arguments. broken: what came of them.

    Attributes:
        wanted, got: what was expected, and what came instead.
    """

    def __init__(self, inputs: str, broken: BrokenError) -> None:
        self.inputs, self.wanted, self.got = inputs, broken.wanted or "a correct right-hand side", broken.got
        super().__init__(f"{inputs}: {broken}")


def _lane(w: int) -> int:
    """Bits of a word such that a number of w bits has several, and no fewer words than a word has bits."""
    return max(d for d in range(1, w) if w % d == 0 and d * d <= w)


class Proof:
    """One rule at one digit width; with ``rng`` only whole numbers are right in it, not their digits."""

    def __init__(self, rule: Rule, w: int, rng: random.Random | None = None) -> None:
        self.rule, self.w, self.width, self.row, self.rng = rule, w, rule.digits * w, OPS[rule.op], rng
        words = rule.digits == 1 or "w = word" in rule.guard.text
        several = rule.choice == ACROSS or any(text in rule.guard.text for text in ("w / word", "2^h"))
        self.word = _lane(w) if several else w if words else 1
        self.held = w // self.word // 2 * self.word if several else w
        self.single = [(found[0], i) for i, found in enumerate(rule.names) if len(found) == 1]
        self.free = {i for _, i in self.single if rng and self.row.args[i] == "i"}

    def numbers(self, k: int, args: Sequence[int]) -> dict[str, int]:
        """What distances may name."""
        given = {name: args[i] for name, i in self.single if self.row.args[i] == "n"}
        shape = self.rule.shape
        known = (shape.of(args[self.rule.shaped]) if shape else None) or {}
        return {"w": self.w, "k": k, "word": self.word, "h": self.held, **given, **known}

    def applies(self, k: int, args: Sequence[int]) -> bool:
        """Whether the guard holds, with intervals as tight as they can be, and the operation promises something."""
        tops = {name: args[i] for name, i in self.single}
        if self.rule.shape and self.rule.shape.of(args[self.rule.shaped]) is None:
            return False
        return self.rule.guard.holds({**tops, **self.numbers(k, args)}) and self.row.requires(self.width, k, *args)

    def algebra(self, high: int) -> Integers:
        return LooseIntegers(high, self.rule.op == "mullo", self.rng) if self.rng else Integers(high)

    def tried(self, cases: Iterable[Case], times: int = 1) -> int:
        """How many of these inputs the rule was tried on; all were right.

        Raises:
            RuleError: it is wrong; the message names it and the inputs.
        """
        count = 0
        for k, args in cases:
            if self.applies(k, args):
                for _ in range(times):
                    self.run(k, args)
                count += 1
        return count

    def run(self, k: int, args: Sequence[int]) -> None:
        numbers, high, lazy = self.numbers(k, args), 0, 0
        args = [Loose(arg) if at in self.free else arg for at, arg in enumerate(args)]
        try:
            while not high >> lazy:
                algebra = self.algebra(high)
                self.check(k, args, tuple(evaluate(self.rule, algebra, self.w, numbers, args)))
                high, lazy = high + 1, algebra.lazy
        except BrokenError as broken:
            named = [f"{pattern} = {arg:#x}" for pattern, arg in zip(self.rule.patterns, args, strict=True)]
            inputs = f"{self.rule.where}, at w = {self.w}, k = {k}, {', '.join(named)}"
            raise RuleError(inputs, broken) from None

    def check(self, k: int, args: Sequence[int], got: tuple[int, ...]) -> None:
        """Refuse results that are not what the operation means."""
        if self.rng and self.rule.op in ("mullo", "mul"):
            total = got[-1] + (got[0] << self.width) * (len(got) - 1)
            got = (total >> self.width, total % (1 << self.width))[-len(got) :]
        wanted = self.row.meaning(self.width, k, *args)
        if not (self.row.agrees(self.width, k, tuple(args), got) if self.row.agrees else got == wanted):
            raise BrokenError(hexes(got), f"{self.row.notation} = {hexes(wanted)}")


def check_rule(rule: Rule, w: int, *, exhaustive: bool, rng: random.Random, count: int) -> int:
    """How many inputs the rule was tried on, at digits of ``w`` bits; all were right.

    Args:
        exhaustive: every input that the operation takes and the guard lets through; otherwise every combination of
            edges and ``count`` random inputs.

    Raises:
        RuleError: the rule is wrong; the message names it and the inputs.
    """
    op, digits = rule.op, rule.digits
    drawn = chain(edge_cases(op, digits, w), random_cases(op, digits, w, rng, count))
    return Proof(rule, w).tried(every_case(op, digits, w) if exhaustive else drawn)


def check_slack(rule: Rule, w: int, rng: random.Random, times: int) -> int:
    """How many inputs of digits of ``w`` bits the rule was tried on, each ``times`` times with other digits inside: a
    splitting rule bears digits with slack (``digits.slack``) where numbers are right though their digits are not.

    Raises:
        RuleError: it does not bear them; the message names the rule and the inputs.
    """
    return Proof(rule, w, rng).tried(every_case(rule.op, rule.digits, w), times)
