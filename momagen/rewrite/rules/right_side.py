"""The right-hand side of a rule as steps, each of which makes values of those before it.

What a name stands for, how many digits it has and which operation each expression is are known from the text alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from momagen.errors import MomagenError, among
from momagen.ir import OPS
from momagen.rewrite.notation.arithmetic import number
from momagen.rewrite.notation.classify import Operand, shape
from momagen.rewrite.notation.syntax import Apply, Assume, Digits, Expr, Literal, Repeat, Statement, Variable

from .rule import Rule

SAMPLE = {"w": 64, "k": 32, "word": 64, "h": 64}
"""What distances and guards may name beside arguments of one digit, with numbers to try them on."""
JOIN, SPLIT, CUT, CONST, BELOW = "JOIN", "SPLIT", "CUT", "CONST", "BELOW"
"""Digits to a number; a number to digits; to h and l of h·2^n + l; a number; a theorem."""
OTHERS = frozenset((JOIN, SPLIT, CUT, CONST, BELOW))
"""The steps that are no operations."""
NONE = Literal(0)


class RuleStep(NamedTuple):
    """What makes values of others.

    Attributes:
        what: an operation, or one of the words above. args: which values it reads. results: how many it makes.
        digits: how wide the operation is.
        number: the operation's attribute, where to cut, or the constant. fact: the theorem.
        turn: i in ``number``, how often it was done before.
    """

    what: str
    args: tuple[int, ...]
    results: int = 1
    digits: int = 1
    number: Expr = NONE
    fact: Assume | None = None
    turn: int = 0


class RightSide:
    """The ``steps`` of a rule's statements, the first values being the arguments, and which values are ``results``.

    Args:
        counts: how often everything is done that is repeated.

    Raises:
        MomagenError: a name without a meaning, or an operation that the text does not fit.
    """

    def __init__(self, rule: Rule, counts: Sequence[int]) -> None:
        self.where, self.steps, self.count = rule.where, list[RuleStep](), len(rule.names)
        self._counts, self._turn = iter(counts), 0
        self.numbers = {**SAMPLE, **{each[0]: SAMPLE["w"] for each in rule.names if len(each) == 1}}
        self.known = rule.shape.names if rule.shape else []
        self.numbers |= {name: SAMPLE["w"] >> at for at, name in enumerate(self.known)}
        self.env: dict[str, Operand] = {}
        for at, (digits, kind) in enumerate(zip(rule.names, OPS[rule.op].args, strict=True)):
            self._bind_digits(tuple(map(Variable, digits)), [Operand(at, len(digits), kind == "f")])
        for statement in (*rule.derived, *rule.body):
            self._do(statement)
        self.results = self._results_of(OPS[rule.op].results, list(rule.targets))

    def _do(self, statement: Statement) -> None:
        if isinstance(statement, Repeat):
            self._check_distance(statement.count, self.numbers)
            for turn in range(next(self._counts)):
                self._turn = turn
                for each in statement.body:
                    self._do(each)
        elif isinstance(statement, Assume):
            self._assume(statement)
        else:
            self._assign(statement.targets, statement.value)

    def _results_of(self, kinds: str, targets: list[Variable]) -> list[int]:
        per_word = sum(not t.flag for t in targets) // max(len(kinds) - kinds.count("f"), 1)
        found = list[int]()
        for kind in kinds:
            parts = [self.lookup(targets.pop(0).text).at for _ in range(1 if kind == "f" else per_word)]
            found += parts if len(parts) == 1 else self._step(JOIN, parts)
        return found

    def _step(self, what: str, args: Sequence[int], results: int = 1, digits: int = 1, number: Expr = NONE,
              fact: Assume | None = None) -> Sequence[int]:  # fmt: skip
        self._check_distance(number, {**self.numbers, "i": self._turn})
        self.steps.append(RuleStep(what, tuple(args), results, digits, number, fact, self._turn))
        self.count += results
        return range(self.count - results, self.count)

    def _check_distance(self, expr: Expr, numbers: Mapping[str, int]) -> None:
        """Refuse a name that ``numbers`` does not have."""
        try:
            number(expr, numbers)
        except KeyError as missing:
            raise among("one of", numbers, missing.args[0], self.where) from None

    def _split(self, at: int, count: int) -> Sequence[int]:
        return self._step(SPLIT, [at], count)

    def _const(self, number: Expr) -> Operand:
        return Operand(self._step(CONST, (), number=number)[0], 0)

    def lookup(self, name: str) -> Operand:
        if name not in self.env:
            raise MomagenError("a name defined before its use", name, self.where)
        return self.env[name]

    def _assume(self, fact: Assume) -> None:
        old = self.lookup(fact.name)
        most = self.lookup(fact.most.text) if isinstance(fact.most, Variable) else self._const(fact.most)
        (tighter,) = self._step(BELOW, (old.at, most.at), fact=fact)
        self.env[fact.name] = Operand(tighter, old.digits, old.flag)

    def _assign(self, targets: tuple[Variable, ...], expr: Expr) -> None:
        results = self._results(expr, targets) if isinstance(expr, Apply) else [self.operand(expr)]
        if (bits := targets[-1].bits) is not None:
            results = [Operand(at, 1, alone=True) for at in self._step(CUT, [results[0].at], 2, number=bits)]
        if results[0].alone:
            if len(targets) != len(results):
                raise MomagenError(f"{len(results)} names for {len(results)} results", str(len(targets)), self.where)
            for target, result in zip(targets, results, strict=True):
                self._bind(target, result)
            return
        if targets[0].flag:
            if not results[0].flag:
                raise MomagenError(f"a carry, a comparison or logic for “{targets[0].text}:1”", str(expr), self.where)
            self._bind(targets[0], results[0])
            targets, results = targets[1:], results[1:]
        if targets:
            self._bind_digits(targets, results)

    def _bind(self, target: Variable, operand: Operand) -> None:
        if target.text not in ("_", "0"):
            self.env[target.text] = operand

    def _bind_digits(self, targets: tuple[Variable, ...], results: list[Operand]) -> None:
        whole = results[0] if len(results) == 1 else self._joined(results)
        if whole.flag or (len(targets) == 1 and whole.digits <= 1):
            self._bind(targets[0], whole)
            return
        count = max(len(targets), whole.digits)
        for target, digit in zip(targets, self._split(whole.at, count)[count - len(targets) :], strict=True):
            self._bind(target, Operand(digit, 1))

    def _joined(self, parts: Sequence[Operand]) -> Operand:
        digits: list[int] = []
        for part in parts:
            digits += self._split(part.at, part.digits) if part.digits > 1 and not part.flag else [part.at]
        return Operand(self._step(JOIN, digits)[0], len(digits))

    def operand(self, expr: Expr) -> Operand:
        """The value of an expression; of an operation with several results, the low part."""
        number = isinstance(expr, Variable) and expr.text in ("k", *self.known)  # no argument of the operation
        if number or isinstance(expr, Literal):
            return self._const(expr)
        if isinstance(expr, Variable):
            return self.lookup(expr.text)
        if isinstance(expr, Digits):
            return self._joined([self.operand(item) for item in expr.items])
        result, *more = self._results(expr, ())
        if more:
            raise MomagenError("one result inside an expression", f"{len(more) + 1} of {expr}", self.where)
        return result

    def _results(self, expr: Apply, targets: tuple[Variable, ...]) -> list[Operand]:
        found = shape(expr, targets, self.env, self.where)
        operands = [self.operand(arg) for arg in found.args]
        digits = max(1, *(o.digits for o in operands))
        args = [self._fit(found.op, kind, each) for kind, each in zip(OPS[found.op].args, operands, strict=True)]
        kinds = OPS[found.op].results
        made = self._step(found.op, args, len(kinds), digits, found.distance or NONE)
        alone = len(kinds) > 1 and set(kinds) == {"i"}
        return [
            Operand(at, 1 if kind == "f" else digits, kind == "f", alone) for at, kind in zip(made, kinds, strict=True)
        ]  # fmt: skip

    def _fit(self, op: str, kind: str, operand: Operand) -> int:
        """An argument as the operation wants it: a flag in a word's place becomes that word."""
        if kind == "f" and not operand.flag and operand.digits:
            raise MomagenError(f"a flag where {op} takes one", "a word", self.where)
        return self._step("word", [operand.at])[0] if kind != "f" and operand.flag else operand.at


@cache
def right_side(rule: Rule, counts: tuple[int, ...] | None = None) -> RightSide:
    """All that the right-hand side of ``rule`` does; by default twice what it repeats."""
    return RightSide(rule, counts or (2,) * len(rule.repeats))
