"""Proves a rule as an identity of polynomials in z = 2^w, with SymPy: for digits of any size at once.

Every digit is a symbol. An operation's result is *defined* by an equation: of [h, l] = a·b the high half h is a new
symbol and l = a·b - h·z^digits; of [δ:1, s] = a + b the carry δ is new and s = a + b - δ·z^digits; what a low-part
operation drops is a new symbol times z^digits; of a number taken apart all digits but the lowest are new. The identity
must hold whatever the new symbols are.

This module alone imports SymPy, which takes 0.17 s on an AMD Zen 5, and no command imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from sympy import Expr, Integer, Poly, Symbol, expand

from momagen.ir import OPS
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.rule import Rule

z = Symbol("z")

_TOTALS: dict[str, Callable[..., Expr]] = {
    **dict.fromkeys(("add", "addc", "addlo", "addclo"), lambda *terms: sum(terms, Integer(0))),
    **dict.fromkeys(("sub", "subb", "sublo", "subblo"), lambda a, *terms: a - sum(terms, Integer(0))),
    **dict.fromkeys(("mul", "mullo"), lambda a, b: a * b),
}  # fmt: skip
"""What the results make together: the last one, and z^digits times the first, or what is dropped."""
_EXACT: dict[str, Callable[..., Expr]] = {
    "select": lambda f, a, b: f * a + (1 - f) * b, "word": lambda f: f,
    "and": lambda a, b: a * b, "or": lambda a, b: a + b - a * b, "not": lambda a: 1 - a,
}  # fmt: skip
_UNIT = 64
"""The width that stands for one digit."""


class IdentityError(AssertionError):
    """The two sides differ as polynomials: the rule and the difference."""


def _joined(digits: Sequence[Expr]) -> Expr:
    return sum((digit * z**i for i, digit in enumerate(reversed(digits))), Integer(0))


class Polynomials:
    """An algebra of polynomials in z."""

    def __init__(self) -> None:
        self._names = count()

    def new(self) -> Expr:
        return Symbol(f"n{next(self._names)}")

    def emit(self, op: str, width: int, *args: Expr, k: int) -> Sequence[Expr]:
        if op in _EXACT:
            return [_EXACT[op](*args)]
        beyond = self.new()
        low = _TOTALS[op](*args) - _sign(op) * beyond * z ** (width // _UNIT)
        return [beyond, low][-len(OPS[op].results) :]

    def join(self, digits: Sequence[Expr], weight: int) -> Expr:
        return _joined(digits)

    def split(self, value: Expr, weight: int, count: int) -> Sequence[Expr]:
        high = [self.new() for _ in range(count - 1)]
        return [*high, value - _joined([*high, Integer(0)])]

    def cut(self, value: Expr, weight: int) -> Sequence[Expr]:
        return self.split(value, weight, 2)

    def const(self, number: int) -> Expr:
        return Integer(number)

    def assume(self, fact: Assume, value: Expr, most: Expr) -> Expr:
        return value


def _sign(op: str) -> int:
    return -1 if op.startswith("sub") else 1


def check_identity(rule: Rule) -> None:
    """Prove that the digits of the right-hand side sum to the left-hand side, modulo z^(number of digits named).

    Raises:
        IdentityError: they do not.
    """
    row, digits = OPS[rule.op], rule.digits
    args = [_joined([Symbol(name) for name in names]) for names in rule.names]
    results = evaluate(rule, Polynomials(), _UNIT, {"word": _UNIT}, args)
    got, size = results[-1], digits * len(row.results.replace("f", ""))
    if len(results) == 2:
        got, size = got + _sign(rule.op) * results[0] * z**digits, size + ("f" in row.results)
    difference = Poly(expand(got - _TOTALS[rule.op](*args)), z)
    low = {degree: c for (degree,), c in difference.terms() if degree < size and c != 0}
    if low:
        text = " + ".join(f"({c})·z^{degree}" for degree, c in sorted(low.items()))
        raise IdentityError(f"{rule.where}: the two sides of {rule.left!r} differ by {text}")
