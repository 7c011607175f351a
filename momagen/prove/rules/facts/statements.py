"""Comparisons in the notation of the rule files: they can be *assumed*, which adds facts, or *proven*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import (
    Polynomial,
    constant,
    plus,
    quotient_by,
    scaled,
    times,
    variables,
)
from momagen.prove.rules.facts.multiples import RuleMultiples
from momagen.prove.rules.notation import Comparison, Node, Numeral, Operator
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Names = dict[str, Value]


class RuleFacts(RuleMultiples):
    """The variables, facts and proofs of one instance of a rule."""

    def assume(self, what: Comparison, names: Mapping[str, Value]) -> None:
        """Add the facts that a comparison states."""
        if what.sign == "≈":
            return
        if what.sign in ("<", "≤"):
            for gap in self.gaps(what, names):
                self.not_negative(gap)
            return
        if what.sign == "≡":
            self._congruent(*self.difference(what, names))
            return
        match what.left, what.right:
            case Operator("bits", (number,)), right:
                bits = self.number(right, names)
                size = self.evaluate(number, names).polynomial
                self.not_negative(plus(size, constant(1 << bits - 1), -1))
                self.not_negative(plus(constant((1 << bits) - 1), size, -1))
            case Operator("mod" | "mod 2^"), right:
                dividend, modulus = self._modular(what.left, names)
                other = self.evaluate(right, names)
                self.is_odd |= dividend.polynomial == {(0,): 1} and (modulus.low, modulus.high, other.low) == (2, 2, 1)
                self._congruent(plus(dividend.polynomial, other.polynomial, -1), modulus)
            case left, Operator("/", (number, divisor)):
                value, by = self.evaluate(left, names), self.evaluate(divisor, names)
                rest = plus(self.evaluate(number, names).polynomial, times(value.polynomial, by.polynomial), -1)
                in_q = self.by_q(plus(by.polynomial, constant(1), -1))
                left_over = self.declare("remainder", (0,), in_q or (by.high - 1,), lambda at: at(rest))
                equation = self.equate(plus(left_over.polynomial, rest, -1))
                self.relate(times(value.polynomial, by.polynomial), equation)
                if in_q is None:
                    self.not_negative(plus(plus(by.polynomial, constant(1), -1), left_over.polynomial, -1))
            case _:
                first, second = self.evaluate(what.left, names), self.evaluate(what.right, names)
                self.equate(plus(first.polynomial, second.polynomial, -1))

    def define(self, equation: int) -> None:
        """Replace the latest variable of an equation by the others from now on."""
        zero = self.checker.equations[equation]
        latest = max(variables(zero), default=0)
        if latest and quotient_by(zero, latest) in ({(): 1}, {(): -1}):
            self.linear.settled[latest] = equation

    def gaps(self, what: Comparison, names: Mapping[str, Value]) -> Iterator[Polynomial]:
        """Yield the polynomials that an inequality states to be at least 0."""
        for left in self.parts_of(what.left, "max"):
            for right in self.parts_of(what.right, "min"):
                gap = plus(self.evaluate(right, names).polynomial, self.evaluate(left, names).polynomial, -1)
                yield plus(gap, constant(what.sign == "<"), -1)

    def difference(self, what: Comparison, names: Mapping[str, Value]) -> tuple[Polynomial, Value]:
        """Return the difference of the sides of a congruence, and its modulus."""
        assert what.modulus is not None
        first, second, modulus = (self.evaluate(n, names) for n in (what.left, what.right, what.modulus))
        return plus(first.polynomial, second.polynomial, -1), modulus

    def parts_of(self, node: Node, head: str) -> list[Node]:
        """Return the parts of a minimum or maximum, for each of which a bound holds; |x| is the maximum of x and -x."""
        if isinstance(node, Operator) and node.head == head:
            return [part for arg in node.args for part in self.parts_of(arg, head)]
        if isinstance(node, Operator) and node.head == "abs" and head == "max":
            return [node.args[0], Operator("-", (Numeral(0), node.args[0]))]
        if isinstance(node, Operator) and node.head == "·" and head == "max":
            match node.args:
                case Numeral(value), Operator("abs", (x,)) if value > 0:
                    return [Operator("·", (Numeral(value), x)), Operator("·", (Numeral(-value), x))]
        return [node]

    def _modular(self, node: Operator, names: Mapping[str, Value]) -> tuple[Value, Value]:
        number = self.evaluate(node.args[0], names)
        if node.head == "mod":
            return number, self.evaluate(node.args[1], names)
        assert node.attribute is not None
        return number, self.words.constant(1 << self.number(node.attribute, names))

    def _congruent(self, difference: Polynomial, modulus: Value) -> None:
        value = self.value(difference)
        if modulus.low <= 0:
            raise ProofError("a modulus may be 0")
        ends = [x // y for x in (value.low, value.high) for y in (modulus.low, modulus.high)]
        multiple = self.declare(
            "multiple", (min(ends),), (max(ends) + 1,), lambda at: at(difference) // at(modulus.polynomial)
        )
        product = times(multiple.polynomial, modulus.polynomial)
        equation = self.equate(plus(difference, product, -1))
        self.congruences.append(equation)
        self.relate({m: c for m, c in difference.items() if len(m) == 2}, equation)
        latest = max(variables(difference), default=0)
        is_unit = quotient_by(difference, latest) in ({(): 1}, {(): -1})
        if latest and is_unit and latest not in self.linear.definitions():
            self.linear.defined[latest] = equation

    def prove(self, what: Comparison, names: Mapping[str, Value]) -> None:
        """Prove a comparison: first with little effort, then with what is known of words after more effort.

        Raises:
            ProofError: There is no proof.
        """
        try:
            self.prove_quickly(what, names)
        except ProofError:
            self.levels = 1
            self.pending = [(value, width) for value, width in self.pending if not self.settle(value, width)]
            self.levels = 2
            self._prove(what, names)

    def prove_quickly(self, what: Comparison, names: Mapping[str, Value]) -> None:
        """Prove a comparison with little effort."""
        self.levels = 0
        self._prove(what, names)

    def _prove(self, what: Comparison, names: Mapping[str, Value]) -> None:
        if what.sign == "≈":
            return
        if what.sign in ("<", "≤"):
            for gap in self.gaps(what, names):
                self.prove_natural(gap)
            return
        if what.sign == "≡":
            difference, modulus = self.difference(what, names)
            self.prove_multiple(difference, modulus.polynomial)
            return
        match what.left, what.right:
            case Operator("bits", (number,)), right:
                bits = self.number(right, names)
                size = self.evaluate(number, names).polynomial
                self.prove_natural(plus(size, constant(1 << bits - 1), -1))
                self.prove_natural(plus(constant((1 << bits) - 1), size, -1))
            case Operator("mod" | "mod 2^"), right:
                self._prove_rest(self.evaluate(right, names), what.left, names)
            case left, Operator("mod" | "mod 2^") as right:
                self._prove_rest(self.evaluate(left, names), right, names)
            case left, Operator("-", (Operator("mod" | "mod 2^") as right, other)):
                total = plus(self.evaluate(left, names).polynomial, self.evaluate(other, names).polynomial)
                self._prove_rest(self.value(total), right, names)
            case left, Operator("/", (number, divisor)):
                value, by = self.evaluate(left, names), self.evaluate(divisor, names)
                rest = plus(self.evaluate(number, names).polynomial, times(value.polynomial, by.polynomial), -1)
                self.prove_natural(rest)
                self.prove_natural(plus(plus(by.polynomial, constant(1), -1), rest, -1))
            case _:
                first, second = self.evaluate(what.left, names), self.evaluate(what.right, names)
                self.prove_zero(plus(first.polynomial, second.polynomial, -1))

    def _prove_rest(self, rest: Value, node: Operator, names: Mapping[str, Value]) -> None:
        """Prove that a value is the remainder that an expression denotes: congruent, and in its range."""
        number, modulus = self._modular(node, names)
        self.prove_multiple(plus(rest.polynomial, number.polynomial, -1), modulus.polynomial)
        self.prove_natural(rest.polynomial)
        self.prove_natural(plus(plus(modulus.polynomial, constant(1), -1), rest.polynomial, -1))

    def represented(self, word: Value, bits: int, is_signed: bool) -> Value:
        """Return an integer that a word represents modulo 2^bits.

        It is the word as a signed number, or what the word was computed from without the multiples of 2^bits, which are
        carries.
        """
        if is_signed:
            top = self.divide(word, self.words.constant(1 << bits - 1), "top")[0]
            return self.value(plus(word.polynomial, top.polynomial, -(1 << bits)))
        expanded = self.linear.expand(self.checker.identity(word.polynomial)).right
        return self.value({m: c for m, c in expanded.items() if c % (1 << bits)})

    def settle(self, value: Value, width: int, splits: int = 0) -> bool:
        """Try to prove which integer a word of a sum or product modulo 2^width is, and use it from then on."""
        found = self.linear.expand(self.checker.identity(value.polynomial))
        modulus = 1 << width
        wraps = {m: c // modulus for m, c in found.right.items() if c % modulus == 0}
        if not wraps:
            return True
        try:
            fact = self.linear.settle(wraps, splits, self.levels)
        except ProofError:
            return False
        if list(value.polynomial.values()) == [1] and len(next(iter(value.polynomial))) == 1:
            found = self.checker.substitute(found, fact, constant(modulus))
            self.linear.settled[self.words.number_of(value)] = self.checker.derive(
                self.checker.shift(found, scaled(found.right, -1))
            )
        return True
