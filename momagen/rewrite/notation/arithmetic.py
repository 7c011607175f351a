"""Integer arithmetic in the notation, compiled to Python: distances, guards and meanings of operations."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from types import CodeType
from typing import Any

from momagen.errors import MomagenError

from .syntax import Apply, Digits, Expr, Literal, Variable

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "≤": operator.le, "=": operator.eq, ">": operator.gt, "≥": operator.ge,
}  # fmt: skip
"""The comparisons on integers."""
Function = Callable[..., Any]
"""An expression that was compiled to a function."""
MOST_BITS, MOST_TERMS = 1 << 16, 1 << 12
"""The largest shift count in bits, and the largest number of terms of a sum. They bound memory and time."""
FAILURES = (ArithmeticError, ValueError, TypeError, LookupError, NameError, MemoryError, RecursionError)
"""The exceptions that Python raises if a text in the notation cannot be computed."""


def _shifted(a: int, n: int) -> int:
    """Return a·2^n."""
    if n > MOST_BITS:
        raise OverflowError(f"a shift by more than {MOST_BITS} bits")
    return a << n


def _cut(a: int, n: int) -> int:
    """Return a mod 2^n."""
    return a % _shifted(1, n)


def _sum(each: Callable[[int], int], count: int) -> int:
    """Return the sum of ``each(i)`` over i = 0, …, count - 1."""
    if count > MOST_TERMS:
        raise OverflowError(f"a sum of more than {MOST_TERMS} terms")
    return sum(map(each, range(count)))


_FUNCTIONS: dict[str, Callable[..., object]] = {
    **COMPARE,
    "2^": lambda a: _shifted(1, a), "<<": _shifted, "mod 2^": _cut, "sum": _sum, "min": min, "max": max, "abs": abs,
    "bits": int.bit_length, "inverse": lambda a, n: pow(a, -1, n), "if": lambda condition, a, b: a if condition else b,
}  # fmt: skip
_OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "·": ast.Mult(), "/": ast.FloorDiv(), "mod": ast.Mod(),
    ">>": ast.RShift(),
}  # fmt: skip
_GLOBALS = {"__builtins__": {}, **{f"{head}()": function for head, function in _FUNCTIONS.items()}}


def _python(expr: Expr) -> ast.expr:
    """Return an expression as a syntax tree of Python.

    Operators that Python lacks become calls of functions.
    """
    match expr:
        case Literal(value):
            return ast.Constant(value)
        case Variable(text):
            return ast.Name(text, ast.Load())
        case Digits(items):
            return _python(reduce(lambda high, low: Apply("+", (Apply("<<", (high, Variable("w"))), low)), items))
        case Apply("∧", args):
            return ast.BoolOp(ast.And(), [*map(_python, args)])
        case Apply("sum", (each,), count) if count is not None and "sum(" not in str(each):
            return _call("sum", [_lambda(["i"], _python(each)), _python(count)])
        case Apply(head, args, distance):
            found = [*map(_python, args), *([] if distance is None else [_python(distance)])]
            return ast.BinOp(found[0], _OPERATORS[head], found[1]) if head in _OPERATORS else _call(head, found)
    raise MomagenError("a value in the notation", expr, "the notation")


def _call(head: str, args: list[ast.expr]) -> ast.expr:
    """Return a call of the function for an operator."""
    return ast.Call(ast.Name(f"{head}()", ast.Load()), args, [])


def _lambda(names: Sequence[str], body: ast.expr) -> ast.expr:
    """Return a lambda expression."""
    args = [ast.arg(name) for name in names]
    return ast.Lambda(ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[]), body)


def _compiled(body: ast.expr) -> CodeType:
    """Return the compiled form of an expression."""
    return compile(ast.fix_missing_locations(ast.Expression(body)), "the notation", "eval")


@lru_cache(maxsize=4096)
def _code(expr: Expr) -> CodeType:
    """Return the compiled form of an expression in the notation."""
    return _compiled(_python(expr))


def number(expr: Expr, names: Mapping[str, int]) -> int:
    """Return the integer value of an expression.

    Args:
        expr: The expression.
        names: The values of its names.

    Raises:
        KeyError: A name has no value.
        MomagenError: The expression cannot be computed.
    """
    if isinstance(expr, Literal):
        return expr.value
    try:
        found: int = eval(_code(expr), _GLOBALS, names)
    except NameError as missing:
        raise KeyError(str(missing.name).removesuffix("()")) from None
    except FAILURES as error:
        raise MomagenError("an expression that can be computed", f"{expr}: {error}", "the notation") from None
    return found


def function(names: Sequence[str], expr: Expr, given: Mapping[str, Expr] | None = None) -> Function:
    """Return an expression as a function.

    Args:
        names: The names of the parameters.
        expr: The expression.
        given: Expressions for other names. Each may use the parameters and the names before it.
    """
    body = _python(expr)
    for name, value in [*(given or {}).items()][::-1]:
        body = ast.Call(_lambda([name], body), [_python(value)], [])
    made: Function = eval(_compiled(_lambda(names, body)), _GLOBALS)
    return made


@dataclass(frozen=True)
class Guard:
    """A conjunction of comparisons that must hold for all numbers in the intervals of the arguments.

    The name of an argument therefore denotes the upper end of its interval, and on the greater side of a
    comparison for the lower end.

    Attributes:
        text: The guard as it is written.
        terms: The comparisons.
    """

    text: str
    terms: tuple[Apply, ...]

    def holds(self, tops: Mapping[str, int], bottoms: Mapping[str, int] | None = None) -> bool:
        """Return whether every comparison holds.

        Args:
            tops: The upper ends of the intervals, and the values of all other names.
            bottoms: The lower ends. If it is None, the arguments are known numbers.

        Raises:
            KeyError: A name has no value.
        """
        ends = tops if bottoms is None else bottoms, tops
        return all([
            COMPARE[term.head](number(left, ends[term.head not in ">≥"]), number(right, ends[term.head in ">≥"]))
            for term in self.terms for left, right in [term.args]
        ])  # fmt: skip
