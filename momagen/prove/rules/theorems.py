"""Proofs of the theorems in ``rules/theorems.toml``, for all integers of up to 4,096 bits that meet the conditions.

A theorem on a sum of an unknown number of terms states bounds of the sum, which are proven by induction: for the sum
without terms, and for a sum with another term. The claims may then use them.
"""

from __future__ import annotations

import re
import time
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.data import folder
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus
from momagen.prove.rules.facts import RuleFacts
from momagen.prove.rules.lemmas import Lemmas, parse_lemmas
from momagen.prove.rules.notation import (
    Comparison,
    Identifier,
    Numeral,
    RuleAssignment,
    parse_comparisons,
    parse_node,
    parse_rule_lines,
)
from momagen.prove.rules.numbers import names_in, used
from momagen.prove.rules.prove import ANY_SIZE

if TYPE_CHECKING:
    from pathlib import Path

    from momagen.prove.words import Value

SUM = re.compile(r"(\w+) = (\w+) terms (.+)")


@dataclass(frozen=True)
class TheoremRow:
    """One theorem, as texts in the notation of the rule files."""

    name: str
    names: str
    when: str
    then: str
    let: str = ""
    sum: str = ""
    each: str = ""
    bounds: str = ""
    lemmas: str = ""
    step: str = ""


@dataclass
class TheoremResult:
    """What is known of one theorem: "proven", or "open" with the reason."""

    name: str
    claim: str
    status: str = "open"
    reason: str = ""
    seconds: float = 0.0


def read_theorems(path: Path | None = None) -> list[TheoremRow]:
    """Return the theorems of a file, by default of ``rules/theorems.toml``."""
    text = (path or folder("rules") / "theorems.toml").read_text(encoding="utf-8")
    return [
        TheoremRow(row["name"], row["for"], row["when"], row["then"], row.get("let", ""), row.get("sum", ""),
                   row.get("each", ""), row.get("bounds", ""), row.get("lemmas", ""), row.get("step", ""))
        for row in tomllib.loads(text)["theorem"]
    ]  # fmt: skip


class TheoremProof:
    """The proof of one statement: its variables, what is assumed of them, and what was proven."""

    def __init__(self, names: list[str]) -> None:
        self.facts = RuleFacts(1, (1 << ANY_SIZE) - 1)
        self.names: dict[str, Value] = {}
        self._todo = names

    def introduce(self, conditions: list[Comparison]) -> None:
        """Introduce the integers, with the lower bounds that conditions state of them, and assume the conditions."""
        for name in self._todo:
            is_modulus = name == "q" and Comparison("<", Numeral(0), Identifier("q")) in map(_without_text, conditions)
            self.names[name] = self.facts.modulus if is_modulus else self._integer(name, conditions)
        self.assume(conditions)

    def assume(self, conditions: list[Comparison]) -> None:
        """Assume the conditions all of whose names are known."""
        for what in conditions:
            if used(what) <= self.names.keys():
                self.facts.assume(what, self.names)

    def define(self, text: str) -> None:
        """Give names to the expressions of ``let``, each of which may use the names before it."""
        for line in parse_rule_lines(text):
            assert isinstance(line, RuleAssignment)
            self.names[line.targets[0].text] = self.facts.evaluate(line.value, self.names)

    def prove(self, claims: list[Comparison], lemmas: str) -> None:
        """Prove claims with the help of lemmas.

        Raises:
            ProofError: A lemma or a claim was not proven.
        """
        known = Lemmas(self.facts, parse_lemmas(lemmas))
        known.advance(self.names)
        if known.waiting:
            raise ProofError(f"a lemma uses unknown names: {known.waiting[0].names - self.names.keys()}")
        for what in claims:
            self.facts.prove(what, self.names)

    def _integer(self, name: str, conditions: list[Comparison]) -> Value:
        least = -(1 << ANY_SIZE)
        for what in conditions:
            if what.right == Identifier(name) and isinstance(what.left, Numeral) and what.sign in ("<", "≤"):
                least = max(least, what.left.value + (what.sign == "<"))
        return self.facts.declare(name, (least,), (1 << ANY_SIZE,))


def prove_theorem(row: TheoremRow) -> TheoremResult:
    """Prove a theorem."""
    started = time.perf_counter()
    claim = "; ".join(filter(None, (row.sum, row.each, row.when))) + ": " + row.then
    result = TheoremResult(row.name, " ".join(claim.split()))
    try:
        if row.sum:
            _by_induction(row)
        _claims(row)
        result.status = "proven"
    except ProofError as error:
        result.reason = str(error)
    result.seconds = time.perf_counter() - started
    return result


def _claims(row: TheoremRow) -> None:
    """Prove the claims of a theorem; the bounds of a sum may be used."""
    match = SUM.fullmatch(row.sum)
    names = [*row.names.split(), *(match.group(2, 1) if match else ())]
    conditions = _comparisons(row.when)
    if match:
        conditions += [Comparison("≤", Numeral(0), Identifier(match[2])), *_comparisons(row.bounds)]
    proof = TheoremProof(names)
    proof.introduce(conditions)
    proof.define(row.let)
    late = [what for what in conditions if not used(what) <= set(names)]
    proof.assume(late)
    if any(not used(what) <= proof.names.keys() for what in conditions):
        raise ProofError("a condition uses unknown names")
    proof.prove(_comparisons(row.then), row.lemmas)


def _by_induction(row: TheoremRow) -> None:
    """Prove the bounds of a sum for no term, and for one more term.

    The conditions that do not mention the sum or the number of its terms hold for each of them.
    """
    match = SUM.fullmatch(row.sum)
    if match is None:
        raise ProofError(f"expected a sum of terms, such as S = n terms x · y, got {row.sum!r}")
    total, count, term = match[1], match[2], parse_node(match[3])
    names, bounds = row.names.split(), _comparisons(row.bounds)
    conditions = [what for what in _comparisons(row.when) if used(what) <= {*names} - {total, count}]
    none = TheoremProof(names)
    none.introduce(conditions)
    none.names |= {total: none.facts.words.constant(0), count: none.facts.words.constant(0)}
    none.prove(bounds, "")
    fresh = sorted(names_in(term))
    if {*fresh} & {*names, total, count}:
        raise ProofError("the names of a term are its own")
    step = TheoremProof([*names, count, total, *fresh])
    natural = Comparison("≤", Numeral(0), Identifier(count))
    step.introduce([*conditions, *_comparisons(row.each), natural, *bounds])
    facts = step.facts
    grown = {total: facts.evaluate(term, step.names), count: facts.words.constant(1)}
    lemmas = Lemmas(facts, parse_lemmas(row.step))
    lemmas.advance(step.names)
    if lemmas.waiting:
        raise ProofError("a lemma of the step uses unknown names")
    for name, more in grown.items():
        step.names[name] = facts.value(plus(step.names[name].polynomial, more.polynomial))
    step.prove(bounds, "")


def _comparisons(text: str) -> list[Comparison]:
    return parse_comparisons(" ".join(text.split()))


def _without_text(what: Comparison) -> Comparison:
    return Comparison(what.sign, what.left, what.right, what.modulus)


__all__ = ["TheoremResult", "TheoremRow", "prove_theorem", "read_theorems"]
