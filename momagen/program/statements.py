"""Statements of a program: loops and moves of words, and straight-line code on registers between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from momagen.ir import Block, Value

from .expressions import Expr, Name


class Statement:
    """One step. Nothing assigns to its fields; it has no generated comparison or text: they slow an import."""


Body = list[Statement]


@dataclass(eq=False, repr=False)
class Let(Statement):
    """A variable; ``fixed``: nothing is assigned to it later."""

    name: Name
    value: Expr
    fixed: bool = True


@dataclass(eq=False, repr=False)
class Assign(Statement):
    """``target``, a variable or an element, becomes ``value``."""

    target: Expr
    value: Expr


@dataclass(eq=False, repr=False)
class Array(Statement):
    """``count`` words; all zero, or the ``first`` ones as given and then zeros, where that is not None.

    Attributes:
        line: bytes to a multiple of which its address is aligned; 0: as words are.
    """

    name: Name
    count: int
    first: Sequence[int] | None = None
    line: int = 0


@dataclass(eq=False, repr=False)
class Static(Statement):
    """Words that all functions may read."""

    name: Name
    words: Sequence[int]


@dataclass(eq=False, repr=False)
class Table(Statement):
    """An array of counts that are known."""

    name: Name
    counts: Sequence[int]


@dataclass(eq=False, repr=False)
class Each(Statement):
    """A loop: ``name`` from ``first`` up to, but not including, ``limit`` in steps; or ``down`` from the last to first.

    Attributes:
        unroll: copies of the body that a compiler should make; 0: as it likes.
    """

    name: Name
    first: Expr
    limit: Expr
    step: Expr
    body: Body = field(default_factory=list)
    down: bool = False
    unroll: int = 0


@dataclass(eq=False, repr=False)
class While(Statement):
    """The body as long as ``test`` holds."""

    test: Expr
    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class If(Statement):
    """One body or the other."""

    test: Expr
    then: Body = field(default_factory=list)
    otherwise: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Switch(Statement):
    """The body of the number that ``value`` is; nothing where it is none of them."""

    value: Expr
    cases: list[tuple[int, Body]] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Scope(Statement):
    """Statements whose variables nobody else sees."""

    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class RoundToNearest(Statement):
    """Statements in which sums of doubles round to nearest, whatever holds around them."""

    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Do(Statement):
    """A call whose result nobody asks for."""

    call: Expr


@dataclass(eq=False, repr=False)
class Return(Statement):
    """The function's result."""

    value: Expr


@dataclass(eq=False, repr=False)
class Copy(Statement):
    """``count`` words from ``source`` to ``to``, which do not overlap."""

    to: Expr
    source: Expr
    count: Expr


@dataclass(eq=False, repr=False)
class Clear(Statement):
    """``count`` words at ``to`` become zero."""

    to: Expr
    count: Expr


@dataclass(eq=False, repr=False)
class Load(Statement):
    """Registers ``values``: register i is what stands at pointer + offset + i·step, one word for all lanes where
    ``broadcast``, which stands there ``twice`` or once. ``name``: what to call them. ``stays``: they stay in memory,
    and what needs them loads them there. ``how``: the target's move, where that is another one."""

    name: str
    values: Sequence[Value]
    pointer: Expr
    offset: int = 0
    step: int = 1
    broadcast: bool = False
    stays: bool = False
    twice: bool = False
    how: str = ""


@dataclass(eq=False, repr=False)
class LoadHalves(Statement):
    """A register whose low half of lanes stands at one pointer, and the high half at another."""

    name: str
    value: Value
    low: Expr
    high: Expr


@dataclass(eq=False, repr=False)
class Run(Statement):
    """The instructions of a block, whose inputs are registers or constants."""

    block: Block


@dataclass(eq=False, repr=False)
class Begin(Statement):
    """Declare the registers ``values``, which are zero at first and which :class:`Become` may change, as variables.
    ``name``: what to call them."""

    name: str
    values: Sequence[Value]


@dataclass(eq=False, repr=False)
class Become(Statement):
    """Assign ``results``, which are registers or constants, to the registers ``values`` of a :class:`Begin`."""

    values: Sequence[Value]
    results: Sequence[Value]


@dataclass(eq=False, repr=False)
class Store(Statement):
    """Register i of ``values`` goes to pointer + offset + i·step; ``how``: by the target's move of that name."""

    values: Sequence[Value]
    pointer: Expr
    offset: int = 0
    step: int = 1
    how: str = "store"


@dataclass(eq=False, repr=False)
class StoreHalves(Statement):
    """The low half of the lanes goes to one pointer, the high half to another."""

    value: Value
    low: Expr
    high: Expr


@dataclass(eq=False, repr=False)
class Woven(Statement):
    """Several straight-line parts that share nothing but what came before, interleaved statement by statement."""

    parts: Sequence[Body]


@dataclass(eq=False, repr=False)
class Again(Statement):
    """A statement after which the compiler knows nothing about ``pointer``, a pointer or a count.

    What is loaded through a pointer from here on is loaded anew, so that a factor in memory needs no register. A loop
    with a count is unrolled even if the count is known to be small.
    """

    pointer: Name


@dataclass(eq=False, repr=False)
class Prefetch(Statement):
    """The line of memory ``ahead`` words behind ``pointer`` will be read soon; it may lie beyond the array."""

    pointer: Expr
    ahead: int = 0


@dataclass(eq=False, repr=False)
class Barrier(Statement):
    """No thread of a block goes on before all have come here; what they wrote to shared memory is there then."""


@dataclass(eq=False, repr=False)
class Transfer(Statement):
    """``count`` words between ``array``, from word ``first`` on, and ``memory``: to memory where they go ``out``.

    Attributes:
        aligned: words to a multiple of which the memory's address is aligned.
    """

    array: Name
    first: int
    memory: Expr
    count: int
    aligned: int
    out: bool
