"""Recording the steps of proofs that the search finds, without the steps that no answer needs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from momagen.prove.certificates.guide import Guide
from momagen.prove.certificates.steps import (
    FACTS,
    RULES,
    write_coefficient,
    write_multiplier,
    write_polynomial,
)
from momagen.prove.checker import Bounds, Checker, Equal, Impossible, ProofError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from momagen.prove.certificates.guide import Found

Statement = Equal, Bounds, Impossible


@dataclass
class Step:
    """One step: the rule, its arguments, and the steps that it needs."""

    rule: str
    arguments: list[Any]
    needs: list[int]
    lasts: bool


@dataclass
class Query:
    """The steps that answer one question, while they are found."""

    steps: list[Step] = field(default_factory=list)
    made_by: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    equations: dict[int, int] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)

    def add(self, rule: str, arguments: list[Any], needs: list[int], lasts: bool) -> int:
        """Add a step inside the assumptions that are in force."""
        self.steps.append(Step(rule, arguments, needs + self.blocks[-1:], lasts))
        return len(self.steps) - 1

    def produce(self, result: Any, step: int) -> None:
        """Say which step made a statement."""
        self.made_by[id(result)] = step
        self.kept.append(result)

    def written(self, result: Any) -> list[Any]:
        """Return the needed steps and the answer as values of JSON."""
        answer = self.made_by[id(result)] if isinstance(result, Statement) else None
        needed = {i for i, step in enumerate(self.steps) if step.lasts} | ({answer} if answer is not None else set())
        ends = {step.needs[0]: i for i, step in enumerate(self.steps) if step.rule == "end"}
        for i in range(len(self.steps) - 1, -1, -1):
            if i in needed:
                needed.update(self.steps[i].needs)
        needed |= {end for start, end in ends.items() if start in needed}
        at = {old: new for new, old in enumerate(sorted(needed))}
        steps = [_renumbered(self.steps[i], at) for i in sorted(needed)]
        if isinstance(result, int):
            return [steps, "equation", result]
        return [steps, "statement", at[answer]] if answer is not None else [steps, "nothing"]


@dataclass(frozen=True)
class StepReference:
    """A step that an argument refers to."""

    step: int


def _renumbered(step: Step, at: dict[int, int]) -> list[Any]:
    return [step.rule, *({"step": at[a.step]} if isinstance(a, StepReference) else a for a in step.arguments)]


class RecordingChecker(Checker):
    """A checker that writes down which rules are applied to answer a question."""

    def __init__(self, least: int, greatest: int) -> None:
        self.queries: list[Any] = []
        self.query: Query | None = None
        super().__init__(least, greatest)

    def apply(self, rule: str, *given: Any) -> Any:
        """Apply a rule, and write it down if a question is open."""
        result = getattr(Checker, rule)(self, *given)
        query = self.query
        if query is None:
            return result
        pair = given[:2] if rule == "meet" else ()
        if same := next((b for b in pair if (b.low, b.high) == (result.low, result.high)), None):
            query.produce(result, query.made_by[id(same)])
            return result
        arguments: list[Any] = []
        needs: list[int] = []
        for kind, value in zip(RULES[rule], given, strict=True):
            argument = self._argument(query, kind, value, given)
            needs += [argument.step] if isinstance(argument, StepReference) else []
            arguments.append(argument)
        step = query.add(rule, arguments, needs, rule in FACTS | {"narrow"} and not self.under)
        if rule in FACTS and self.under:
            query.equations[result if isinstance(result, int) else result[1]] = step
        if isinstance(result, Statement):
            query.produce(result, step)
        return result

    def _argument(self, query: Query, kind: str, value: Any, given: tuple[Any, ...]) -> Any:
        """Return one of the arguments ``given``, as it is written."""
        if kind == "s":
            return StepReference(query.made_by[id(value)])
        if kind == "e":
            return StepReference(query.equations[value]) if value in query.equations else value
        if kind == "m":
            return write_multiplier(value, given[0].right, self.equations[given[1]])
        return {"p": write_polynomial, "c": write_coefficient}.get(kind, lambda same: same)(value)

    @contextmanager
    def assume(self, number: int, value: int) -> Iterator[int]:
        """Assume a value, and write down where the assumption begins and ends."""
        query = self.query
        facts = len(self.equations)
        with super().assume(number, value) as equation:
            if query is None:
                yield equation
                return
            step = query.add("assume", [number, value], [], lasts=False)
            query.equations[equation] = step
            query.blocks.append(step)
            try:
                yield equation
            finally:
                query.blocks.pop()
                query.add("end", [], [step], lasts=False)
                query.equations = {e: s for e, s in query.equations.items() if e < facts}


def _recorded(rule: str) -> Callable[..., Any]:
    def method(self: RecordingChecker, *given: Any) -> Any:
        return self.apply(rule, *given)

    return method


for _rule in RULES:
    setattr(RecordingChecker, _rule, _recorded(_rule))


class Recorder(Guide):
    """The search, whose successful steps are recorded.

    Attributes:
        sessions: The checkers in the order of their creation.
    """

    def __init__(self) -> None:
        self.sessions: list[RecordingChecker] = []

    def checker(self, least: int, greatest: int) -> Checker:
        """Return a checker that writes down its steps."""
        checker = RecordingChecker(least, greatest)
        self.sessions.append(checker)
        return checker

    def ask(self, checker: Checker, question: Callable[..., Found], *given: Any) -> Found:
        """Return the answer of the search, and write down the steps that lead to it."""
        if not isinstance(checker, RecordingChecker) or checker.query is not None:
            raise TypeError("questions are asked one after the other, to a checker of this guide")
        checker.query = query = Query()
        for argument in given:
            if isinstance(argument, Statement):
                query.produce(argument, query.add("given", [], [], lasts=True))
        try:
            result = question(*given)
            checker.queries.append(query.written(result))
            return result
        except ProofError:
            checker.queries.append([query.written(None)[0], "fails"])
            raise
        finally:
            checker.query = None

    def written(self) -> list[Any]:
        """Return the steps of all sessions as values of JSON."""
        return [session.queries for session in self.sessions]
