"""The interpreter of programs, which runs functions on Python integers.

It uses the meaning of each operation in :mod:`momagen.ir`, independently of a language, and so defines the
results that every printed program must have. A pointer is an array and an index into it. An access beyond the
end of an array and a value outside its interval are errors.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from momagen.ir import Block, Value
from momagen.ir.interp import Registers

from .build import Function
from .expressions import ARITHMETIC, COMPARISONS, Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type
from .statements import (
    Again,
    Array,
    Assign,
    Become,
    Begin,
    Body,
    Clear,
    Copy,
    Do,
    Each,
    If,
    Let,
    Load,
    LoadHalves,
    Prefetch,
    Return,
    RoundToNearest,
    Run,
    Scope,
    Statement,
    Static,
    Store,
    StoreHalves,
    Switch,
    Table,
    While,
    Woven,
)

LONG = (1 << 64) - 1
"""The largest count."""
REGISTERS = (Load, LoadHalves, Run, Begin, Become, Store, StoreHalves)
"""The statements on registers."""


@dataclass
class Pointer:
    """A pointer to element ``at`` of an array of words or of pointers."""

    words: list[Any]
    at: int = 0

    def moved(self, by: int) -> Pointer:
        """Return a pointer to another element.

        Args:
            by: The distance in elements; numbers from 2^63 on represent negative distances, modulo 2^64.
        """
        return Pointer(self.words, (self.at + by + (1 << 63)) % (1 << 64) - (1 << 63))

    def read(self, at: int, count: int = 1) -> list[int]:
        """Return ``count`` words from index ``at`` on.

        Raises:
            IndexError: A word is outside the array.
        """
        first = self.at + at
        if not 0 <= first <= first + count <= len(self.words):
            raise IndexError(f"words {first} to {first + count - 1} of {len(self.words)}")
        return self.words[first : first + count]

    def write(self, at: int, words: Sequence[int]) -> None:
        """Write words from index ``at`` on.

        Raises:
            IndexError: A word is outside the array.
        """
        self.read(at, len(words))
        self.words[self.at + at : self.at + at + len(words)] = words


Found = int | Pointer
"""The value of an expression: a number or a pointer."""


class Interpreter:
    """An interpreter of the functions of one program.

    Attributes:
        functions: The functions by name.
        statics: The arrays of constants by name.
        lanes: The number of lanes of vectors.
        word: The number of bits of a word.
        seen: If it is not None, statements on registers are not executed. Instead, the operations on vectors,
            or on words if ``lanes`` is 1, are counted here.
    """

    def __init__(
        self, functions: Mapping[str, Function], statics: Mapping[str, Static], lanes: int, word: int = 64,
        seen: Counter[str] | None = None,
    ) -> None:  # fmt: skip
        self.functions, self.lanes, self.word, self.seen = functions, lanes, word, seen
        self.statics = {name: Pointer(list(found.words)) for name, found in statics.items()}

    def call(self, name: str, *args: Found) -> Found:
        """Return the result of a function, or 0 if it has none."""
        function = self.functions[name]
        names = dict(zip((param.text for param in function.params), args, strict=True))
        frame = _Frame(self, {**self.statics, **names}, Registers(self.lanes if function.vector else 1))
        found = frame.body(function.body)
        return 0 if found is None else found


class _Frame:
    """One call of a function.

    Attributes:
        whole: The interpreter.
        names: The values of variables, parameters and arrays by name.
        registers: The values of registers.
        lanes: The number of lanes of registers.
        full: The largest word.
    """

    def __init__(self, whole: Interpreter, names: dict[str, Found], registers: Registers) -> None:
        self.whole, self.names, self.registers = whole, names, registers
        self.lanes, self.full = len(registers.known), (1 << whole.word) - 1

    def body(self, body: Body) -> Found | None:
        """Execute statements, and return the value of a return statement, or None if there was none."""
        for statement in body:
            found = self._do(statement)
            if found is not None:
                return found
        return None

    def _do(self, s: Statement) -> Found | None:
        """Execute a statement, and return the value of a return statement inside it, or None."""
        match s:
            case Return():
                return self.value(s.value)
            case If():
                return self.body(s.then if self.number(s.test) else s.otherwise)
            case Switch():
                return self.body(dict(s.cases).get(self.number(s.value), []))
            case Scope() | RoundToNearest():
                return self.body(s.body)
            case Each():
                return self._each(s)
            case While():
                while self.number(s.test):
                    if (found := self.body(s.body)) is not None:
                        return found
            case Woven():
                for part in s.parts:
                    self.body(part)
            case _ if isinstance(s, REGISTERS) and self.whole.seen is None:
                self._registers(s)
            case Run() if self.lanes == self.whole.lanes:
                _count(s.block, cast(Counter[str], self.whole.seen))
            case _ if isinstance(s, REGISTERS):
                pass
            case _:
                self._simple(s)
        return None

    def _each(self, s: Each) -> Found | None:
        """Execute a loop over a range."""
        steps = range(self.number(s.first), self.number(s.limit), self.number(s.step))
        for at in reversed(steps) if s.down else steps:
            self.names[s.name.text] = at
            if (found := self.body(s.body)) is not None:
                return found
        return None

    def _simple(self, s: Statement) -> None:
        """Execute a statement that is neither a block nor on registers."""
        match s:
            case Let():
                self._name(s.name, s.value)
            case Assign(target=Element() as target):
                self._write(self.pointer(target.pointer), self.number(target.at), [self.number(s.value)])
            case Assign(target=Name() as target):
                self._name(target, s.value)
            case Array():
                first = list(s.first or [])
                self.names[s.name.text] = Pointer(first + [0] * (s.count - len(first)))
            case Table():
                self.names[s.name.text] = Pointer(list(s.counts))
            case Do():
                self.value(s.call)
            case Copy():
                self.pointer(s.to).write(0, self.pointer(s.source).read(0, self.number(s.count)))
            case Clear():
                self.pointer(s.to).write(0, [0] * self.number(s.count))
            case Again() | Prefetch():
                pass
            case _:
                raise TypeError(s)

    def _name(self, name: Name, value: Expr) -> None:
        """Assign the value of an expression to a variable."""
        found = self.value(value)
        self.names[name.text] = found & self.full if isinstance(found, int) and name.type is Type.WORD else found

    def _write(self, pointer: Pointer, at: int, words: Sequence[int]) -> None:
        """Write words modulo 2^word."""
        pointer.write(at, [word & self.full for word in words])

    def _registers(self, s: Statement) -> None:
        """Execute a statement on registers."""
        half = self.lanes // 2
        match s:
            case Load():
                at = self.pointer(s.pointer)
                for i, value in enumerate(s.values):
                    if not value.is_const:
                        where = s.offset + i * s.step
                        words = at.read(where) * self.lanes if s.broadcast else at.read(where, self.lanes)
                        self.registers.give(value, [self._signed(value, word) for word in words], s.name)
            case LoadHalves():
                words = self.pointer(s.low).read(0, half) + self.pointer(s.high).read(0, half)
                self.registers.give(s.value, [self._signed(s.value, word) for word in words], s.name)
            case Run():
                self.registers.run(s.block.instrs)
            case Begin():
                for value in s.values:
                    self.registers.give(value, [0] * self.lanes, s.name)
            case Become():
                for value, numbers in zip(s.values, [self.registers.take(each) for each in s.results], strict=True):
                    self.registers.give(value, numbers, "a sum")
            case Store():
                at = self.pointer(s.pointer)
                for i, value in enumerate(s.values):
                    self._write(at, s.offset + i * s.step, self.registers.take(value))
            case StoreHalves():
                words = self.registers.take(s.value)
                self._write(self.pointer(s.low), 0, words[:half])
                self._write(self.pointer(s.high), 0, words[half:])

    def number(self, expr: Expr) -> int:
        """Return the value of an expression that is a number."""
        return cast(int, self.value(expr))

    def pointer(self, expr: Expr) -> Pointer:
        """Return the value of an expression that is a pointer."""
        return cast(Pointer, self.value(expr))

    def value(self, expr: Expr) -> Found:
        """Return the value of an expression."""
        match expr:
            case Number():
                return expr.value
            case Name():
                return self.names[expr.text]
            case Element():
                return self.pointer(expr.pointer).read(self.number(expr.at))[0]
            case Call():
                return self.whole.call(expr.name, *map(self.value, expr.args))
            case Real():
                value, twos = (x - (x >> 63 << 64) for x in (self.number(expr.value), self.number(expr.twos)))
                return _bits(math.ldexp(value, twos))
            case Choice():
                return self.value(expr.yes if self.number(expr.test) else expr.no)
            case Same():
                count = self.number(expr.count)
                return int(self.pointer(expr.a).read(0, count) == self.pointer(expr.b).read(0, count))
            case Binary(op="&&"):
                return int(bool(self.number(expr.left)) and bool(self.number(expr.right)))
            case Binary():
                return self._binary(expr)
        raise TypeError(expr)

    def _binary(self, expr: Binary) -> Found:
        """Return the value of a binary operation."""
        left, right = self.value(expr.left), self.number(expr.right)
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            return int(left.words is right.words and left.at == right.at)
        if isinstance(left, Pointer):
            return left.moved(right if expr.op == "+" else -right)
        if expr.op in COMPARISONS:
            return int(COMPARISONS[expr.op](left, right))
        return ARITHMETIC[expr.op](left, right) & (self.full if expr.type is Type.WORD else LONG)

    def _signed(self, value: Value, word: int) -> int:
        """Return the number that a word represents.

        Large words are negative if the interval of the value allows it.
        """
        return word - (1 << self.whole.word) if value.lo < 0 and word > value.hi else word


def _count(block: Block, seen: Counter[str]) -> None:
    """Count the operations of ``block`` and of the procedures that it calls in ``seen``."""
    for instr in block.instrs:
        if instr.procedure is None:
            seen[instr.op] += 1
        else:
            _count(instr.procedure.block, seen)


def _bits(number: float) -> int:
    """Return the 64 bits of a double."""
    (found,) = struct.unpack("<Q", struct.pack("<d", number))
    return int(found)
