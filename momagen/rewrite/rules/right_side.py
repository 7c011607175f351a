"""The right-hand side of a rule as a list of steps, each of which computes values from earlier ones.

The text of the rule alone determines the meaning of each name, the number of its limbs, and the operation of
each expression.
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
"""The names that distances and guards may use in addition to arguments of one limb, with values to test
them."""
JOIN, SPLIT, CUT, CONST, BELOW = "JOIN", "SPLIT", "CUT", "CONST", "BELOW"
"""The kinds of steps that are not operations. JOIN makes a number of limbs, SPLIT splits a number into
limbs, CUT splits h·2^n + l into h and l, CONST is a constant, and BELOW applies a theorem."""
OTHERS = frozenset((JOIN, SPLIT, CUT, CONST, BELOW))
"""The kinds of steps that are not operations."""
NONE = Literal(0)
"""The number of steps that have none."""


class RuleStep(NamedTuple):
    """One step, which computes values from earlier ones.

    Attributes:
        what: The operation, or one of ``OTHERS``.
        args: The indices of the values that it reads.
        results: The number of values that it computes.
        digits: The width of the operation in limbs.
        number: The attribute of an operation, the position of a CUT, or the constant of a CONST.
        fact: The theorem of a BELOW.
        turn: The number of the iteration, which is i in ``number``.
    """

    what: str
    args: tuple[int, ...]
    results: int = 1
    digits: int = 1
    number: Expr = NONE
    fact: Assume | None = None
    turn: int = 0


class RightSide:
    """The steps of the derived constants and of the right-hand side of a rule.

    The first values are the arguments of the operation, and ``results`` lists the indices of its results.

    Args:
        rule: The rule.
        counts: The number of iterations of each ``repeat``.

    Raises:
        MomagenError: A name has no meaning, or the arguments do not fit an operation.
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
        """Append the steps of a statement."""
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
        """Return the indices of the results, after joining the limbs of each."""
        per_word = sum(not t.flag for t in targets) // max(len(kinds) - kinds.count("f"), 1)
        found = list[int]()
        for kind in kinds:
            parts = [self.lookup(targets.pop(0).text).at for _ in range(1 if kind == "f" else per_word)]
            found += parts if len(parts) == 1 else self._step(JOIN, parts)
        return found

    def _step(self, what: str, args: Sequence[int], results: int = 1, digits: int = 1, number: Expr = NONE,
              fact: Assume | None = None) -> Sequence[int]:  # fmt: skip
        """Append a step, and return the indices of the values that it computes."""
        self._check_distance(number, {**self.numbers, "i": self._turn})
        self.steps.append(RuleStep(what, tuple(args), results, digits, number, fact, self._turn))
        self.count += results
        return range(self.count - results, self.count)

    def _check_distance(self, expr: Expr, numbers: Mapping[str, int]) -> None:
        """Check that an expression uses only the names in ``numbers``."""
        try:
            number(expr, numbers)
        except KeyError as missing:
            raise among("one of", numbers, missing.args[0], self.where) from None

    def _split(self, at: int, count: int) -> Sequence[int]:
        """Append a step that splits a value into ``count`` limbs."""
        return self._step(SPLIT, [at], count)

    def _const(self, number: Expr) -> Operand:
        """Append a step for a constant."""
        return Operand(self._step(CONST, (), number=number)[0], 0)

    def lookup(self, name: str) -> Operand:
        """Return the value of a name.

        Raises:
            MomagenError: The name is not defined.
        """
        if name not in self.env:
            raise MomagenError("a name defined before its use", name, self.where)
        return self.env[name]

    def _assume(self, fact: Assume) -> None:
        """Append a step that applies a theorem to a name."""
        old = self.lookup(fact.name)
        most = self.lookup(fact.most.text) if isinstance(fact.most, Variable) else self._const(fact.most)
        (tighter,) = self._step(BELOW, (old.at, most.at), fact=fact)
        self.env[fact.name] = Operand(tighter, old.digits, old.flag)

    def _assign(self, targets: tuple[Variable, ...], expr: Expr) -> None:
        """Append the steps of an assignment."""
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
        """Define a name."""
        if target.text not in ("_", "0"):
            self.env[target.text] = operand

    def _bind_digits(self, targets: tuple[Variable, ...], results: list[Operand]) -> None:
        """Define the names of limbs of results, which are joined and split as necessary."""
        whole = results[0] if len(results) == 1 else self._joined(results)
        if whole.flag or (len(targets) == 1 and whole.digits <= 1):
            self._bind(targets[0], whole)
            return
        count = max(len(targets), whole.digits)
        for target, digit in zip(targets, self._split(whole.at, count)[count - len(targets) :], strict=True):
            self._bind(target, Operand(digit, 1))

    def _joined(self, parts: Sequence[Operand]) -> Operand:
        """Return a value whose limbs are the limbs of all parts, the high part first."""
        digits: list[int] = []
        for part in parts:
            digits += self._split(part.at, part.digits) if part.digits > 1 and not part.flag else [part.at]
        return Operand(self._step(JOIN, digits)[0], len(digits))

    def operand(self, expr: Expr) -> Operand:
        """Return the value of an expression.

        If it is an operation with several results, the value is its low part.

        Raises:
            MomagenError: A name is not defined, or the operation has several results of any size.
        """
        number = isinstance(expr, Variable) and expr.text in ("k", *self.known)  # these are not arguments
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
        """Append the steps of an operation and of its arguments, and return the results."""
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
        """Return the index of an argument of the required kind.

        A flag in the place of a word is converted to that word.
        """
        if kind == "f" and not operand.flag and operand.digits:
            raise MomagenError(f"a flag where {op} takes one", "a word", self.where)
        return self._step("word", [operand.at])[0] if kind != "f" and operand.flag else operand.at


@cache
def right_side(rule: Rule, counts: tuple[int, ...] | None = None) -> RightSide:
    """Return the steps of a rule; by default each ``repeat`` has two iterations."""
    return RightSide(rule, counts or (2,) * len(rule.repeats))
