"""Checking a certificate: its steps are applied by the checker where a proof would otherwise be searched for."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from momagen.prove.certificates.guide import Guide
from momagen.prove.certificates.steps import RULES, read_coefficient, read_multiplier, read_number, read_polynomial
from momagen.prove.checker import Bounds, Checker, Equal, Impossible, ProofError

if TYPE_CHECKING:
    from collections.abc import Callable

Statement = Equal, Bounds, Impossible


class Player:
    """One answer of a certificate, while its steps are applied.

    Attributes:
        results: What the steps so far returned.
    """

    def __init__(self, checker: Checker, given: list[Any]) -> None:
        self.checker = checker
        self.results: list[Any] = []
        self._given = iter(given)
        self._assumptions: list[ExitStack] = []

    def play(self, steps: Any) -> None:
        """Apply the steps, which must end every assumption that they begin."""
        try:
            for rule, *arguments in steps:
                self.results.append(self._apply(rule, arguments))
            if self._assumptions:
                raise ProofError("the certificate does not end an assumption")
        finally:
            while self._assumptions:
                self._assumptions.pop().close()

    def _apply(self, rule: Any, arguments: list[Any]) -> Any:
        if rule == "given":
            return next(self._given)
        if rule == "assume":
            return self._assume(*arguments)
        if rule == "end":
            return self._assumptions.pop().close()
        if rule not in RULES:
            raise ProofError(f"the certificate contains the rule {rule!r}, which does not exist")
        values: list[Any] = []
        for kind, value in zip(RULES[rule], arguments, strict=True):
            values.append(self._argument(kind, value, values))
        return getattr(self.checker, rule)(*values)

    def _assume(self, variable: Any, value: Any) -> int:
        block = ExitStack()
        number = read_number(variable, len(self.checker.variables))
        equation = block.enter_context(self.checker.assume(number, read_number(value, 2)))
        self._assumptions.append(block)
        return equation

    def _argument(self, kind: str, value: Any, before: list[Any]) -> Any:
        """Return an argument of a kind, after the arguments ``before``."""
        checker = self.checker
        match kind:
            case "s":
                return self.statement(value["step"])
            case "e":
                return self._equation(value)
            case "m":
                return read_multiplier(value, before[0].right, checker.equations[before[1]], checker)
            case "p":
                return read_polynomial(value, checker)
            case "c":
                return read_coefficient(value)
            case "v":
                return read_number(value, len(checker.variables))
        return str(value)

    def _equation(self, value: Any) -> int:
        """Return the number of an equation, which is given or the result of a step."""
        if isinstance(value, dict):
            value = self.results[read_number(value["step"], len(self.results))]
            value = value[1] if isinstance(value, tuple) else value
        return read_number(value, len(self.checker.equations))

    def statement(self, step: Any) -> Any:
        """Return the result of a step if it is a statement."""
        result = self.results[read_number(step, len(self.results))]
        if not isinstance(result, Statement):
            raise ProofError("the certificate refers to a step that proves no statement")
        return result


class ReplayingChecker(Checker):
    """A checker, with the answers to the questions about its variables."""

    def __init__(self, least: int, greatest: int, answers: Any) -> None:
        super().__init__(least, greatest)
        self.answers = iter(answers)


class Replay(Guide):
    """A certificate in the place of the search.

    Args:
        sessions: What ``Recorder.written`` returned.
    """

    def __init__(self, sessions: list[Any]) -> None:
        self._sessions = iter(sessions)

    def checker(self, least: int, greatest: int) -> Checker:
        """Return a checker whose questions the next session of the certificate answers."""
        answers = next(self._sessions, None)
        if not isinstance(answers, list):
            raise ProofError("the certificate contains no proof of this case")
        return ReplayingChecker(least, greatest, answers)

    def ask(self, checker: Checker, question: Callable[..., Any], *given: Any) -> Any:
        """Return the answer of the certificate, after the checker has applied its steps."""
        answer = next(checker.answers, None) if isinstance(checker, ReplayingChecker) else None
        if answer is None:
            raise ProofError("the certificate contains no answer to this question")
        try:
            return self._play(checker, given, *answer)
        except (AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError) as error:
            raise ProofError(f"a step of the certificate is malformed: {error}") from None

    def _play(self, checker: Checker, given: tuple[Any, ...], steps: Any, kind: Any, at: Any = None) -> Any:
        player = Player(checker, [value for value in given if isinstance(value, Statement)])
        player.play(steps)
        if kind == "fails":
            raise ProofError("the certificate does not prove this")
        if kind == "equation":
            return read_number(at, len(checker.equations))
        return player.statement(at) if kind == "statement" else None
