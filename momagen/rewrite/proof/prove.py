"""The test of a rule on Python integers, which compares its right-hand side with the operation's meaning."""

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
    """An incorrect rule.

    Args:
        inputs: The rule and the values of its arguments.
        broken: The error that they lead to.

    Attributes:
        inputs: The rule and the values of its arguments.
        wanted: The expected result.
        got: The actual result, or a description of the error.
    """

    def __init__(self, inputs: str, broken: BrokenError) -> None:
        self.inputs, self.wanted, self.got = inputs, broken.wanted or "a correct right-hand side", broken.got
        super().__init__(f"{inputs}: {broken}")


def _lane(w: int) -> int:
    """Return the number of bits of a word such that w bits have at least as many words as a word has bits."""
    return max(d for d in range(1, w) if w % d == 0 and d * d <= w)


class Proof:
    """The test of one rule at one limb width.

    Attributes:
        rule: The rule.
        w: The limb width in bits.
        width: The width of the operation in bits.
        row: The operation.
        rng: If it is not None, limbs may have any size and sign, and only whole numbers are compared.
        word: The bits of a machine word.
        held: The bits of the words that hold a factor, called h in rules.
        single: The name and the index of each argument of one limb.
        free: The indices of arguments that may have limbs of any size and sign.
    """

    def __init__(self, rule: Rule, w: int, rng: random.Random | None = None) -> None:
        self.rule, self.w, self.width, self.row, self.rng = rule, w, rule.digits * w, OPS[rule.op], rng
        words = rule.digits == 1 or "w = word" in rule.guard.text
        several = rule.choice == ACROSS or any(text in rule.guard.text for text in ("w / word", "2^h"))
        self.word = _lane(w) if several else w if words else 1
        self.held = w // self.word // 2 * self.word if several else w
        self.single = [(found[0], i) for i, found in enumerate(rule.names) if len(found) == 1]
        self.free = {i for _, i in self.single if rng and self.row.args[i] == "i"}

    def numbers(self, k: int, args: Sequence[int]) -> dict[str, int]:
        """Return the values of the names that distances may use."""
        given = {name: args[i] for name, i in self.single if self.row.args[i] == "n"}
        shape = self.rule.shape
        known = (shape.of(args[self.rule.shaped]) if shape else None) or {}
        return {"w": self.w, "k": k, "word": self.word, "h": self.held, **given, **known}

    def applies(self, k: int, args: Sequence[int]) -> bool:
        """Return whether the rule applies to arguments and the precondition of its operation holds."""
        tops = {name: args[i] for name, i in self.single}
        if self.rule.shape and self.rule.shape.of(args[self.rule.shaped]) is None:
            return False
        return self.rule.guard.holds({**tops, **self.numbers(k, args)}) and self.row.requires(self.width, k, *args)

    def algebra(self, high: int) -> Integers:
        """Return an algebra whose selection of results is ``high``."""
        return LooseIntegers(high, self.rule.op == "mullo", self.rng) if self.rng else Integers(high)

    def tried(self, cases: Iterable[Case], times: int = 1) -> int:
        """Test the rule on inputs, and return how many of them it applies to.

        Args:
            cases: The inputs.
            times: The number of evaluations for each of them.

        Raises:
            RuleError: The rule is incorrect.
        """
        count = 0
        for k, args in cases:
            if self.applies(k, args):
                for _ in range(times):
                    self.run(k, args)
                count += 1
        return count

    def run(self, k: int, args: Sequence[int]) -> None:
        """Test the rule on one input, with all combinations of extreme results."""
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
        """Check results against the meaning of the operation."""
        if self.rng and self.rule.op in ("mullo", "mul"):
            total = got[-1] + (got[0] << self.width) * (len(got) - 1)
            got = (total >> self.width, total % (1 << self.width))[-len(got) :]
        wanted = self.row.meaning(self.width, k, *args)
        if not (self.row.agrees(self.width, k, tuple(args), got) if self.row.agrees else got == wanted):
            raise BrokenError(hexes(got), f"{self.row.notation} = {hexes(wanted)}")


def check_rule(rule: Rule, w: int, *, exhaustive: bool, rng: random.Random, count: int) -> int:
    """Test a rule on inputs, and return how many of them it applies to.

    Args:
        rule: The rule.
        w: The limb width in bits.
        exhaustive: Whether to test all valid inputs to which the rule applies. Otherwise, all combinations of
            edge cases and some random inputs are tested.
        rng: The source of the random inputs.
        count: The number of random inputs.

    Raises:
        RuleError: The rule is incorrect. The message names it and the inputs.
    """
    op, digits = rule.op, rule.digits
    drawn = chain(edge_cases(op, digits, w), random_cases(op, digits, w, rng, count))
    return Proof(rule, w).tried(every_case(op, digits, w) if exhaustive else drawn)


def check_slack(rule: Rule, w: int, rng: random.Random, times: int) -> int:
    """Test a rule for reduced-radix limbs on all inputs, and return how many of them it applies to.

    The test passes if whole numbers are correct although their limbs are not normal; see
    :mod:`momagen.rewrite.digits.slack`.

    Args:
        rule: The rule.
        w: The limb width in bits.
        rng: The source of the sizes of limbs.
        times: The number of evaluations of each input, with other limbs each time.

    Raises:
        RuleError: The rule is incorrect for such limbs. The message names it and the inputs.
    """
    return Proof(rule, w, rng).tried(every_case(rule.op, rule.digits, w), times)
