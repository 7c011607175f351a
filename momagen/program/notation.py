"""Functions of a program as text: the rows of ``rules/programs.toml`` and of others in ``FILES``, in Python's grammar.

Numbers that are known when a kernel is generated are *given*: they decide tests, of which only one branch is left.
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
IN_PLACE = "in place"
"""A row that stands in other rows: its arguments are put into its text, which sees all names that are known there."""
Row = Mapping[str, Any]


@cache
def texts() -> dict[str, Row]:
    """The functions, by name."""
    rows: dict[str, Row] = {}
    for name in FILES:
        rows |= tomllib.loads((folder("rules") / name).read_text(encoding="utf-8"))
    return rows


def add_texts(rows: str) -> None:
    """Make functions of another kind of kernel known.

    Args:
        rows: The functions in TOML, as ``rules/programs.toml`` has them.

    Raises:
        MomagenError: There is already another function with one of the names.
    """
    for name, row in tomllib.loads(rows).items():
        if texts().setdefault(name, row) != row:
            raise MomagenError("functions with new names", name, "functions in text")


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def function(name: str, call: Callable[..., Expr], given: Mapping[str, Any], called: str = "") -> Function:
    """The function ``name`` of the files.

    Args:
        call: makes calls of others, by name. called: its own name, where several functions have the same text.
        given: numbers, words of comments, objects that have such; and what is called when the text is read: it makes an
            expression, or statements.

    Raises:
        KeyError: there is none.
        MomagenError: a name that is neither given, nor a parameter, nor a variable; or what is none of the statements
            and expressions below.
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
    """Appends statements to ``f``."""

    def __init__(self, f: Function, call: Callable[..., Expr], given: Mapping[str, Any]) -> None:
        super().__init__(call, given)
        self.f = f

    def param(self, param: str, test: str) -> tuple[Name, bool]:
        """A parameter, and whether ``test`` holds; where it does not, calls leave out what they give for it."""
        name, *of = param.split(": ")
        found = Name(name, *map(Type.__getitem__, of))
        taken = not test or self.holds(ast.parse(test, mode="eval").body)
        self.known[name] = found
        return found, taken

    def read(self, body: list[ast.stmt]) -> None:
        """Append all of it."""
        self.body = body
        for each in body:
            self._statement(each)

    def _inner(self, body: list[ast.stmt], **names: Expr) -> None:
        """A block, whose names end with it."""
        known = dict(self.known)
        self.known |= names
        self._same_block(body)
        self.known = known

    def _same_block(self, body: list[ast.stmt]) -> None:
        """Statements whose names live on."""
        around = self.body
        self.read(body)
        self.body = around

    def _in_place(self, row: Row, args: list[ast.expr]) -> None:
        names = row["args"].split(", ") if row["args"] else []
        put = _Put(dict(zip(names, args, strict=True)))
        self._same_block([put.visit(each) for each in ast.parse(row["text"]).body])

    def _statement(self, node: ast.stmt) -> None:
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
        """A variable, or a name where nothing in its block is assigned to it after this."""
        make = self.f.let if _assigned(tuple(self.body))[name] == (0 if type else 1) else self.f.variable
        self.known[name] = make(name, self.value(value), type)

    def _loop(self, name: str, turns: ast.expr, body: list[ast.stmt]) -> None:
        """Over a range, or one reversed: from the last to the first; or as ``turns`` do."""
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
        first, limit, step = ([number(0)] * (len(limits) == 1) + [*map(self.value, limits), number(1)])[:3]
        copies = self.given.get("loop_copies", 0)
        with self.f.each(name, limit, first, step, down=down, unroll=copies) as found:
            self._inner(body, **{name: found})

    def _if(self, test: Expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        if isinstance(test, Number):
            return self._same_block(body if test.value else otherwise)
        with self.f.if_(test) as found:
            self._inner(body)
        with self.f.otherwise(found):
            self._inner(otherwise)


class _Put(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


@lru_cache(maxsize=64)
def _assigned(body: tuple[ast.stmt, ...]) -> Counter[str]:
    """How often each variable is assigned to in a block."""
    stored = (node for each in body for node in ast.walk(each) if isinstance(node, ast.Assign | ast.AugAssign))
    goals = (node.targets[0] if isinstance(node, ast.Assign) else node.target for node in stored)
    return Counter(goal.id for goal in goals if isinstance(goal, ast.Name))
