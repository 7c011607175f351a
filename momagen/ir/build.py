"""The builder: appends instructions, clean by construction.

As it appends it folds constants, drops what the identities of ``simplify`` drop, replaces a result whose interval has
one number by that constant, and shares equal expressions. So passes stay few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .block import Block, Instr
from .ops import KINDS, OPS
from .simplify import simpler
from .value import Interval, Value, const, numeral

Key = tuple[object, ...]


class Builder:
    """Builds one :class:`Block`; ``has`` says which operations the machine at hand spells (none, where nobody asks)."""

    def __init__(self, has: Callable[[str], bool] = lambda op: False) -> None:
        self.block, self.has = Block(), has
        self._shared: dict[Key, tuple[Value, ...]] = {}
        self._makers: dict[int, Instr] = {}

    def input(self, name: str, lo: int, hi: int, kind: str = "word") -> Value:
        """A new input known to lie in [lo, hi]; the constant where that is one number. A name is given once."""
        assert name not in self.block.inputs, name
        value = const(lo, kind) if lo == hi else Value(lo, hi, kind, name)
        self.block.inputs[name] = value
        return value

    def numeral(self, name: str, within: Interval, ends: Sequence[Interval], weight: int, ring: int = 0) -> Value:
        """A new input by digits, as `numeral` makes it."""
        self.block.inputs[name] = value = numeral(name, within, ends, weight, ring)
        return value

    def output(self, name: str, value: Value) -> None:
        self.block.outputs[name] = value

    def maker(self, value: Value) -> Instr | None:
        """The instruction that defines ``value``; None for an input or a constant."""
        return self._makers.get(id(value))

    def emit(self, op: str, w: int, *args: Value, k: int = 0, lanes: tuple[int, ...] = ()) -> tuple[Value, ...]:
        """The results of ``op`` at width ``w`` on ``args``, appended only where nothing simpler gives them."""
        if not lanes and (found := simpler(self, op, w, k, args)) is not None:
            return found
        turned = OPS[op].commutes and id(args[0]) > id(args[1])
        key: Key = (op, w, k, lanes, args[1], args[0], *args[2:]) if turned else (op, w, k, lanes, *args)
        if (shared := self._shared.get(key)) is None:
            self._shared[key] = shared = self._append(op, w, args, k, lanes)
        return shared

    def one(self, op: str, w: int, *args: Value, k: int = 0) -> Value:
        """The only result of ``op``."""
        (result,) = self.emit(op, w, *args, k=k)
        return result

    def _append(self, op: str, w: int, args: tuple[Value, ...], k: int, lanes: tuple[int, ...]) -> tuple[Value, ...]:
        row = OPS[op]
        bounds = row.bounds(w, k, *[(a.lo, a.hi) for a in args])
        held = args[0].held if lanes else None
        letters = zip(bounds, row.results, strict=True)
        made = tuple([Value(lo, hi, KINDS[letter], "", (), 0, 0, held) for (lo, hi), letter in letters])
        known = tuple([const(v.lo, v.kind) if v.lo == v.hi else v for v in made])
        if any(lo != hi for lo, hi in bounds):
            instr = Instr(op, w, args, made, k, lanes)
            self.block.instrs.append(instr)
            for value in made:
                self._makers[id(value)] = instr
        return known
