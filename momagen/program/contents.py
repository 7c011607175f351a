"""Keys that are equal for functions and procedures that do the same, even if they use other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momagen.ir import Block, Procedure, Value, leaves

from .build import Function
from .expressions import Call, Expr, Name
from .statements import Statement

Names = Mapping[str, str]
"""New names for functions, arrays and procedures. Names that it does not contain stay unchanged."""


class Contents:
    """A generator of keys for comparing the contents of several programs. It examines each block only once.

    Registers are identified by the order of their first occurrence. Intervals are not compared, since they do
    not affect the instructions.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[Block, int, list[Value]]] = {}
        self._numbers: dict[object, int] = {}

    def function(self, function: Function, names: Names) -> object:
        """Return a key for all of a function but its name.

        Args:
            function: The function.
            names: The new names of the functions, arrays and procedures that it uses.
        """
        seen: dict[int, int] = {}
        f = function
        return self._of((f.params, f.doc, f.result, f.vector, f.copies, f.body), names, seen)

    def procedure(self, procedure: Procedure) -> object:
        """Return a key for all of a procedure but its name."""
        return procedure.op, procedure.w, self._block(procedure.block)[0]

    def _of(self, part: Any, names: Names, seen: dict[int, int]) -> object:
        """Return a key for a part of a function, in which registers have the numbers ``seen``."""
        match part:
            case Name():
                return names.get(part.text, part.text), part.type
            case Call():
                return names.get(part.name, part.name), part.type, self._of(part.args, names, seen)
            case Value():
                return (part.kind, part.lo) if part.is_const else seen.setdefault(id(part), len(seen))
            case Block():
                contents, values = self._block(part)
                return contents, *[seen.setdefault(id(value), len(seen)) for value in values]
            case Expr() | Statement():
                return type(part), *[self._of(each, names, seen) for each in vars(part).values()]
            case list() | tuple():
                return tuple([self._of(each, names, seen) for each in part])
        return part

    def _block(self, block: Block) -> tuple[int, list[Value]]:
        """Return a number that identifies the contents of a block, and its registers in their order."""
        if id(block) not in self._blocks:
            seen: dict[int, int] = {}
            registers: list[Value] = []

            def each(value: Value) -> object:
                if value.is_const:
                    return value.kind, value.lo
                if id(value) not in seen:
                    seen[id(value)] = len(seen)
                    registers.append(value)
                return seen[id(value)]

            found: list[object] = [each(word) for value in block.outputs.values() for word in leaves(value)]
            for i in block.instrs:
                called = i.procedure and self.procedure(i.procedure)
                found += [i.op, i.w, i.k, i.lanes, called, *map(each, i.args), *map(each, i.results)]
            self._blocks[id(block)] = block, self._numbers.setdefault(tuple(found), len(self._numbers)), registers
        return self._blocks[id(block)][1:]
