"""The printer of straight-line code in Python, with one NumPy array for each register.

It prints one statement for each result of an instruction, as the target spells the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from momagen.ir import Block, Instr, Value
from momagen.targets import Target

Slots = Mapping[str, object]
LETTERS = "abcdefgh"
ALONE = {"load": "{p}[{i}:{i} + 1].copy()", "broadcast": "{p}[{i}:{i} + 1].copy()", "store": "{p}[{i}:{i} + 1] = {a}"}
"""The spelling of loads and stores of registers that hold one word."""


class RegisterRows:
    """The registers of one function.

    Attributes:
        target: The target.
        preludes: The set to which the helper functions that the operations need are added.
        moves: The spelling of loads and stores.
        names: The names of the registers by the ids of their values.
        fresh: The numbers of new names.
    """

    def __init__(self, target: Target, lanes: int, preludes: set[str]) -> None:
        self.target, self.preludes = target, preludes
        self.moves = target.moves if lanes > 1 else ALONE
        self.names, self.fresh = dict[int, str](), count(1)

    def load(self, name: str, values: Sequence[Value], how: str, places: Iterable[Slots]) -> Iterator[str]:
        """Yield statements that load registers from memory, except registers that are constants.

        Args:
            name: The stem of the names of the registers.
            values: The values of the registers.
            how: The name of the target's move.
            places: The placeholders of the move for each register.
        """
        for w, (value, place) in enumerate(zip(values, places, strict=False)):
            if not value.is_const:
                self.names[id(value)] = f"{name}_{w}"
                yield f"{name}_{w} = {self.moves[how].format(**place)}"

    def store(self, values: Sequence[Value], how: str, places: Iterable[Slots]) -> Iterator[str]:
        """Yield statements that store registers to memory. See :meth:`load` for the arguments."""
        for value, place in zip(values, places, strict=False):
            yield self.moves[how].format(a=self.name(value), **place)

    def instructions(self, block: Block) -> Iterator[str]:
        """Yield the statements of the instructions of a block."""
        for instr in block.instrs:
            if instr.procedure:
                names = ", ".join(map(self._fresh, instr.results))
                yield f"{names}, = {instr.procedure.name}({', '.join(map(self.name, instr.args))})"
            else:
                yield from self._instr(instr)

    def name(self, value: Value) -> str:
        """Return the name of the register of a value, or the text of a constant."""
        if not value.is_const:
            return self.names[id(value)]
        if value.kind == "word":
            return self.target.types["const"].format(x=value.lo % (1 << 64))
        return str(bool(value.lo)) if value.kind == "flag" else hex(value.lo)

    def _fresh(self, value: Value) -> str:
        """Return a new name for a value, and record it."""
        self.names[id(value)] = found = f"t{next(self.fresh)}"
        return found

    def _instr(self, instr: Instr) -> Iterator[str]:
        """Yield one statement for each result of an instruction."""
        row = self.target.spelling(instr.op, instr.lanes)
        self.preludes |= {self.target.prelude.get(instr.op, "")} - {""}
        words = {letter: self.name(arg) for letter, arg in zip(LETTERS, instr.args, strict=False)}
        words |= {"k": str(instr.k), "lanes": ", ".join(map(str, instr.lanes))}
        words["mask"] = self.target.types["const"].format(x=(1 << max(instr.k, 0)) - (instr.op != "bit"))
        for value, text in zip(instr.results, row.results, strict=True):
            yield f"{self._fresh(value)} = {text.format(**words)}"
