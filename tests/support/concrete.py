"""Numbers for the variables of a proof: every equation of a checker is evaluated, and every bound is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from momagen.prove.c.parsed import Source
from momagen.prove.claims import Claim
from momagen.prove.elementwise import Kernel
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import InModulus, Polynomial, constant, plus, variables
from momagen.prove.vectors.shifted import ShiftedKernel
from momagen.prove.vectors.shifts import ShiftLemmas


class RecordingFacts(Facts):
    """Facts that remember which equations state the conditions of the path."""

    def __init__(self, least: int, greatest: int, path: Path) -> None:
        super().__init__(least, greatest, path)
        self.conditions: list[Polynomial] = []

    def decide(self, flag: Any, *arguments: Any, **more: Any) -> bool:
        """Decide as usual, and record the equation that was stated."""
        before = len(self.checker.equations)
        taken = super().decide(flag, *arguments, **more)
        condition = plus(flag.polynomial, constant(int(taken)), -1)
        if condition in self.checker.equations[before:]:
            self.conditions.append(condition)
        return taken


class Numbers:
    """The numbers of all variables of a run: inputs are given, all others are computed.

    Args:
        facts: The facts of the run.
        q: The modulus.
        inputs: A function from the name of a variable that nothing determines to its number.
    """

    def __init__(self, facts: Facts, q: int, inputs: Callable[[str], int]) -> None:
        self.facts, self.q = facts, q
        self.values: dict[int, int] = {0: q}
        defined = self._definitions()
        for number in range(1, len(facts.checker.variables)):
            if number not in self.values:
                self._compute(number, defined, inputs)

    def _definitions(self) -> dict[int, Polynomial]:
        """Return for each variable an equation, other than a condition, with this variable and earlier ones."""
        found: dict[int, Polynomial] = {}
        for equation in (e for e in self.facts.checker.equations if e not in self.facts.conditions):
            latest = max(variables(equation), default=0)
            if latest and abs(equation.get((latest,), 0)) == 1 and not any(latest in m for m in equation if len(m) > 1):
                found.setdefault(latest, equation)
        return found

    def _compute(self, number: int, defined: dict[int, Polynomial], inputs: Callable[[str], int]) -> None:
        words, checker = self.facts.words, self.facts.checker
        if number in words.operation_of:
            operation = words.operations[words.operation_of[number]]
            known = {
                m: c
                for m, c in checker.equations[operation.equation].items()
                if m not in ((operation.high,), (operation.low,))
            }
            total = -self.value(known)
            low = total % abs(operation.weight)
            self.values.setdefault(operation.low, low)
            self.values.setdefault(operation.high, (total - low) // operation.weight)
        elif number in defined:
            equation = defined[number]
            rest = {m: c for m, c in equation.items() if m != (number,)}
            self.values[number] = -self.value(rest) * int(equation[number,])
        elif division := next((e for e in checker.equations if self._divides(number, e)), None):
            rest = {m: c for m, c in division.items() if m != (0, number) and max(m, default=0) < number}
            self.values[number] = -self.value(rest) // int(division[0, number] * self.q)
        else:
            self.values[number] = inputs(checker.variables[number].name)

    def _divides(self, number: int, equation: Polynomial) -> bool:
        """Return whether a variable is the quotient of a division by a multiple of q."""
        return self.facts.checker.variables[number].name == "quotient" and (0, number) in equation

    def value(self, polynomial: Polynomial) -> Any:
        """Return the value of a polynomial."""
        total: Any = 0
        for monomial, coefficient in polynomial.items():
            term = coefficient
            for number in monomial:
                term = term * self.values[number]
            total += term
        return total

    def problems(self) -> list[str]:
        """Return the equations that do not hold, and the variables that lie outside their bounds."""
        checker, found = self.facts.checker, []
        for at, equation in enumerate(checker.equations):
            if self.value(equation) != 0:
                found.append(f"equation {at}: {equation}")
        for number, variable in enumerate(checker.variables):
            low, high = self._at(variable.low), self._at(variable.high)
            if not low <= self.values[number] <= high:
                found.append(f"{variable.name} = {self.values[number]} is not in [{low}, {high}]")
        for number, (low, high) in self.facts.words._ranges.items():
            if not low <= self.values[number] <= high:
                found.append(f"{checker.variables[number].name} is not in its interval")
        return found

    def _at(self, polynomial: InModulus) -> Any:
        return sum(c * self.q**i for i, c in enumerate(polynomial))


def paths(
    source: Source, claim: Claim, least: int, greatest: int, lemmas: ShiftLemmas | None = None
) -> list[RecordingFacts]:
    """Return the facts of a proof along each of its paths; with lemmas, of the proof for all shorter moduli."""
    path: Path | None = Path()
    found = []
    while path is not None:
        facts = RecordingFacts(least, greatest, path)
        kernel = Kernel(source, claim, facts) if lemmas is None else ShiftedKernel(source, claim, facts, lemmas)
        kernel.run()
        found.append(facts)
        path = path.following()
    return found
