"""Lemmas: the intermediate statements of a proof, which a row of a rule file may state.

A lemma is a hint. It is proven like any other statement before the proof may use it, so a wrong lemma only makes the
proof fail. The lines of ``lemmas`` are taken in order, each as soon as the right side has computed the names that it
uses:

- ``let r = a · b - c`` gives a name to an expression.
- A comparison such as ``0 ≤ r < 2 · q`` or ``r = 2^k · e`` is proven and becomes a fact. ``0 ≤ a · b`` is proven from
  ``0 ≤ a`` and ``0 ≤ b``.
- ``replace t = a · b - c`` is proven, too, and from then on the search eliminates the latest variable of this equation.
- ``by f: x ≤ y`` is proven from ``f · (y - x + 1) > 0``, where f is positive, and ``by 2^w: x ≡ y (mod q)`` from the
  congruence of the products by 2^w, where q is odd; q may also be the factor and 2^w the modulus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.prove.rules.notation import Comparison, Node, Numeral, Operator, parse_comparisons, parse_node
from momagen.prove.rules.numbers import names_in, used

if TYPE_CHECKING:
    from collections.abc import Mapping

    from momagen.prove.rules.facts import RuleFacts
    from momagen.prove.words import Value


@dataclass(frozen=True)
class Lemma:
    """A name for an expression, if ``name`` is not empty, or statements to prove."""

    name: str
    value: Node | None
    statements: tuple[Comparison, ...]
    factor: Node | None = None
    replaces: bool = False

    @property
    def names(self) -> set[str]:
        """The names that the lemma uses."""
        return names_in(self.value, self.factor).union(*map(used, self.statements))


def parse_lemmas(text: str) -> list[Lemma]:
    """Return the lemmas that the lines of a text state."""
    found = []
    for line in filter(None, (part.split("#")[0].strip() for part in text.splitlines())):
        if line.startswith("let "):
            name, _, value = line.removeprefix("let ").partition(" = ")
            found.append(Lemma(name.strip(), parse_node(value), ()))
            continue
        replaces, line = line.startswith("replace "), line.removeprefix("replace ")
        factor, _, statements = line.rpartition(":")
        by = parse_node(factor.removeprefix("by ")) if factor else None
        found.append(Lemma("", None, tuple(parse_comparisons(statements)), by, replaces))
    return found


class Lemmas:
    """The lemmas of one proof that are not proven yet, and the names that they introduced."""

    def __init__(self, facts: RuleFacts, lemmas: list[Lemma]) -> None:
        self.facts, self.waiting = facts, list(lemmas)
        self.names: dict[str, Value] = {}

    def advance(self, scope: Mapping[str, Value]) -> None:
        """Prove the next lemmas, as far as ``scope`` has the names that they use.

        Raises:
            ProofError: A lemma was not proven.
        """
        while self.waiting and self.waiting[0].names <= {*scope, *self.names, "i"}:
            lemma, names = self.waiting.pop(0), {**scope, **self.names}
            if lemma.value is not None:
                self.names[lemma.name] = self.facts.evaluate(lemma.value, names)
            for what in lemma.statements:
                self._prove(what, names, lemma.factor)
                if lemma.replaces:
                    self.facts.define(len(self.facts.checker.equations) - 1)

    def _prove(self, what: Comparison, names: Mapping[str, Value], factor: Node | None) -> None:
        factors = _factors(what)
        if factor is not None:
            by = self.facts.evaluate(factor, names)
            if what.sign == "≡":
                difference, modulus = self.facts.difference(what, names)
                self.facts.prove_multiple_by(by, difference, modulus)
            for gap in self.facts.gaps(what, names) if what.sign != "≡" else ():
                self.facts.prove_by_product(gap, by.polynomial)
        elif factors:
            self.facts.prove_product([self.facts.evaluate(node, names).polynomial for node in factors])
        else:
            self.facts.prove(what, names)
        self.facts.assume(what, names)
        if what.sign in ("=", "≡"):
            self.facts.lemmas.append(len(self.facts.checker.equations) - 1)
        if what.sign in ("<", "≤"):
            for gap in self.facts.gaps(what, names):
                self.facts.narrow(gap)


def _factors(what: Comparison) -> list[Node]:
    """Return the factors of a product that a comparison states to be at least 0, or nothing."""
    if what.sign != "≤" or what.left != Numeral(0):
        return []
    found, todo = [], [what.right]
    while todo:
        node = todo.pop()
        if isinstance(node, Operator) and node.head == "·":
            todo += node.args
        else:
            found.append(node)
    return found if len(found) > 1 else []


__all__ = ["Lemma", "Lemmas", "parse_lemmas"]
