"""The values of a pass over a block, and numbers that are joined from limbs or split, by rules (19)–(21)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import chain

from momagen.ir import Instr, Value, const, join, refine
from momagen.rewrite.digits.digits import normal_input

Results = tuple[Value, ...]
"""The results of an operation."""


class BlockPass(ABC):
    """A pass over a block.

    Attributes:
        level: The largest number of bits of its words.
        known: The values of the pass that replace the values of the old block, by the id of the old value.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.known: dict[int, Value] = {}

    @abstractmethod
    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> Results:
        """Return the results of an operation on values of this pass, rewritten as far as this pass goes."""

    def one(self, op: str, width: int, *args: Value, k: int = 0) -> Value:
        """Return the only result of an operation."""
        (result,) = self.emit(op, width, *args, k=k)
        return result

    def _fresh(self, value: Value, name: str) -> Value:
        """Return an input whose words have at most ``level`` bits, in place of an input of the old block."""
        if value.digits:
            parts = tuple(self._fresh(d, d.name or name) for d in value.digits)
            fresh = refine(join(parts, value.weight), value.lo, value.hi)
        else:
            fresh = normal_input(value, name, self.level) if value.hi >> self.level > 0 else value
        self.known[id(value)] = fresh
        return fresh

    def _copy(self, instr: Instr) -> None:
        """Rewrite an instruction of the old block."""
        args = [self.resolve(a) for a in instr.args]
        made = self.emit(instr.op, instr.w, *args, k=instr.k)
        for old, new in zip(instr.results, made, strict=True):
            self._learn(old, new)

    def _learn(self, old: Value, new: Value) -> None:
        """Record that a new value replaces an old value, and its limbs replace the old value's limbs."""
        self.known[id(old)] = new = self.refined(new, old.lo, old.hi)
        parts = self.split(new, old.weight, len(old.digits)) if old.digits else ()
        for digit, part in zip(old.digits, parts, strict=True):
            self._learn(digit, part)

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """Return a value that is known to lie in [lo, hi], too."""
        return refine(value, lo, hi)

    def resolve(self, value: Value) -> Value:
        """Return the value that replaces one of the old block."""
        if value.lo == value.hi:
            return value
        if (found := self.known.get(id(value))) is None:
            joined = self.join([self.resolve(d) for d in value.digits], value.weight)
            self.known[id(value)] = found = self.refined(joined, value.lo, value.hi)
        return found

    def join(self, digits: Sequence[Value], weight: int) -> Value:
        """Return the number with the given limbs, the high one first."""
        flat = [self.one("word", self.level, d) if d.kind == "flag" else d for d in digits]
        return join(tuple(flat), weight)

    def split(self, value: Value, weight: int, count: int) -> Sequence[Value]:
        """Return ``count`` limbs of ``weight`` bits, the high one first."""
        parts = self._parts(value, weight)
        return [const(0)] * (count - len(parts)) + parts

    def _parts(self, value: Value, weight: int) -> list[Value]:
        """Return the limbs of ``weight`` bits without leading zeros, the high one first."""
        if value.hi >> weight == 0:
            return [value]
        if value.lo == value.hi:
            return [*self._parts(const(value.lo >> weight), weight), const(value.lo & ((1 << weight) - 1))]
        if not value.digits:
            low = self.one("low", self.level, value, k=weight)
            return [*self._parts(self.one("shr", self.level, value, k=weight), weight), low]
        digits, size = value.digits, weight // value.weight
        if size == 0:
            apart = [self.split(d, weight, value.weight // weight) for d in digits[1:]]
            return [*self._parts(digits[0], weight), *chain.from_iterable(apart)]
        ends = range(len(digits), 0, -size)  # limbs are grouped from the low end
        return [join(digits[max(0, end - size) : end], value.weight) for end in ends][::-1]

    def cut(self, value: Value, weight: int) -> Sequence[Value]:
        """Return the part of a number above ``weight`` bits, and the part below."""
        *high, low = self.split(value, weight, 2)
        return join(tuple(high), weight), low
