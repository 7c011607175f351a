"""Writes a function of a program, statement by statement.

The methods read as what they append: ``with f.each("i", n) as i: f.set(y[i], x[i])``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress

from momagen.ir import Block, Value

from .expressions import Call, Expr, Name, Number, Operand, Type, number
from .statements import (
    Array,
    Assign,
    Body,
    Clear,
    Copy,
    Do,
    Each,
    If,
    Let,
    Load,
    Return,
    RoundToNearest,
    Run,
    Scope,
    Statement,
    Store,
    Switch,
    Table,
    While,
)


@dataclass(eq=False)
class Function:
    """A function.

    Attributes:
        name, params: its name and parameters. doc: what it does, for people. result: the type it returns, if any.
        vector: registers are vectors of the target, else words of its host.
        copies: "apart": one copy that is called; "once": one for all callers whatever they give; "inline": one in every
            caller; "": as the compiler likes.
        taken: of all that calls may give, what the parameters are for; empty: all.
    """

    name: str
    params: Sequence[Name]
    doc: str = ""
    result: Type | None = None
    vector: bool = False
    copies: str = ""
    body: Body = field(default_factory=list)
    taken: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._open: list[Body] = [self.body]

    def __call__(self, *args: Operand) -> Call:
        """A call of the function."""
        if len(args) == len(self.taken):
            args = tuple(compress(args, self.taken))
        assert len(args) == len(self.params), self.name
        return Call(self.name, tuple(map(number, args)), self.result or Type.COUNT)

    def add(self, *statements: Statement) -> None:
        """Append ``statements``."""
        self._open[-1] += statements

    def let(self, name: str, value: Operand, type: Type | None = None) -> Name:
        """A name for ``value``."""
        return self._let(name, number(value), type, True)

    def variable(self, name: str, value: Operand, type: Type | None = None) -> Name:
        """A variable that begins as ``value``."""
        return self._let(name, number(value), type, False)

    def _let(self, name: str, value: Expr, type: Type | None, fixed: bool) -> Name:
        found = Name(name, type or value.type)
        self.add(Let(found, value, fixed))
        return found

    def set(self, target: Expr, value: Operand) -> None:
        """``target`` becomes ``value``."""
        self.add(Assign(target, number(value)))

    def step(self, target: Expr, by: Operand) -> None:
        """``target`` grows by ``by``."""
        if not (isinstance(by, int) and by == 0):
            self.set(target, target + by)

    def array(self, name: str, count: int, first: Sequence[int] | None = None, line: int = 0) -> Name:
        """An array of words."""
        found = Name(name, Type.WORDS)
        self.add(Array(found, count, first, line))
        return found

    def table(self, name: str, counts: Sequence[int]) -> Name:
        """An array of known counts."""
        found = Name(name, Type.COUNTS)
        self.add(Table(found, counts))
        return found

    @contextmanager
    def each(
        self, name: str, limit: Operand, first: Operand = 0, step: Operand = 1, *, down: bool = False, unroll: int = 0
    ) -> Iterator[Name]:
        """A loop over ``name`` from ``first`` up to, but not including, ``limit``; or ``down``."""
        loop = Each(Name(name), number(first), number(limit), number(step), down=down, unroll=unroll)
        self.add(loop)
        with self._within(loop.body):
            yield loop.name

    @contextmanager
    def turns(self, name: str, count: int) -> Iterator[Expr]:
        """A loop from 0 on, where there is more than one turn."""
        if count == 1:
            yield Number(0)
            return
        with self.each(name, count) as found:
            yield found

    @contextmanager
    def while_(self, test: Expr) -> Iterator[None]:
        """A loop as long as ``test`` holds."""
        loop = While(test)
        self.add(loop)
        with self._within(loop.body):
            yield

    @contextmanager
    def if_(self, test: Expr) -> Iterator[If]:
        """What is done where ``test`` holds; ``with f.otherwise(found)`` where it does not."""
        found = If(test)
        self.add(found)
        with self._within(found.then):
            yield found

    @contextmanager
    def otherwise(self, found: If) -> Iterator[None]:
        """What is done where the test of ``found`` does not hold."""
        with self._within(found.otherwise):
            yield

    @contextmanager
    def case(self, found: Switch, value: int) -> Iterator[None]:
        """What is done where ``found``, which is there already, is about ``value``."""
        body: Body = []
        found.cases.append((value, body))
        with self._within(body):
            yield

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Statements whose variables nobody else sees."""
        found = Scope()
        self.add(found)
        with self._within(found.body):
            yield

    @contextmanager
    def rounded(self, needed: bool) -> Iterator[None]:
        """Statements in which doubles round to nearest, where that is ``needed``."""
        found = RoundToNearest()
        self.add(*[found] * needed)
        with self._within(found.body if needed else self._open[-1]):
            yield

    @contextmanager
    def _within(self, body: Body) -> Iterator[None]:
        self._open.append(body)
        yield
        self._open.pop()

    def do(self, call: Expr) -> None:
        """A call."""
        self.add(Do(call))

    def give(self, value: Operand) -> None:
        """Return ``value``."""
        self.add(Return(number(value)))

    def copy(self, to: Expr, source: Expr, count: Operand) -> None:
        """``count`` words from ``source`` to ``to``."""
        self.add(Copy(to, source, number(count)))

    def clear(self, to: Expr, count: Operand) -> None:
        """``count`` words at ``to`` become zero."""
        self.add(Clear(to, number(count)))

    def load(
        self, name: str, values: Sequence[Value], pointer: Expr, offset: int = 0, step: int = 1,
        broadcast: bool = False, stays: bool = False,
    ) -> None:  # fmt: skip
        """Registers from memory, or ones that stay there."""
        self.add(Load(name, values, pointer, offset, step, broadcast, stays))

    def run(self, block: Block) -> None:
        """Instructions on registers."""
        self.add(Run(block))

    def store(self, values: Sequence[Value], pointer: Expr, offset: int = 0, step: int = 1) -> None:
        """Registers to memory."""
        self.add(Store(values, pointer, offset, step))


def word(value: int) -> Number:
    """A number that is a word."""
    return Number(value, Type.WORD)
