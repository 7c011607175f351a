"""A reader for functions that are written as text, in ``rules/programs.toml`` and the other ``FILES``.

The texts have the grammar of Python. Numbers that are known when a kernel is generated are *given*: tests on
them are decided by the reader, so that only one branch remains.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from momagen.data import folder
from momagen.errors import MomagenError

from .build import Function
from .expression_text import OPERATORS, ExpressionReader
from .expressions import Expr, Name, Number, Type, binary, number
from .statements import Do, Statement

FILES = ("programs.toml", "passes.toml", "threads.toml", "rns.toml", "sharing.toml")
"""The files in ``rules`` that contain functions."""
IN_PLACE = "in place"
"""The value of ``copies`` for macros. A call of a macro is replaced by its text, with the arguments in
place of its parameters. The text may use all names that are known at the call."""
Row = Mapping[str, Any]
"""The row of a function in a file."""


@cache
def texts() -> dict[str, Row]:
    """Return the rows of all functions by name."""
    rows: dict[str, Row] = {}
    for name in FILES:
        rows |= tomllib.loads((folder("rules") / name).read_text(encoding="utf-8"))
    return rows


def add_texts(rows: str) -> None:
    """Add the functions of another kind of kernel.

    Args:
        rows: The functions in TOML, in the format of ``rules/programs.toml``.

    Raises:
        MomagenError: There is already another function with one of the names.
    """
    for name, row in tomllib.loads(rows).items():
        if texts().setdefault(name, row) != row:
            raise MomagenError("functions with new names", name, "functions in text")


@cache
def _parsed(text: str) -> ast.Module:
    """Return the syntax tree of a text."""
    return ast.parse(text)


def function(name: str, call: Callable[..., Expr], given: Mapping[str, Any], called: str = "") -> Function:
    """Return a function of the files.

    Args:
        name: The name of the row.
        call: The function that builds a call of another function of the program, by its name.
        given: The numbers, strings for comments, and objects with such attributes that the text uses; and
            functions that are called when the text is read, which return an expression or a list of
            statements.
        called: The name of the result, if it is not ``name``, so that several functions may have the same
            text.

    Raises:
        KeyError: There is no such row.
        MomagenError: The text uses an unknown name, or a statement or expression that is not supported.
    """
    row = texts()[name]
    result = Type[row["gives"]] if "gives" in row else None
    f = Function(called or name, [], "", result, row.get("vector", False))
    f.copies = given.get("copies", row.get("copies", ""))
    reader = _Reader(f, call, given)
    found = [reader.param(*each.partition(" if ")[::2]) for each in row["args"].split(", ")]
    f.params, f.taken = [param for param, taken in found if taken], [taken for _, taken in found]
    try:
        reader.read(_parsed(row["text"]).body)
    except (KeyError, SyntaxError) as error:
        wanted = "a known name" if isinstance(error, KeyError) else "a statement or an expression of a function"
        raise MomagenError(wanted, error.args[0], f"rules, function {name}") from error
    return f


class _Reader(ExpressionReader):
    """A reader that appends statements to the function ``f``."""

    def __init__(self, f: Function, call: Callable[..., Expr], given: Mapping[str, Any]) -> None:
        super().__init__(call, given)
        self.f = f

    def param(self, param: str, test: str) -> tuple[Name, bool]:
        """Return a parameter, and whether it exists.

        Args:
            param: The name, followed by a colon and the type unless it is a count.
            test: The condition on given numbers under which the parameter exists, or "". Otherwise, calls
                drop the argument.
        """
        name, *of = param.split(": ")
        found = Name(name, *map(Type.__getitem__, of))
        taken = not test or self.holds(ast.parse(test, mode="eval").body)
        self.known[name] = found
        return found, taken

    def read(self, body: list[ast.stmt]) -> None:
        """Append all statements of a block."""
        self.body = body
        for each in body:
            self._statement(each)

    def _inner(self, body: list[ast.stmt], **names: Expr) -> None:
        """Append the statements of a block whose names are only visible inside it."""
        known = dict(self.known)
        self.known |= names
        self._same_block(body)
        self.known = known

    def _same_block(self, body: list[ast.stmt]) -> None:
        """Append statements whose names remain visible afterwards."""
        around = self.body
        self.read(body)
        self.body = around

    def _in_place(self, row: Row, args: list[ast.expr]) -> None:
        """Append the text of a macro with its arguments."""
        names = row["args"].split(", ") if row["args"] else []
        put = _Put(dict(zip(names, args, strict=True)))
        self._same_block([put.visit(each) for each in ast.parse(row["text"]).body])

    def _statement(self, node: ast.stmt) -> None:
        """Append a statement.

        Raises:
            SyntaxError: The statement is not supported.
        """
        match node:
            case ast.Expr(ast.Constant(str(doc))):
                self.f.doc += doc.format_map(self.given)
            case ast.Expr(ast.NamedExpr(ast.Name(name), value)):
                self.known[name] = self.value(value)
            case ast.Expr(ast.Call(ast.Name("copy" | "clear" as name), args)):
                getattr(self.f, name)(*map(self.value, args))
            case ast.Expr(ast.Call(ast.Name(name), args)) if texts().get(name, {}).get("copies") == IN_PLACE:
                self._in_place(texts()[name], args)
            case ast.Expr(ast.Call() as call):
                found: Expr | list[Statement] = self.value(call)
                self.f.add(*(found if isinstance(found, list) else [Do(found)]))
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
                    self._inner(body)
            case ast.If(test, body, otherwise):
                self._if(self.value(test), body, otherwise)
            case ast.Return(ast.expr() as value):
                self.f.give(self.value(value))
            case _:
                raise SyntaxError(ast.unparse(node))

    def _assign(self, name: str, value: ast.expr) -> None:
        """Append an assignment, or the declaration of a variable or an array."""
        match value:
            case ast.Call(ast.Name("counts"), [ast.Name(given)]):
                self.known[name] = self.f.table(name, self.given[given])
            case ast.Call(ast.Name("array"), args, keywords):
                count, *first = map(self.known_number, args)
                line = {str(each.arg): self.known_number(each.value) for each in keywords}
                self.known[name] = self.f.array(name, count, first or None, **line)
            case _ if name in self.known:
                self.f.set(self.known[name], self.value(value))
            case _:
                self._begin(name, value)

    def _begin(self, name: str, value: ast.expr, type: Type | None = None) -> None:
        """Declare a variable. It is constant if its block assigns nothing to it afterwards."""
        make = self.f.let if _assigned(tuple(self.body))[name] == (0 if type else 1) else self.f.variable
        self.known[name] = make(name, self.value(value), type)

    def _loop(self, name: str, turns: ast.expr, body: list[ast.stmt]) -> None:
        """Append a loop over ``range``, ``reversed(range)`` or ``turns``.

        Raises:
            SyntaxError: ``turns`` is none of these.
        """
        match turns:
            case ast.IfExp(test, yes, no):
                self._loop(name, yes if self.holds(test) else no, body)
            case ast.Call(ast.Name("reversed"), [ast.Call(ast.Name("range"), limits)]):
                self._each(name, limits, body, down=True)
            case ast.Call(ast.Name("range"), limits):
                self._each(name, limits, body)
            case ast.Call(ast.Name("turns"), [count]):
                with self.f.turns(name, self.known_number(count)) as found:
                    self._inner(body, **{name: found})
            case _:
                raise SyntaxError(ast.unparse(turns))

    def _each(self, name: str, limits: list[ast.expr], body: list[ast.stmt], down: bool = False) -> None:
        """Append a loop over a range."""
        first, limit, step = ([number(0)] * (len(limits) == 1) + [*map(self.value, limits), number(1)])[:3]
        copies = self.given.get("loop_copies", 0)
        with self.f.each(name, limit, first, step, down=down, unroll=copies) as found:
            self._inner(body, **{name: found})

    def _if(self, test: Expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        """Append a branch, or only the selected block if the test is known."""
        if isinstance(test, Number):
            return self._same_block(body if test.value else otherwise)
        with self.f.if_(test) as found:
            self._inner(body)
        with self.f.otherwise(found):
            self._inner(otherwise)


class _Put(ast.NodeTransformer):
    """A transformer that replaces names by expressions."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the expression that replaces a name, or the name."""
        return self.given.get(node.id, node)


@lru_cache(maxsize=64)
def _assigned(body: tuple[ast.stmt, ...]) -> Counter[str]:
    """Return how often each variable is assigned to in a block, except by declarations with a type."""
    stored = (node for each in body for node in ast.walk(each) if isinstance(node, ast.Assign | ast.AugAssign))
    goals = (node.targets[0] if isinstance(node, ast.Assign) else node.target for node in stored)
    return Counter(goal.id for goal in goals if isinstance(goal, ast.Name))
