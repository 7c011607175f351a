"""Evaluates the right-hand side of a rule over any algebra: IR values, Python integers, or polynomials in z = 2^w."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.rewrite.notation.classify import OperationForm, marked_flag, shape
from momagen.rewrite.notation.distance import Distance
from momagen.rewrite.notation.syntax import Apply, Assigned, Assume, Digits, Expr, Literal, Statement, Variable

from .rule import Rule

T = TypeVar("T")
ATTRIBUTE = "k"
"""The number that the operation carries; the only one that is no argument."""


class Algebra(Protocol[T]):
    """What a right-hand side needs of its numbers."""

    def emit(self, op: str, width: int, args: Sequence[T], k: int) -> Sequence[T]: ...
    def join(self, digits: Sequence[T], weight: int) -> T: ...
    def split(self, value: T, weight: int, count: int) -> Sequence[T]: ...
    def cut(self, value: T, weight: int) -> Sequence[T]:
        """h and l of a number h·2^weight + l of any size and sign."""

    def const(self, number: int) -> T: ...
    def assume_below(self, value: T, factor: int, most: T, signed: bool) -> T:
        """``value``, known to be below factor·most, or at most ``most`` where the factor is 0; so is its absolute value
        where it is ``signed``."""


@dataclass(frozen=True)
class Operand(Generic[T]):
    """A value with its number of digits (0 for a bare number, which fits any width) and whether it is a flag.

    Attributes:
        alone: whether it is one of several integers, of any size, that an operation results in.
    """

    value: T
    digits: int
    flag: bool = False
    alone: bool = False


class Evaluator(Generic[T]):
    """Runs statements in an environment of names; ``unit`` is the width of one digit in bits."""

    def __init__(self, algebra: Algebra[T], unit: int, numbers: Mapping[str, int], where: str) -> None:
        self.algebra, self.unit, self.where = algebra, unit, where
        self.numbers = {"w": unit, **numbers}
        self.env: dict[str, Operand[T]] = {}

    def run(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            if isinstance(statement, Assume):
                self._assume(statement)
            else:
                self._assign(statement.targets, statement.value)

    def _assume(self, fact: Assume) -> None:
        old = self.lookup(fact.name)
        most = self._most(fact.most)
        tighter = self.algebra.assume_below(old.value, fact.factor, most, fact.signed)
        self.env[fact.name] = Operand(tighter, old.digits, old.flag)

    def _most(self, most: str | Distance) -> T:
        if isinstance(most, str):
            return self.lookup(most).value
        return self.algebra.const(1 << self._distance(most))

    def lookup(self, name: str) -> Operand[T]:
        if name not in self.env:
            raise MomagenError("a name defined before its use", name, self.where)
        return self.env[name]

    def _assign(self, targets: tuple[Assigned, ...], expr: Expr) -> None:
        results = self._results(expr, targets) if isinstance(expr, Apply) else [self.operand(expr)]
        if (bits := targets[-1].bits) is not None:
            parts = self.algebra.cut(results[0].value, self._distance(bits))
            results = [Operand(part, 1, alone=True) for part in parts]
        if results[0].alone:
            if len(targets) != len(results):
                raise MomagenError(f"{len(results)} names for as many results", str(len(targets)), self.where)
            for target, result in zip(targets, results, strict=True):
                self._bind(target, result)
            return
        if targets[0].flag:
            if not results[0].flag:
                raise MomagenError(f"a carry, a comparison or logic for “{targets[0].name}:1”", str(expr), self.where)
            self._bind(targets[0], results[0])
            targets, results = targets[1:], results[1:]
        if targets:
            self._bind_digits(targets, results)

    def _bind(self, target: Assigned, operand: Operand[T]) -> None:
        if target.name not in ("_", "0"):
            self.env[target.name] = operand

    def _bind_digits(self, targets: tuple[Assigned, ...], results: list[Operand[T]]) -> None:
        whole = results[0] if len(results) == 1 else self._joined(results)
        if whole.flag or (len(targets) == 1 and whole.digits <= 1):
            self._bind(targets[0], whole)
            return
        count = max(len(targets), whole.digits)
        digits = self.algebra.split(whole.value, self.unit, count)[count - len(targets) :]
        for target, digit in zip(targets, digits, strict=True):
            self._bind(target, Operand(digit, 1))

    def _joined(self, parts: Sequence[Operand[T]]) -> Operand[T]:
        digits: list[T] = []
        for part in parts:
            count = max(part.digits, 1)
            wide = count > 1 and not part.flag
            digits += self.algebra.split(part.value, self.unit, count) if wide else [part.value]
        return Operand(self.algebra.join(digits, self.unit), len(digits))

    def operand(self, expr: Expr) -> Operand[T]:
        """The value of an expression; of an operation with several results, the low part."""
        if isinstance(expr, Variable):
            known = expr.text != ATTRIBUTE
            return self.lookup(expr.text) if known else Operand(self.algebra.const(self.numbers[ATTRIBUTE]), 0)
        if isinstance(expr, Literal):
            return Operand(self.algebra.const(expr.value), 0)
        if isinstance(expr, Digits):
            return self._joined([self.operand(item) for item in expr.items])
        result, *more = self._results(expr, ())
        if more:
            raise MomagenError("one result inside an expression", f"{len(more) + 1} of {expr}", self.where)
        return result

    def is_flag(self, expr: Expr) -> bool:
        return self.operand(expr).flag if isinstance(expr, Variable) else marked_flag(expr)

    def _width(self, expr: Expr) -> int:
        if isinstance(expr, Variable):
            return self.lookup(expr.text).digits
        return len(expr.items) if isinstance(expr, Digits) else 1

    def _results(self, expr: Apply, targets: tuple[Assigned, ...]) -> list[Operand[T]]:
        found = shape(expr, targets, self.is_flag, self._width, self.where)
        operands = [self.operand(arg) for arg in found.args]
        digits = max(o.digits for o in operands)
        k = self._distance(found.distance)
        args, digits = self._fit(found, operands, max(digits, 1))
        if found.op == "mulhi":
            k = self._whole(k, digits)
        made = self.algebra.emit(found.op, digits * self.unit, args, k)
        kinds = OPS[found.op].results
        return [
            Operand(v, 1 if kind == "f" else digits, kind == "f", len(kinds) > 1 and set(kinds) == {"i"})
            for v, kind in zip(made, kinds, strict=True)
        ]  # fmt: skip

    def _whole(self, k: int, digits: int) -> int:
        """⌊a·b / 2^k⌋ is the high half of a product only for k bits in a factor."""
        if k != digits * self.unit:
            raise MomagenError(f"the high half, ⌊a · b / 2^({digits}w)⌋", f"2^{k} at w = {self.unit}", self.where)
        return 0

    def _fit(self, found: OperationForm, operands: list[Operand[T]], digits: int) -> tuple[list[T], int]:
        """Arguments as the operation wants them: a flag in a word's place becomes that word."""
        args = []
        for kind, operand in zip(OPS[found.op].args, operands, strict=True):
            if kind == "f" and not operand.flag and operand.digits:
                raise MomagenError(f"a flag where {found.op} takes one", "a word", self.where)
            turn = kind != "f" and operand.flag
            args.append(self.algebra.emit("word", self.unit, [operand.value], 0)[0] if turn else operand.value)
        return args, digits

    def _distance(self, distance: Distance | None) -> int:
        if distance is None:
            return 0
        try:
            return distance.value(self.numbers)
        except KeyError as missing:
            raise MomagenError(f"one of {', '.join(self.numbers)}", missing.args[0], self.where) from None


def results_of(rule: Rule, evaluator: Evaluator[T]) -> list[T]:
    """The results of the rule's operation, gathered from its targets after its body has run."""
    kinds, targets = OPS[rule.op].results, list(rule.targets)
    words, results = len(kinds) - kinds.count("f"), []
    per_word = sum(not t.flag for t in targets) // max(words, 1)
    for kind in kinds:
        names = [targets.pop(0).name for _ in range(1 if kind == "f" else per_word)]
        parts = [evaluator.lookup(name).value for name in names]
        results.append(parts[0] if len(parts) == 1 else evaluator.algebra.join(parts, evaluator.unit))
    return results
