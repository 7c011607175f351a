"""Functions of a program as text: the rows of ``rules/programs.toml``, read by Python's grammar.

Numbers that are known when a kernel is generated are *given*: they decide tests, of which only one branch is left.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import cast

from momagen.data import folder

from .build import Function
from .expressions import COMPARISONS, Expr, Name, Number, Operand, Same, Type, binary, choice, number

OPERATORS: dict[type[ast.operator | ast.cmpop], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.Eq: "==",
    ast.NotEq: "!=",
}  # fmt: skip
BUILT_IN: dict[str, Callable[..., Expr]] = {
    "same": Same, "WORD": lambda value: Number(value.value, Type.WORD),
    "LONG": lambda value: Number(value.value, Type.LONG),
}  # fmt: skip
Given = Operand | str | Callable[..., Expr]
"""A number, words of a comment, or what is called when the text is read."""


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """The functions, by name."""
    return tomllib.loads((folder("rules") / "programs.toml").read_text(encoding="utf-8"))


def function(name: str, call: Callable[..., Expr], given: Mapping[str, Given]) -> Function:
    """The function ``name`` of the file; ``call`` makes calls of others, by name.

    Raises:
        KeyError: there is none; or a name that is neither given, nor a parameter, nor a variable.
        SyntaxError: what is none of the statements and expressions below.
    """
    row = texts()[name]
    params = [each.split(": ") for each in row["args"].split(", ")]
    result = Type[row["gives"]] if "gives" in row else None
    f = Function(name, [Name(each, *map(Type.__getitem__, of)) for each, *of in params], "", result)
    f.copies = row.get("copies", "")
    _Reader(f, call, given).read(ast.parse(row["text"]))
    return f


class _Reader:
    """Appends statements to ``f``."""

    def __init__(self, f: Function, call: Callable[..., Expr], given: Mapping[str, Given]) -> None:
        self.f, self.call, self.given = f, call, given
        self.known = {name: number(value) for name, value in given.items() if isinstance(value, Operand)}
        self.known |= {param.text: param for param in f.params}
        self.called = BUILT_IN | {name: value for name, value in given.items() if callable(value)}

    def read(self, text: ast.Module) -> None:
        """Append all of it."""
        stored = [node for node in ast.walk(text) if isinstance(node, ast.Assign | ast.AugAssign)]
        goals = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in stored]
        self.assigned = Counter(goal.id for goal in goals if isinstance(goal, ast.Name))
        self._body(text.body)

    def _body(self, body: list[ast.stmt]) -> None:
        for each in body:
            self._statement(each)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant(str(doc))):
                self.f.doc += doc.format_map(self.given)
            case ast.Expr(ast.Call(ast.Name("copy" | "clear" as name), args)):
                getattr(self.f, name)(*map(self.value, args))
            case ast.Expr(call):
                self.f.do(self.value(call))
            case ast.Assign([ast.Name(name)], value):
                self._assign(name, value)
            case ast.AnnAssign(ast.Name(name), ast.Name(annotation), ast.expr() as value):
                self._begin(name, value, Type[annotation])
            case ast.Assign([goal], value):
                self.f.set(self.value(goal), self.value(value))
            case ast.AugAssign(goal, op, value):
                target = self.value(goal)
                self.f.set(target, binary(OPERATORS[type(op)], target, self.value(value)))
            case ast.For(ast.Name(name), turns, body):
                self._loop(name, turns, body)
            case ast.While(test, body):
                with self.f.while_(self.value(test)):
                    self._body(body)
            case ast.If(test, body, otherwise):
                self._if(self.value(test), body, otherwise)
            case ast.Return(ast.expr() as value):
                self.f.give(self.value(value))
            case _:
                raise SyntaxError(ast.unparse(node))

    def _assign(self, name: str, value: ast.expr) -> None:
        match value:
            case ast.Call(ast.Name("array"), args):
                count, *first = (cast(Number, self.value(each)).value for each in args)
                self.known[name] = self.f.array(name, count, first or None)
            case _ if name in self.known:
                self.f.set(self.known[name], self.value(value))
            case _:
                self._begin(name, value)

    def _begin(self, name: str, value: ast.expr, type: Type | None = None) -> None:
        """A variable, or a name where nothing is assigned after this; what stands with a type is not counted."""
        make = self.f.let if self.assigned[name] == (0 if type else 1) else self.f.variable
        self.known[name] = make(name, self.value(value), type)

    def _loop(self, name: str, turns: ast.expr, body: list[ast.stmt]) -> None:
        """Over a range, or one reversed: from the last to the first."""
        match turns:
            case ast.IfExp(test, yes, no):
                self._loop(name, yes if cast(Number, self.value(test)).value else no, body)
            case ast.Call(ast.Name("reversed"), [ast.Call(ast.Name("range"), limits)]):
                self._each(name, limits, body, down=True)
            case ast.Call(ast.Name("range"), limits):
                self._each(name, limits, body)
            case _:
                raise SyntaxError(ast.unparse(turns))

    def _each(self, name: str, limits: list[ast.expr], body: list[ast.stmt], down: bool = False) -> None:
        first, limit = [number(0), *map(self.value, limits)][-2:]
        with self.f.each(name, limit, first, down=down) as self.known[name]:
            self._body(body)

    def _if(self, test: Expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        if isinstance(test, Number):
            return self._body(body if test.value else otherwise)
        with self.f.if_(test) as found:
            self._body(body)
        with self.f.otherwise(found):
            self._body(otherwise)

    def value(self, node: ast.expr) -> Expr:
        """An expression; what given numbers decide is decided."""
        match node:
            case ast.Constant(int(value)):
                return Number(value)
            case ast.Name(name):
                return self.known[name]
            case ast.BinOp(left, op, right):
                return binary(OPERATORS[type(op)], self.value(left), self.value(right))
            case ast.Compare(left, [op], [right]):
                return _compared(OPERATORS[type(op)], self.value(left), self.value(right))
            case ast.BoolOp(ast.And(), [first, *others]):
                found = self.value(first)
                for each in others:
                    found = self._both(found, each)
                return found
            case ast.IfExp(test, yes, no):
                return self._choice(self.value(test), yes, no)
            case ast.Subscript(pointer, at):
                return self.value(pointer)[self.value(at)]
            case ast.Call(ast.Name(name), args):
                made: Expr = self.called.get(name, partial(self.call, name))(*map(self.value, args))
                return made
        raise SyntaxError(ast.unparse(node))

    def _both(self, found: Expr, other: ast.expr) -> Expr:
        if isinstance(found, Number):
            return self.value(other) if found.value else found
        value = self.value(other)
        return found if isinstance(value, Number) and value.value else found.both(value)

    def _choice(self, test: Expr, yes: ast.expr, no: ast.expr) -> Expr:
        if isinstance(test, Number):
            return self.value(yes if test.value else no)
        return choice(test, self.value(yes), self.value(no))


def _compared(op: str, left: Expr, right: Expr) -> Expr:
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(int(COMPARISONS[op](left.value, right.value)))
    return binary(op, left, right)
