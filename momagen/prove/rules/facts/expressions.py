"""Expressions in the notation of the rule files as polynomials.

A quotient, a remainder or an inverse becomes a new variable with the equation that defines it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import (
    Polynomial,
    constant,
    plus,
    scaled,
    times,
)
from momagen.prove.rules.facts.integers import Inverse
from momagen.prove.rules.facts.lengths import LengthTable, RuleLengths
from momagen.prove.rules.notation import Identifier, LimbList, Node, Numeral
from momagen.prove.rules.numbers import apply_operator
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

Names = dict[str, Value]


class RuleExpressions(RuleLengths):
    """Expressions about the integers of one proof."""

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
            count = self.evaluate(node.attribute, names)
            table = self.table_of(count)
            if table is None or count.is_constant:
                return self._sum(node.args[0], names, self.number(node.attribute, names))
            sums = [self._sum(node.args[0], names, i) for i in range(max(table.entries) + 1)]
            if not all(each.is_constant for each in sums):
                raise ProofError("the terms of a sum with an unknown number of terms must be known")
            return self.tabled(LengthTable(table.number, tuple(sums[entry].low for entry in table.entries)))
        if node.head == "if":
            condition = self.evaluate(node.args[0], names)
            if condition.is_constant:
                return self.evaluate(node.args[1 if condition.low else 2], names)
            chosen, other = (self.evaluate(arg, names) for arg in node.args[1:])
            return self.words.select(self.flag(condition.polynomial, "if"), chosen, other, "if")
        args = [self.evaluate(arg, names) for arg in node.args]
        far = 0 if node.attribute is None else self.number(node.attribute, names)
        return self._operator(node.head, args, far)

    def _sum(self, term: Node, names: Mapping[str, Value], count: int) -> Value:
        """Return the sum of a known number of terms."""
        total: Polynomial = {}
        for i in range(count):
            total = plus(total, self.evaluate(term, {**names, "i": self.words.constant(i)}).polynomial)
        return self.value(total)

    def _tabled(self, head: str, args: list[Value]) -> Value | None:
        """Return an operation on functions of one length and known numbers as such a function, or None."""
        tables = [self.table_of(arg) for arg in args]
        known = [table for table in tables if table is not None]
        if not known or any(t is None and not a.is_constant for t, a in zip(tables, args, strict=True)):
            return None
        if any(table.number != known[0].number for table in known):
            return None
        rows = [t.entries if t else (a.low,) * len(known[0].entries) for t, a in zip(tables, args, strict=True)]
        entries = tuple(apply_operator(head, list(column), 0) for column in zip(*rows, strict=True))
        return self.tabled(LengthTable(known[0].number, entries))

    def _operator(self, head: str, args: list[Value], far: int) -> Value:
        p = [arg.polynomial for arg in args]
        if head in ("max", "min", "/") and (tabled := self._tabled(head, args)) is not None:
            return tabled
        match head:
            case "+":
                return self.value(plus(p[0], p[1]))
            case "-":
                return self.value(plus(p[0], p[1], -1))
            case "·":
                return self.multiply(*args)
            case "2^":
                if not args[0].is_constant and (power := self.powers(args[0])) is not None:
                    return power
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
                lengths = {int(end).bit_length() for end in (args[0].low, args[0].high)}
                if args[0].is_constant or (args[0].low > 0 and len(lengths) == 1):
                    return self.words.constant(lengths.pop())
                return self.length(args[0])
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
        borrow = self.words.difference(Value(a.polynomial, a.low, a.high), b, zero, width, "less")[0]
        return self.flag(borrow.polynomial, "less")

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
                more = self._narrowed(more, by, (1 << bits) - 1)
                return self.value(plus(scaled(quotient.polynomial, 1 << bits), more.polynomial)), last
            if bits < 0:  # ⌊before / by⌋ / 2^-bits, rounded down, is the quotient of before / 2^-bits
                less = self.divide(quotient, self.words.constant(1 << -bits))[0]
                return less, self._remainder(a, by, less, name)
        quotient = self._quotient(a, by, name)
        rest = self._remainder(a, by, quotient, name)
        self._divisions.setdefault(frozenset(by.polynomial.items()), []).append((a.polynomial, quotient, rest))
        return quotient, rest

    def _narrowed(self, quotient: Value, by: Value, most: int) -> Value:
        """Return a quotient with its greatest value, which follows from that of the dividend."""
        if quotient.high <= most or len(quotient.polynomial) != 1:
            return quotient
        gap = plus(constant(most), quotient.polynomial, -1)
        self.prove_by_product(gap, by.polynomial)
        self.slack(gap)
        self.narrow(gap)
        return self.words.adopt(self.words.number_of(quotient))

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
            self.not_negative(plus(plus(by.polynomial, constant(1), -1), rest.polynomial, -1))
        return rest

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
