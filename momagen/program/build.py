"""A builder for the functions of programs.

Its methods append the statements after which they are named: ``with f.each("i", n) as i: f.set(y[i], x[i])``.
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
    """A function of a program, and a builder that appends statements to it.

    Attributes:
        name: The name.
        params: The parameters.
        doc: The comment that describes the function in generated code.
        result: The type of the result, or None.
        vector: Whether registers are vectors of the target; otherwise they are words of its host.
        copies: The copies that the compiler makes: "apart" for a single copy that is called, "once" for a
            single copy that is not specialised for the arguments of its callers, "inline" for a copy in every
            caller, or "" to let the compiler decide. For CUDA, "kernel N" marks a kernel with N threads per
            block.
        body: The statements.
        taken: For each argument that calls pass, whether there is a parameter for it; other arguments are
            dropped. If the list is empty, there is a parameter for each argument.
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
        """Return a call of the function."""
        if len(args) == len(self.taken):
            args = tuple(compress(args, self.taken))
        assert len(args) == len(self.params), self.name
        return Call(self.name, tuple(map(number, args)), self.result or Type.COUNT)

    def add(self, *statements: Statement) -> None:
        """Append statements."""
        self._open[-1] += statements

    def let(self, name: str, value: Operand, type: Type | None = None) -> Name:
        """Declare a name for a value that does not change, and return it."""
        return self._let(name, number(value), type, True)

    def variable(self, name: str, value: Operand, type: Type | None = None) -> Name:
        """Declare a variable with an initial value, and return it."""
        return self._let(name, number(value), type, False)

    def _let(self, name: str, value: Expr, type: Type | None, fixed: bool) -> Name:
        """Declare a variable of the given type, or of the type of its value."""
        found = Name(name, type or value.type)
        self.add(Let(found, value, fixed))
        return found

    def set(self, target: Expr, value: Operand) -> None:
        """Append an assignment of ``value`` to ``target``."""
        self.add(Assign(target, number(value)))

    def step(self, target: Expr, by: Operand) -> None:
        """Append an assignment that increases ``target`` by ``by``, unless that is 0."""
        if not (isinstance(by, int) and by == 0):
            self.set(target, target + by)

    def array(self, name: str, count: int, first: Sequence[int] | None = None, line: int = 0) -> Name:
        """Declare an array of words, and return it; see :class:`Array` for the arguments."""
        found = Name(name, Type.WORDS)
        self.add(Array(found, count, first, line))
        return found

    def table(self, name: str, counts: Sequence[int]) -> Name:
        """Declare an array of constant counts, and return it."""
        found = Name(name, Type.COUNTS)
        self.add(Table(found, counts))
        return found

    @contextmanager
    def each(
        self, name: str, limit: Operand, first: Operand = 0, step: Operand = 1, *, down: bool = False, unroll: int = 0
    ) -> Iterator[Name]:
        """Append a loop to whose body statements are added inside ``with``, and yield its variable.

        Args:
            name: The name of the variable.
            limit: The end of the range, which is not included.
            first: The first value of the variable.
            step: The distance of consecutive values.
            down: Whether the values are taken in reversed order.
            unroll: The number of copies of the body that the compiler should make, or 0 to let the compiler
                decide.
        """
        loop = Each(Name(name), number(first), number(limit), number(step), down=down, unroll=unroll)
        self.add(loop)
        with self._within(loop.body):
            yield loop.name

    @contextmanager
    def turns(self, name: str, count: int) -> Iterator[Expr]:
        """Append a loop over the numbers below ``count``, and yield its variable.

        If the count is 1, there is no loop.
        """
        if count == 1:
            yield Number(0)
            return
        with self.each(name, count) as found:
            yield found

    @contextmanager
    def while_(self, test: Expr) -> Iterator[None]:
        """Append a loop that is repeated as long as ``test`` holds."""
        loop = While(test)
        self.add(loop)
        with self._within(loop.body):
            yield

    @contextmanager
    def if_(self, test: Expr) -> Iterator[If]:
        """Append a branch that is executed if ``test`` holds, and yield it for :meth:`otherwise`."""
        found = If(test)
        self.add(found)
        with self._within(found.then):
            yield found

    @contextmanager
    def otherwise(self, found: If) -> Iterator[None]:
        """Add statements to the branch that is executed if the test of ``found`` does not hold."""
        with self._within(found.otherwise):
            yield

    @contextmanager
    def case(self, found: Switch, value: int) -> Iterator[None]:
        """Add the case ``value`` to a switch, which must have been appended before."""
        body: Body = []
        found.cases.append((value, body))
        with self._within(body):
            yield

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Append a block of statements whose variables are only visible inside it."""
        found = Scope()
        self.add(found)
        with self._within(found.body):
            yield

    @contextmanager
    def rounded(self, needed: bool) -> Iterator[None]:
        """Append a block of statements in which doubles round to nearest.

        If it is not ``needed``, there is no block.
        """
        found = RoundToNearest()
        self.add(*[found] * needed)
        with self._within(found.body if needed else self._open[-1]):
            yield

    @contextmanager
    def _within(self, body: Body) -> Iterator[None]:
        """Append statements to ``body`` inside ``with``."""
        self._open.append(body)
        yield
        self._open.pop()

    def do(self, call: Expr) -> None:
        """Append a call whose result is ignored."""
        self.add(Do(call))

    def give(self, value: Operand) -> None:
        """Append the return of ``value``."""
        self.add(Return(number(value)))

    def copy(self, to: Expr, source: Expr, count: Operand) -> None:
        """Append a copy of ``count`` words from ``source`` to ``to``."""
        self.add(Copy(to, source, number(count)))

    def clear(self, to: Expr, count: Operand) -> None:
        """Append an assignment of zero to ``count`` words at ``to``."""
        self.add(Clear(to, number(count)))

    def load(
        self, name: str, values: Sequence[Value], pointer: Expr, offset: int = 0, step: int = 1,
        broadcast: bool = False, stays: bool = False,
    ) -> None:  # fmt: skip
        """Append a load of registers; see :class:`Load` for the arguments."""
        self.add(Load(name, values, pointer, offset, step, broadcast, stays))

    def run(self, block: Block) -> None:
        """Append the instructions of a block."""
        self.add(Run(block))

    def store(self, values: Sequence[Value], pointer: Expr, offset: int = 0, step: int = 1) -> None:
        """Append a store of registers; see :class:`Store` for the arguments."""
        self.add(Store(values, pointer, offset, step))


def word(value: int) -> Number:
    """Return a number whose type is a word."""
    return Number(value, Type.WORD)
