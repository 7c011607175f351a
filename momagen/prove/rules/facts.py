"""Statements in the notation of the rule files as equations and bounds of integer variables.

An expression becomes a polynomial. A quotient, a remainder or an inverse becomes a new variable with the equation that
defines it. A comparison can be *assumed*, which adds facts, or *proven*. Every variable also has a rule to compute it
from the variables before it, so that a proof can be run on concrete integers.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import Checker, Equal, ProofError
from momagen.prove.polynomial import (
    InModulus,
    Polynomial,
    added,
    constant,
    is_integral,
    plus,
    quotient_by,
    scaled,
    times,
    variables,
)
from momagen.prove.rules.linear import ALMOST, Linear
from momagen.prove.rules.notation import Comparison, Identifier, LimbList, Node, Numeral, Operator
from momagen.prove.words import Value, Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Names = dict[str, Value]


@dataclass(frozen=True)
class Inverse:
    """The equation ``variable * number = 1 + modulus * quotient``."""

    number: Polynomial
    modulus: Polynomial
    equation: int


class RuleFacts:
    """The variables, equations and bounds of one proof.

    Args:
        least: The least modulus.
        greatest: The greatest one.

    Attributes:
        checker: The checker.
        words: The operations.
        linear: The search for proofs.
        rng: The source of the results that a concrete run chooses.
        witnesses: How to compute a variable from earlier ones, unless an operation defines it.
        inverses: The inverses by their variables.
        remainders: The divisors of which variables are remainders.
        congruences: The equations of the congruences that were assumed.
        pending: Words of which it is not known which integers they are, with their lengths.
        levels: How much a search may try.
        is_odd: Whether q is known to be odd.
        radix: The power of two by which, and by whose inverse modulo an odd q, an integer may be multiplied.
        proven: The statements that were proven, for reports.
    """

    def __init__(self, least: int, greatest: int) -> None:
        self.checker = Checker(least, greatest)
        self.words = Words(self.checker)
        self.linear = Linear(self.checker, self.words)
        self.modulus = self.words.adopt(0) if least < greatest else self.words.constant(least)
        self.rng = random.Random(0)
        self.witnesses: dict[int, Any] = {}
        self.inverses: dict[int, Inverse] = {}
        self._divisions: dict[object, list[tuple[Polynomial, Value, Value]]] = {}
        self._made: dict[object, tuple[Value, Value]] = {}
        self.is_odd, self.radix = False, 0
        self.levels = 0
        self.pending: list[tuple[Value, int]] = []
        self.congruences: list[int] = []
        self.remainders: dict[int, Polynomial] = {}
        if least < greatest:
            for polynomial in ({(): greatest, (0,): -1}, {(): -least, (0,): 1}):
                self.bound_products(polynomial)

    # Variables.

    def declare(self, name: str, low: InModulus, high: InModulus, witness: Any = None) -> Value:
        """Introduce an integer between two polynomials in q.

        Its distance from the lower bound is the variable, unless this bound depends on q and is not negative.
        """
        natural = self.checker.not_negative(low) and len(low) > 1
        shift: InModulus = (0,) if natural else low
        number = self.checker.integer(name, added(low, shift, -1), added(high, shift, -1))
        value = self.words.adopt(number)
        offset = {(0,) * i: c for i, c in enumerate(shift) if c}
        if witness is not None:
            self.witnesses[number] = lambda at: witness(at) - at(offset)
        return self.value(plus(value.polynomial, offset))

    def value(self, polynomial: Polynomial) -> Value:
        """Return a polynomial as a value."""
        return self.words.value_of(polynomial)

    def equate(self, zero: Polynomial) -> int:
        """State that a polynomial is 0."""
        return self.checker.state(zero)

    def not_negative(self, polynomial: Polynomial, name: str) -> None:
        """State that a polynomial is at least 0."""
        value = self.value(polynomial)
        if value.low >= 0:
            return
        slack = self.declare(name, (0,), (max(value.high, 0),), lambda at: at(polynomial))
        self.equate(plus(slack.polynomial, polynomial, -1))

    def by_q(self, polynomial: Polynomial) -> InModulus | None:
        """Return a polynomial as one in q alone, or None."""
        if any(set(monomial) - {0} for monomial in polynomial):
            return None
        powers = [0] * (1 + max((len(m) for m in polynomial), default=0))
        for monomial, coefficient in polynomial.items():
            powers[len(monomial)] = coefficient
        return tuple(powers)

    def bound_products(self, polynomial: Polynomial) -> None:
        """Let proofs use that a polynomial, which is not negative, is so in products with other variables."""
        high = self.by_q(polynomial) or (self.value(polynomial).high,)
        room = self.declare("room", (0,), high, lambda at: at(polynomial))
        self.linear.ranges.append(self.equate(plus(room.polynomial, polynomial, -1)))

    # Expressions.

    def number(self, node: Node, names: Mapping[str, Value]) -> int:
        """Return the value of an expression that is a known number."""
        value = self.evaluate(node, names)
        if not value.is_constant:
            raise ProofError("a distance is not a known number")
        return int(value.low)

    def evaluate(self, node: Node, names: Mapping[str, Value]) -> Value:
        """Return the value of an expression."""
        if isinstance(node, Numeral):
            return self.words.constant(node.value)
        if isinstance(node, Identifier):
            if node.text not in names:
                raise ProofError(f"the name {node.text} has no value")
            return names[node.text]
        if isinstance(node, LimbList):
            width, total = self.number(Identifier("w"), names), self.words.constant(0)
            for item in node.items:
                total = self.value(plus(scaled(total.polynomial, 1 << width), self.evaluate(item, names).polynomial))
            return total
        if node.head == "sum":
            assert node.attribute is not None
            parts: Polynomial = {}
            for i in range(self.number(node.attribute, names)):
                parts = plus(parts, self.evaluate(node.args[0], {**names, "i": self.words.constant(i)}).polynomial)
            return self.value(parts)
        if node.head == "if":
            condition = self.evaluate(node.args[0], names)
            if condition.is_constant:
                return self.evaluate(node.args[1 if condition.low else 2], names)
            chosen, other = (self.evaluate(arg, names) for arg in node.args[1:])
            return self.words.select(condition, chosen, other, "if")
        args = [self.evaluate(arg, names) for arg in node.args]
        far = 0 if node.attribute is None else self.number(node.attribute, names)
        return self._operator(node.head, args, far)

    def _operator(self, head: str, args: list[Value], far: int) -> Value:
        p = [arg.polynomial for arg in args]
        match head:
            case "+":
                return self.value(plus(p[0], p[1]))
            case "-":
                return self.value(plus(p[0], p[1], -1))
            case "·":
                return self.multiply(*args)
            case "2^":
                if not args[0].is_constant or args[0].low < 0:
                    raise ProofError("an exponent is not a known natural number")
                return self.words.constant(1 << int(args[0].low))
            case "<<":
                return self.value(scaled(p[0], 1 << far))
            case ">>":
                return self.divide(args[0], self.words.constant(1 << far))[0]
            case "⌊⌋":
                return self.divide(args[0], self.words.constant(1 << far))[0]
            case "mod 2^":
                return self.divide(args[0], self.words.constant(1 << far))[1]
            case "/":
                return self.divide(args[0], args[1])[0]
            case "mod":
                return self.divide(args[0], args[1])[1]
            case "inverse":
                return self.inverse(args[0], args[1])
            case "<" | ">":
                return self.less(args[0], args[1]) if head == "<" else self.less(args[1], args[0])
            case "≤" | "≥":
                less = self.less(args[1], args[0]) if head == "≤" else self.less(args[0], args[1])
                return self.complement(less)
            case "=" | "=?":
                below, above = self.less(args[0], args[1]), self.less(args[1], args[0])
                return self.flag(plus(plus(constant(1), below.polynomial, -1), above.polynomial, -1), "equal")
            case "∧":
                return self.flag(times(p[0], p[1]), "and")
            case "∨":
                return self.flag(plus(plus(p[0], p[1]), times(p[0], p[1]), -1), "or")
            case "¬":
                return self.complement(args[0])
            case "abs":
                negative = self.less(args[0], self.words.constant(0))
                return self.words.select(negative, self.value(scaled(p[0], -1)), args[0], "abs")
            case "min" | "max":
                return self._extreme(head, args)
            case "bits":
                if args[0].is_constant:
                    return self.words.constant(int(args[0].low).bit_length())
        raise ProofError(f"an expression with {head} has no meaning here")

    def flag(self, polynomial: Polynomial, name: str) -> Value:
        """Return a polynomial that is 0 or 1, because its variables are flags, as one variable."""
        value = self.value(polynomial)
        is_variable = list(polynomial.values()) == [1] and len(next(iter(polynomial))) == 1
        if value.is_constant or is_variable:
            return value
        key = "flag", frozenset(polynomial.items())
        if key not in self._made:
            flag = self.declare(name, (0,), (1,), lambda at: at(polynomial))
            equation = self.equate(plus(flag.polynomial, polynomial, -1))
            self.linear.defined[self.words.number_of(flag)] = equation
            self._made[key] = flag, flag
        return self._made[key][0]

    def complement(self, flag: Value) -> Value:
        """Return 1 minus a flag."""
        return self.flag(plus(constant(1), flag.polynomial, -1), "not")

    def _extreme(self, head: str, args: list[Value]) -> Value:
        best = args[0]
        for other in args[1:]:
            gap = self.value(plus(other.polynomial, best.polynomial, -1))
            if gap.low >= 0 or gap.high <= 0:
                best = other if (gap.low >= 0) == (head == "max") and gap.high != 0 else best
                continue
            above = self.less(best, other)
            chosen, kept = (other, best) if head == "max" else (best, other)
            best = self.words.select(above, chosen, kept, head)
        return best

    def multiply(self, a: Value, b: Value) -> Value:
        """Return the product of two values of any sign."""
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Value(times(a.polynomial, b.polynomial), min(ends), max(ends))

    def less(self, a: Value, b: Value) -> Value:
        """Return the flag that says whether ``a < b``: the borrow of a difference that is wide enough."""
        gap = self.value(plus(a.polynomial, b.polynomial, -1))
        low, high = max(gap.low, a.low - b.high), min(gap.high, a.high - b.low)
        if low >= 0:
            return self.words.constant(0)
        if high < 0:
            return self.words.constant(1)
        width = max(int(-low).bit_length(), int(high).bit_length())
        zero = self.words.constant(0)
        return self.words.difference(Value(a.polynomial, a.low, a.high), b, zero, width, "less")[0]

    def divide(self, a: Value, by: Value, name: str = "part") -> tuple[Value, Value]:
        """Return the quotient, rounded down, and the remainder."""
        if by.is_constant and by.low > 0 and by.low & by.low - 1 == 0:
            power = int(by.low)
            lift = -(a.low // power) if a.low < 0 else 0
            up = lift * power
            lifted = Value(plus(a.polynomial, constant(up)), a.low + up, a.high + up)
            high, low = self.words.divide(lifted, power, name)
            return Value(plus(high.polynomial, constant(lift), -1), high.low - lift, high.high - lift), low
        if by.low <= 0:
            raise ProofError("a divisor may be 0")
        key = ("divide", frozenset(a.polynomial.items()), frozenset(by.polynomial.items()))
        if key not in self._made:
            self._made[key] = self._divide(a, by, name)
        return self._made[key]

    def _divide(self, a: Value, by: Value, name: str) -> tuple[Value, Value]:
        for before, quotient, rest in self._divisions.get(frozenset(by.polynomial.items()), []):
            bits = _power_between(before, a.polynomial)
            if bits > 0:  # long division goes on: 2^bits·before / by = 2^bits·quotient + 2^bits·rest / by
                more, last = self.divide(self.value(scaled(rest.polynomial, 1 << bits)), by, name)
                return self.value(plus(scaled(quotient.polynomial, 1 << bits), more.polynomial)), last
            if bits < 0:  # ⌊before / by⌋ / 2^-bits, rounded down, is the quotient of before / 2^-bits
                less = self.divide(quotient, self.words.constant(1 << -bits))[0]
                return less, self._remainder(a, by, less, name)
        quotient = self._quotient(a, by, name)
        rest = self._remainder(a, by, quotient, name)
        self._divisions.setdefault(frozenset(by.polynomial.items()), []).append((a.polynomial, quotient, rest))
        return quotient, rest

    def _quotient(self, a: Value, by: Value, name: str) -> Value:
        ends = [x // y for x in (a.low, a.high) for y in (by.low, by.high)]
        return self.declare(
            f"{name}.quotient", (min(ends),), (max(ends),), lambda at: at(a.polynomial) // at(by.polynomial)
        )

    def _remainder(self, a: Value, by: Value, quotient: Value, name: str) -> Value:
        in_q = self.by_q(plus(by.polynomial, constant(1), -1))
        rest = self.declare(
            f"{name}.remainder", (0,), in_q if in_q is not None else (by.high - 1,),
            lambda at: at(a.polynomial) % at(by.polynomial),
        )  # fmt: skip
        product = times(quotient.polynomial, by.polynomial)
        equation = self.equate(plus(plus(product, rest.polynomial), a.polynomial, -1))
        self.linear.defined[self.words.number_of(rest)] = equation
        self.remainders[self.words.number_of(rest)] = by.polynomial
        self.relate(product, equation)
        if in_q is None:
            self.not_negative(plus(plus(by.polynomial, constant(1), -1), rest.polynomial, -1), f"{name}.room")
        return rest

    def relate(self, product: Polynomial, equation: int) -> None:
        """Let proofs replace a product of two variables by what an equation says of it."""
        if len(product) == 1:
            monomial = next(iter(product))
            if len(monomial) == 2:
                self.linear.products[monomial[0], monomial[1]] = equation

    def inverse(self, number: Value, modulus: Value) -> Value:
        """Return the inverse of a number modulo another one, which must be coprime."""
        key = ("inverse", frozenset(number.polynomial.items()), frozenset(modulus.polynomial.items()))
        if key in self._made:
            return self._made[key][0]
        in_q = self.by_q(plus(modulus.polynomial, constant(1), -1))

        def found(at: Any) -> int:
            size = at(modulus.polynomial)
            return pow(at(number.polynomial), -1, size) if size > 1 else 0

        value = self.declare("inverse", (0,), in_q if in_q is not None else (modulus.high - 1,), found)
        product = times(value.polynomial, number.polynomial)
        multiple = self.declare(
            "inverse.multiple", (-1,), (number.high,),
            lambda at: (at(product) - 1) // at(modulus.polynomial),
        )  # fmt: skip
        zero = plus(plus(product, constant(1), -1), times(multiple.polynomial, modulus.polynomial), -1)
        equation = self.equate(zero)
        self.relate(product, equation)
        self.inverses[self.words.number_of(value)] = Inverse(number.polynomial, modulus.polynomial, equation)
        self._made[key] = value, value
        return value

    # Comparisons.

    def assume(self, what: Comparison, names: Mapping[str, Value]) -> None:
        """Add the facts that a comparison states."""
        if what.sign == "≈":
            return
        if what.sign in ("<", "≤"):
            for gap in self._gaps(what, names):
                self.not_negative(gap, "slack")
            return
        if what.sign == "≡":
            self._congruent(*self._difference(what, names))
            return
        match what.left, what.right:
            case Operator("bits", (number,)), right:
                bits = self.number(right, names)
                size = self.evaluate(number, names).polynomial
                self.not_negative(plus(size, constant(1 << bits - 1), -1), "slack")
                self.not_negative(plus(constant((1 << bits) - 1), size, -1), "slack")
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
                    self.not_negative(plus(plus(by.polynomial, constant(1), -1), left_over.polynomial, -1), "room")
            case _:
                first, second = self.evaluate(what.left, names), self.evaluate(what.right, names)
                self.equate(plus(first.polynomial, second.polynomial, -1))

    def _gaps(self, what: Comparison, names: Mapping[str, Value]) -> Iterator[Polynomial]:
        """Yield the polynomials that an inequality states to be at least 0."""
        for left in self.parts_of(what.left, "max"):
            for right in self.parts_of(what.right, "min"):
                gap = plus(self.evaluate(right, names).polynomial, self.evaluate(left, names).polynomial, -1)
                yield plus(gap, constant(what.sign == "<"), -1)

    def _difference(self, what: Comparison, names: Mapping[str, Value]) -> tuple[Polynomial, Value]:
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

    # Proofs.

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
            for gap in self._gaps(what, names):
                self.prove_natural(gap)
            return
        if what.sign == "≡":
            difference, modulus = self._difference(what, names)
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

    def prove_natural(self, polynomial: Polynomial) -> None:
        """Prove that an integer is at least 0."""
        if not is_integral(polynomial):
            raise ProofError("the value need not be an integer")
        if not polynomial:
            return
        bounds = self.linear.at_least(polynomial, levels=self.levels)
        if bounds.under or bounds.of != polynomial or self.checker.minimum(bounds.low) <= -1:
            raise ProofError("the bounds are of something else")

    def prove_zero(self, polynomial: Polynomial, splits: int = 7) -> int | None:
        """Prove that an integer is 0, and return the equation that says so."""
        expanded = self.linear.expand(self.checker.identity(polynomial))
        related = self.linear.relate(expanded)
        reason = ProofError("")
        for found in (expanded, related) if related.right != expanded.right else (expanded,):
            try:
                factor = _content(found.right)
                if factor:
                    wraps = self.checker.scale(found, mpq(1, factor))
                    fact = self.linear.zero(wraps.left, splits, wraps, self.levels)
                    found = self.checker.substitute(found, fact, constant(factor))
                return self.checker.derive(found) if polynomial else None
            except ProofError as error:
                reason = error
        raise reason

    def prove_multiple(self, polynomial: Polynomial, modulus: Polynomial, radix: int = 0) -> None:
        """Prove that an integer is a multiple of another one, which is a number times a product of variables.

        If the modulus is an odd q, the integer may be multiplied by a power of two and by its inverse.
        """
        radix = radix or self.radix
        (product, unit), *others = modulus.items() or [((), 0)]
        if others or unit == 0:
            raise ProofError("the modulus is not a number times a product of variables")
        if product == (0,) and unit == 1 and self.checker.greatest == 1:
            return  # every integer is a multiple of q = 1
        first = self._reduced(self.linear.expand(self.checker.identity(polynomial)), modulus)
        found = self._congruences(first, product, unit)
        left = {m: c for m, c in found.right.items() if not _divides(product, unit, m, c)}
        if left:
            try:
                found = self._without(found, left, product, unit)
            except ProofError:
                if not self.is_odd or product != (0,) or not radix or self._made.keys() & self._radix_key(radix):
                    raise
                self.inverse(self.words.constant(radix), self.modulus)
                return self.prove_multiple(polynomial, modulus, radix)
        if found.under or not all(_divides(product, unit, m, c) for m, c in found.right.items()):
            raise ProofError("not a multiple")

    def _radix_key(self, radix: int) -> set[object]:
        return {("inverse", frozenset({((), radix)}), frozenset({((0,), 1)}))}

    def _without(self, found: Equal, left: Polynomial, product: tuple[int, ...], unit: int) -> Equal:
        """Remove terms that are not multiples of the modulus: they are 0, or 0 in terms of remainders."""
        common = tuple(v for v in _common(left) if v in self.inverses)
        zero = {_without(m, common): c for m, c in left.items()}
        reason = ""
        plain, lowered = self.checker.identity(zero), self.linear.lower(self.checker.identity(zero))
        for form in (plain, lowered, self._without_remainders(lowered, product)):
            rest = {m: _centred(c, unit, product) for m, c in form.right.items() if not _divides(product, unit, m, c)}
            try:
                if form.right != zero:
                    same = self.checker.derive(self.checker.shift(form, scaled(form.right, -1)))
                    found = self.checker.substitute(found, same, {common: 1})
                if rest:
                    scale = lcm(*(int(mpq(c).denominator) for c in rest.values()))
                    fact = self.prove_zero(scaled(rest, scale))
                    assert fact is not None
                    found = self.checker.substitute(found, fact, {common: mpq(1, scale)})
                return found
            except ProofError as error:
                reason += f"{error}; "
        raise ProofError(reason)

    def _without_remainders(self, found: Equal, product: tuple[int, ...]) -> Equal:
        """Replace remainders of divisions by the modulus, each of which is congruent to its dividend."""
        for variable in sorted(variables(found.right) & self.remainders.keys(), reverse=True):
            if self.remainders[variable] == {product: 1}:
                equation = self.linear.defined[variable]
                while factor := quotient_by(found.right, variable):
                    found = self.checker.substitute(found, equation, factor)
        return found

    def _reduced(self, found: Equal, modulus: Polynomial) -> Equal:
        """Replace products of inverses by 1 plus a multiple of the modulus.

        If some terms have no inverse as a factor, they are first multiplied by the inverse and its number.
        """
        found = self.linear.relate(found, next(iter(modulus)))
        for variable, inverse in self.inverses.items():
            if inverse.modulus != modulus:
                continue
            number = inverse.number.get((), 0) if len(inverse.number) == 1 else 0
            while number:
                whole = {
                    _without(m, (variable,)): c / mpq(number) for m, c in found.right.items()
                    if variable in m and mpq(c) % number == 0
                }  # fmt: skip
                if not whole:
                    break
                found = self.linear.expand(self.checker.substitute(found, inverse.equation, whole))
            if any(variable in monomial for monomial in found.right):
                beside = {m: c for m, c in found.right.items() if variable not in m and not _has(m, modulus)}
                found = self.linear.expand(self.checker.substitute(found, inverse.equation, scaled(beside, -1)))
        return self.linear.relate(found, next(iter(modulus)))

    def _congruences(self, found: Equal, product: tuple[int, ...], unit: int) -> Equal:
        """Subtract multiples of the congruences that were assumed, where they remove terms."""
        for equation in self.congruences:
            zero = self.checker.equations[equation]
            for monomial, coefficient in zero.items():
                if abs(coefficient) == 1 and monomial in found.right and monomial != ():
                    if not _divides(product, unit, monomial, found.right[monomial]):
                        factor = constant(found.right[monomial] * coefficient)
                        found = self.checker.substitute(found, equation, factor)
                    break
        return found

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


def _divides(product: tuple[int, ...], unit: int, monomial: tuple[int, ...], coefficient: Any) -> bool:
    return coefficient % unit == 0 and not Counter(product) - Counter(monomial)


def _centred(coefficient: Any, unit: int, product: tuple[int, ...]) -> Any:
    """Return the number nearest to 0 that differs from a coefficient by a multiple of the modulus."""
    if product or mpq(coefficient).denominator != 1:
        return coefficient
    rest = int(coefficient) % unit
    return rest - unit if 2 * rest > unit else rest


def _has(monomial: tuple[int, ...], modulus: Polynomial) -> bool:
    (product,) = modulus
    return not Counter(product) - Counter(monomial)


def _power_between(a: Polynomial, b: Polynomial) -> int:
    """Return the n, not 0, for which b is 2^n times a, or 0."""
    if a.keys() != b.keys() or not a:
        return 0
    ratios = {mpq(b[m]) / a[m] for m in a}
    ratio = ratios.pop()
    up, down = int(ratio.numerator), int(ratio.denominator)
    if ratios or ratio <= 0 or up & up - 1 or down & down - 1:
        return 0
    return up.bit_length() - down.bit_length()


def _common(polynomial: Polynomial) -> tuple[int, ...]:
    """Return the variables that all monomials have in common."""
    first, *others = map(Counter, polynomial)
    for other in others:
        first &= other
    return tuple(sorted(first.elements()))


def _without(monomial: tuple[int, ...], factor: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(monomial) - Counter(factor)).elements()))


def _content(polynomial: Polynomial) -> int:
    """Return the greatest number that divides all coefficients."""
    return gcd(*(int(c) for c in polynomial.values()))


__all__ = ["ALMOST", "Equal", "RuleFacts"]
