"""The proof of a rule as an identity of polynomials in z = 2^w with SymPy, for limbs of all sizes at once.

Every limb is a symbol. Operations *define* their results by equations: for [h, l] = a·b, the high half h is a
new symbol and l = a·b - h·z^digits; for [δ:1, s] = a + b, the carry δ is new and s = a + b - δ·z^digits. The
part that a low-part operation drops is a new symbol times z^digits. If a number is split, all limbs but the
lowest are new. The identity must hold for all values of the new symbols.

Only this module imports SymPy, which takes 0.17 s on an AMD Zen 5. No command imports this module.
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
"""The exact value of each operation. It is the last result, plus z^digits times the first result or, if there
is only one result, times the part that the operation drops."""
_EXACT: dict[str, Callable[..., Expr]] = {
    "select": lambda f, a, b: f * a + (1 - f) * b, "word": lambda f: f,
    "and": lambda a, b: a * b, "or": lambda a, b: a + b - a * b, "not": lambda a: 1 - a,
}  # fmt: skip
"""The operations whose results are polynomials in their arguments."""
_UNIT = 64
"""The width that represents one limb."""


class IdentityError(AssertionError):
    """The two sides of a rule differ as polynomials. The message names the rule and the difference."""


def _joined(digits: Sequence[Expr]) -> Expr:
    """Return the polynomial with the given limbs, the high one first."""
    return sum((digit * z**i for i, digit in enumerate(reversed(digits))), Integer(0))


class Polynomials:
    """An algebra of polynomials in z."""

    def __init__(self) -> None:
        self._names = count()

    def new(self) -> Expr:
        """Return a new symbol."""
        return Symbol(f"n{next(self._names)}")

    def emit(self, op: str, width: int, *args: Expr, k: int) -> Sequence[Expr]:
        """Return the results of an operation."""
        if op in _EXACT:
            return [_EXACT[op](*args)]
        beyond = self.new()
        low = _TOTALS[op](*args) - _sign(op) * beyond * z ** (width // _UNIT)
        return [beyond, low][-len(OPS[op].results) :]

    def join(self, digits: Sequence[Expr], weight: int) -> Expr:
        """Return the polynomial with the given limbs, the high one first."""
        return _joined(digits)

    def split(self, value: Expr, weight: int, count: int) -> Sequence[Expr]:
        """Return limbs of a polynomial, the high one first; all but the lowest are new symbols."""
        high = [self.new() for _ in range(count - 1)]
        return [*high, value - _joined([*high, Integer(0)])]

    def cut(self, value: Expr, weight: int) -> Sequence[Expr]:
        """Return the two parts of a polynomial; the high one is a new symbol."""
        return self.split(value, weight, 2)

    def const(self, number: int) -> Expr:
        """Return an integer as a polynomial."""
        return Integer(number)

    def assume(self, fact: Assume, value: Expr, most: Expr) -> Expr:
        """Return the value itself, since bounds do not affect polynomials."""
        return value


def _sign(op: str) -> int:
    """Return the sign of the carry in the exact value of a sum or difference."""
    return -1 if op.startswith("sub") else 1


def check_identity(rule: Rule) -> None:
    """Check that both sides of a rule are equal modulo z^n, where n is the number of limbs of the results.

    Raises:
        IdentityError: The sides differ.
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
