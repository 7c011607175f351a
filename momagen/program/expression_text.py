"""A reader for expressions of functions that are written as text, in the grammar of Python.

Tests on numbers that are known when a kernel is generated are decided by the reader.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .expressions import Expr, Number, Operand, Real, Same, Type, binary, choice, number
from .statements import Again, Prefetch, Statement

OPERATORS: dict[type[ast.operator | ast.cmpop], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.Eq: "==",
    ast.NotEq: "!=",
}  # fmt: skip
"""The operators of programs by the classes of Python's syntax trees."""


def _known(value: Expr) -> int:
    """Return the value of an expression that must be a number which is known when a kernel is generated.

    Raises:
        SyntaxError: It is not.
    """
    if not isinstance(value, Number):
        raise SyntaxError(f"{value}, which is not known when a kernel is generated")
    return value.value


BUILT_IN: dict[str, Callable[..., Expr | list[Statement]]] = {
    "same": Same, "WORD": lambda value: Number(_known(value), Type.WORD),
    "LONG": lambda value: Number(_known(value), Type.LONG), "real": Real, "again": lambda pointer: [Again(pointer)],
    "prefetch": lambda pointer: [Prefetch(pointer)],
}  # fmt: skip
"""The functions that texts may call without a definition. Some yield an expression, others a list of
statements."""


class ExpressionReader:
    """A reader of expressions.

    Attributes:
        known: The expressions for which names stand.
        called: The functions that are called when the text is read.
        call: The function that builds a call of another function of the program, by its name.
        given: The numbers, and the objects with numbers as attributes, that the text uses.
    """

    def __init__(self, call: Callable[..., Expr], given: Mapping[str, Any]) -> None:
        self.call, self.given = call, given
        self.known = {name: number(value) for name, value in given.items() if isinstance(value, Operand)}
        self.called = BUILT_IN | {name: value for name, value in given.items() if callable(value)}

    def holds(self, test: ast.expr) -> bool:
        """Return whether a test holds, which must be decided by known numbers."""
        return self.known_number(test) != 0

    def known_number(self, node: ast.expr) -> int:
        """Return the value of an expression that must be a known number."""
        return _known(self.value(node))

    def value(self, node: ast.expr) -> Expr:
        """Return the expression that a syntax tree describes, simplified by known numbers.

        Raises:
            KeyError: A name is unknown.
            SyntaxError: The syntax tree is none of the supported expressions.
        """
        match node:
            case ast.Constant(int(value)):
                return Number(value)
            case ast.Name(name):
                return self.known[name]
            case ast.Attribute(ast.Name(name), of) if name in self.given:
                return number(int(bool(found) if isinstance(found := getattr(self.given[name], of), str) else found))
            case ast.UnaryOp(ast.Not(), operand):
                return Number(int(not self.holds(operand)))
            case ast.BinOp(left, op, right):
                return binary(OPERATORS[type(op)], self.value(left), self.value(right))
            case ast.Compare(ast.Attribute(ast.Name(name), of), [ast.Eq()], [ast.Constant(str(text))]):
                return Number(int(getattr(self.given[name], of) == text))
            case ast.Compare(left, [op], [right]):
                return binary(OPERATORS[type(op)], self.value(left), self.value(right))
            case ast.BoolOp(ast.And(), [first, *others]):
                found = self.value(first)
                for each in others:
                    found = self._both(found, each)
                return found
            case ast.BoolOp(ast.Or(), tests):
                return Number(int(any(map(self.holds, tests))))
            case ast.IfExp(test, yes, no):
                return self._choice(self.value(test), yes, no)
            case ast.Subscript(pointer, at):
                return self.value(pointer)[self.value(at)]
            case ast.Call(ast.Name(name), args):
                made: Expr = self.called.get(name, partial(self.call, name))(*map(self.value, args))
                return made
            case ast.Call(ast.Attribute(ast.Name(name), of), args):
                return self.call(getattr(self.given[name], of), *map(self.value, args))
        raise SyntaxError(ast.unparse(node))

    def _both(self, found: Expr, other: ast.expr) -> Expr:
        """Return the conjunction of two tests, or the undecided one if the other one is known to hold."""
        if isinstance(found, Number):
            return self.value(other) if found.value else found
        value = self.value(other)
        return found if isinstance(value, Number) and value.value else found.both(value)

    def _choice(self, test: Expr, yes: ast.expr, no: ast.expr) -> Expr:
        """Return a choice, or the selected side if the test is known."""
        if isinstance(test, Number):
            return self.value(yes if test.value else no)
        return choice(test, self.value(yes), self.value(no))
