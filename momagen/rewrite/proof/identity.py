"""Proves a rule as an identity of polynomials in z = 2^w, with SymPy: for digits of any size at once.

Every digit is a symbol. An operation's result is *defined* by an equation: of [h, l] = a·b the high digit h is a new
symbol and l = a·b - h·z; of [δ:1, s] = a + b the carry δ is new and s = a + b - δ·z; what a low-part operation drops
is a new symbol times z^digits. The identity must hold whatever the new symbols are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from sympy import Expr, Integer, Poly, Symbol, expand

from momagen.ir import OPS
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.rule import Rule

Digits = tuple[Expr, ...]
"""A value: its digits, high part first."""

z = Symbol("z")

_SUMS: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b, "addc": lambda a, b, c: a + b + c,
    "addlo": lambda a, b: a + b, "addclo": lambda a, b, c: a + b + c,
    "sub": lambda a, b: a - b, "subb": lambda a, b, c: a - b - c,
    "sublo": lambda a, b: a - b, "subblo": lambda a, b, c: a - b - c,
    "mul": lambda a, b: a * b, "mullo": lambda a, b: a * b,
}  # fmt: skip
_EXACT: dict[str, Callable[..., Expr]] = {
    "select": lambda f, a, b: f * a + (1 - f) * b, "word": lambda f: f,
    "and": lambda a, b: a * b, "or": lambda a, b: a + b - a * b, "not": lambda a: 1 - a,
}  # fmt: skip


class IdentityError(AssertionError):
    """The two sides differ as polynomials: the rule and the difference."""


def _number(digits: Digits) -> Expr:
    return sum((digit * z**i for i, digit in enumerate(reversed(digits))), Integer(0))


class Polynomials:
    """An algebra of digits that are polynomials; ``unit`` is the width that stands for one digit."""

    def __init__(self, unit: int) -> None:
        self.unit, self._names = unit, count()

    def new(self) -> Expr:
        return Symbol(f"n{next(self._names)}")

    def emit(self, op: str, width: int, *args: Digits, k: int) -> Sequence[Digits]:
        numbers, digits, kinds = [_number(a) for a in args], width // self.unit, OPS[op].results
        if op in _EXACT:
            return [self._digits(_EXACT[op](*numbers), digits)]
        total = _SUMS[op](*numbers)
        if op == "mul":
            both = self._digits(total, 2 * digits)
            return [both[:digits], both[digits:]]
        beyond = self.new()
        word = self._digits(total - _sign(op) * beyond * z**digits, digits)
        return [(beyond,), word] if kinds == "fw" else [word]

    def _digits(self, total: Expr, digits: int) -> Digits:
        high = tuple(self.new() for _ in range(digits - 1))
        return (*high, expand(total - _number((*high, Integer(0)))))

    def join(self, digits: Sequence[Digits], weight: int) -> Digits:
        return tuple(part for digit in digits for part in digit)

    def split(self, value: Digits, weight: int, count: int) -> Sequence[Digits]:
        return [(Integer(0),)] * (count - len(value)) + [(digit,) for digit in value]

    def cut(self, value: Digits, weight: int) -> Sequence[Digits]:
        count = weight // self.unit
        return value[:-count] or (Integer(0),), value[-count:]

    def const(self, number: int) -> Digits:
        return (Integer(number),)

    def assume(self, fact: Assume, value: Digits, most: Digits) -> Digits:
        return value


def _sign(op: str) -> int:
    return -1 if op.startswith("sub") else 1


_UNIT = 64


def check_identity(rule: Rule) -> None:
    """Prove that the digits of the right-hand side sum to the left-hand side, modulo z^(number of digits named).

    Raises:
        IdentityError: they do not.
    """
    algebra = Polynomials(_UNIT)
    args = [tuple(Symbol(name) for name in names) for names in rule.names]
    results = evaluate(rule.side, algebra, _UNIT, {"word": _UNIT}, args)
    size, got = sum(map(len, results)), _number(algebra.join(results, _UNIT))
    if OPS[rule.op].results == "fw":
        got = _number(results[1]) + _sign(rule.op) * results[0][0] * z ** len(results[1])
    difference = Poly(expand(got - _SUMS[rule.op](*map(_number, args))), z)
    low = {degree: c for (degree,), c in difference.terms() if degree < size and c != 0}
    if low:
        text = " + ".join(f"({c})·z^{degree}" for degree, c in sorted(low.items()))
        raise IdentityError(f"{rule.where}: the two sides of {rule.left!r} differ by {text}")
