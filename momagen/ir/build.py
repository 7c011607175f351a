"""The builder, which appends instructions to a block and simplifies them immediately.

It folds constants, applies the identities of :mod:`momagen.ir.simplify`, replaces a result whose interval
contains a single number by that constant, and shares equal expressions. The code therefore needs few passes
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .block import Block, Instr
from .ops import KINDS, OPS
from .simplify import simpler
from .value import Interval, Value, const, numeral

Key = tuple[object, ...]
"""All that identifies an expression."""


class Builder:
    """A builder of one :class:`Block`.

    Attributes:
        block: The block.
        has: The function that returns whether the target has an operation. By default there are no such
            operations.
    """

    def __init__(self, has: Callable[[str], bool] = lambda op: False) -> None:
        self.block, self.has = Block(), has
        self._shared: dict[Key, tuple[Value, ...]] = {}
        self._makers: dict[int, Instr] = {}

    def input(self, name: str, lo: int, hi: int, kind: str = "word") -> Value:
        """Add an input and return it.

        Args:
            name: The name, which must be new.
            lo: The smallest number that the input may be.
            hi: The largest number. If it is equal to ``lo``, the result is a constant.
            kind: The kind: "flag", "word" or "mask".
        """
        assert name not in self.block.inputs, name
        value = const(lo, kind) if lo == hi else Value(lo, hi, kind, name)
        self.block.inputs[name] = value
        return value

    def numeral(self, name: str, within: Interval, ends: Sequence[Interval], weight: int, ring: int = 0) -> Value:
        """Add an input that is represented by limbs and return it.

        See :func:`numeral` for the arguments.
        """
        self.block.inputs[name] = value = numeral(name, within, ends, weight, ring)
        return value

    def output(self, name: str, value: Value) -> None:
        """Make ``value`` the output ``name``."""
        self.block.outputs[name] = value

    def maker(self, value: Value) -> Instr | None:
        """Return the instruction that defines ``value``, or None for an input or a constant."""
        return self._makers.get(id(value))

    def emit(self, op: str, w: int, *args: Value, k: int = 0, lanes: tuple[int, ...] = ()) -> tuple[Value, ...]:
        """Return the results of an operation, and append an instruction only if no identity yields them.

        Args:
            op: The name of the operation.
            w: Its width in bits.
            args: The arguments.
            k: The integer attribute of the operation.
            lanes: The source lane of each lane of the result, for permutations.
        """
        if not lanes and (found := simpler(self, op, w, k, args)) is not None:
            return found
        turned = OPS[op].commutes and id(args[0]) > id(args[1])
        key: Key = (op, w, k, lanes, args[1], args[0], *args[2:]) if turned else (op, w, k, lanes, *args)
        if (shared := self._shared.get(key)) is None:
            self._shared[key] = shared = self._append(op, w, args, k, lanes)
        return shared

    def one(self, op: str, w: int, *args: Value, k: int = 0) -> Value:
        """Return the only result of an operation; see :meth:`emit` for the arguments."""
        (result,) = self.emit(op, w, *args, k=k)
        return result

    def _append(self, op: str, w: int, args: tuple[Value, ...], k: int, lanes: tuple[int, ...]) -> tuple[Value, ...]:
        """Append an instruction, and return its results with constants in place of known ones."""
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
