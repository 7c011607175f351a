"""Numbers joined from digits and taken apart, by rules (19)–(21): the half of an algebra that chooses nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from momagen.ir import Value, const, join


class Parts(ABC):
    """Joins and splits values; operations of ``level`` bits, which it may need for that, come from ``one``."""

    level: int

    @abstractmethod
    def one(self, op: str, width: int, *args: Value, k: int = 0) -> Value:
        """The result of an operation that has one."""

    def join(self, digits: Sequence[Value], weight: int) -> Value:
        flat = [self.one("word", self.level, d) if d.kind == "flag" else d for d in digits]
        return join(tuple(flat), weight)

    def split(self, value: Value, weight: int, count: int) -> Sequence[Value]:
        """``count`` digits of ``weight`` bits, high part first: rules (19)–(21)."""
        parts = self._parts(value, weight)
        return [const(0)] * (count - len(parts)) + parts

    def _parts(self, value: Value, weight: int) -> list[Value]:
        if value.hi >> weight == 0:
            return [value]
        if value.is_const:
            return [*self._parts(const(value.lo >> weight), weight), const(value.lo & ((1 << weight) - 1))]
        if not value.digits:
            low = self.one("low", self.level, value, k=weight)
            return [*self._parts(self.one("shr", self.level, value, k=weight), weight), low]
        if value.weight % weight == 0 and value.weight > weight:
            top, *rest = value.digits
            return self._parts(top, weight) + [p for d in rest for p in self.split(d, weight, value.weight // weight)]
        return _group(list(value.digits), value.weight, weight // value.weight)

    def cut(self, value: Value, weight: int) -> Sequence[Value]:
        *high, low = self.split(value, weight, 2)
        return join(tuple(high), weight), low


def _group(digits: list[Value], weight: int, size: int) -> list[Value]:
    """``digits`` gathered from the low end, ``size`` at a time."""
    ends = range(len(digits), 0, -size)
    return digits if size == 1 else [join(tuple(digits[max(0, end - size) : end]), weight) for end in ends][::-1]
