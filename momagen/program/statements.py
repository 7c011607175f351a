"""Statements of a program: loops, moves of words, and straight-line code on registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from momagen.ir import Block, Value

from .expressions import Expr, Name


class Statement:
    """One statement. Its fields must not change.

    Statements have no generated methods for comparison and printing, since generating them would slow down
    the import.
    """


Body = list[Statement]
"""The statements of a function or of a block, in order."""


@dataclass(eq=False, repr=False)
class Let(Statement):
    """The declaration of a variable.

    Attributes:
        name: The variable.
        value: Its initial value.
        fixed: Whether nothing is assigned to it later.
    """

    name: Name
    value: Expr
    fixed: bool = True


@dataclass(eq=False, repr=False)
class Assign(Statement):
    """An assignment of ``value`` to ``target``, which is a variable or an element of an array."""

    target: Expr
    value: Expr


@dataclass(eq=False, repr=False)
class Array(Statement):
    """The declaration of an array of words.

    Attributes:
        name: The array.
        count: The number of words.
        first: The initial values of the first words; all others are 0. If it is None, all words are 0.
        line: The number of bytes to which the address is aligned, or 0 for the alignment of a word.
    """

    name: Name
    count: int
    first: Sequence[int] | None = None
    line: int = 0


@dataclass(eq=False, repr=False)
class Static(Statement):
    """An array of constant words that all functions may read."""

    name: Name
    words: Sequence[int]


@dataclass(eq=False, repr=False)
class Table(Statement):
    """The declaration of an array of constant counts."""

    name: Name
    counts: Sequence[int]


@dataclass(eq=False, repr=False)
class Each(Statement):
    """A loop in which ``name`` takes the values from ``first`` up to, but not including, ``limit``.

    Attributes:
        name: The variable.
        first: Its first value.
        limit: The end of the range.
        step: The distance of consecutive values.
        body: The statements of the loop.
        down: Whether the values are taken in reversed order, from the last one to the first one.
        unroll: The number of copies of the body that the compiler should make, or 0 to let the compiler
            decide.
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
    """A loop that repeats the body as long as ``test`` holds."""

    test: Expr
    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class If(Statement):
    """A branch: ``then`` is executed if ``test`` holds, and ``otherwise`` if it does not."""

    test: Expr
    then: Body = field(default_factory=list)
    otherwise: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Switch(Statement):
    """A branch to the body of the case that equals ``value``.

    If there is no such case, nothing is executed.
    """

    value: Expr
    cases: list[tuple[int, Body]] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Scope(Statement):
    """A block of statements whose variables are only visible inside it."""

    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class RoundToNearest(Statement):
    """A block of statements in which operations on doubles round to nearest in any mode of the caller."""

    body: Body = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Do(Statement):
    """A call whose result is ignored."""

    call: Expr


@dataclass(eq=False, repr=False)
class Return(Statement):
    """The end of a function, with its result."""

    value: Expr


@dataclass(eq=False, repr=False)
class Copy(Statement):
    """A copy of ``count`` words from ``source`` to ``to``, which must not overlap."""

    to: Expr
    source: Expr
    count: Expr


@dataclass(eq=False, repr=False)
class Clear(Statement):
    """An assignment of zero to ``count`` words at ``to``."""

    to: Expr
    count: Expr


@dataclass(eq=False, repr=False)
class Load(Statement):
    """A load of registers from memory.

    Attributes:
        name: The stem of their names in generated code.
        values: The registers. Register i is loaded from pointer + offset + i·step.
        pointer: The address.
        offset: The distance of the first register from the address, in words.
        step: The distance of consecutive registers, in words.
        broadcast: Whether one word is loaded into all lanes.
        stays: Whether the registers are not loaded here but used as operands in memory.
        twice: Whether the word to broadcast is stored twice in memory, so that a load of two words may be
            used.
        how: The name of the target's move, or "" for the one that follows from the other attributes.
    """

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
    """A load of the low half of a register's lanes from one address and of the high half from another."""

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
    """The declaration of the registers ``values`` as variables that are 0 and that :class:`Become` changes.

    Attributes:
        name: The stem of their names in generated code.
        values: The registers.
    """

    name: str
    values: Sequence[Value]


@dataclass(eq=False, repr=False)
class Become(Statement):
    """An assignment of registers or constants ``results`` to the registers ``values`` of a :class:`Begin`."""

    values: Sequence[Value]
    results: Sequence[Value]


@dataclass(eq=False, repr=False)
class Store(Statement):
    """A store of registers to memory.

    Attributes:
        values: The registers. Register i is stored to pointer + offset + i·step.
        pointer: The address.
        offset: The distance of the first register from the address, in words.
        step: The distance of consecutive registers, in words.
        how: The name of the target's move.
    """

    values: Sequence[Value]
    pointer: Expr
    offset: int = 0
    step: int = 1
    how: str = "store"


@dataclass(eq=False, repr=False)
class StoreHalves(Statement):
    """A store of the low half of a register's lanes to one address, and of the high half to another one."""

    value: Value
    low: Expr
    high: Expr


@dataclass(eq=False, repr=False)
class Woven(Statement):
    """Several straight-line parts that are interleaved statement by statement.

    They depend only on what precedes them.
    """

    parts: Sequence[Body]


@dataclass(eq=False, repr=False)
class Again(Statement):
    """An optimisation barrier, after which the compiler knows nothing about a pointer or count.

    Whatever is loaded through the pointer from here on is loaded again, so that a factor in memory needs no
    register. A loop with such a count is unrolled even if the count is known to be small.
    """

    pointer: Name


@dataclass(eq=False, repr=False)
class Prefetch(Statement):
    """A prefetch of the cache line that is ``ahead`` words after ``pointer``.

    It may lie beyond the end of the array.
    """

    pointer: Expr
    ahead: int = 0


@dataclass(eq=False, repr=False)
class Barrier(Statement):
    """A synchronisation of the threads of a block.

    Their writes to shared memory are then visible to all of them.
    """


@dataclass(eq=False, repr=False)
class Transfer(Statement):
    """A copy of ``count`` words between an array in registers and memory.

    Attributes:
        array: The array.
        first: The index of its first word that is copied.
        memory: The address in memory.
        count: The number of words.
        aligned: The number of words to which the address is aligned.
        out: Whether the words are copied from the array to memory, instead of from memory to the array.
    """

    array: Name
    first: int
    memory: Expr
    count: int
    aligned: int
    out: bool
