"""Straight-line code in Python: one NumPy row per register, one statement per instruction, from the target's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.ir import Block, Instr, Value
from momagen.targets import Target

LETTERS = "abcdefgh"


class RegisterRows:
    """The registers of one function, ``lanes`` words each."""

    def __init__(self, target: Target, lanes: int) -> None:
        self.target, self.lanes = target, lanes
        self.names: dict[int, str] = {}

    def load(self, name: str, values: Sequence[Value], pointer: str, places: Iterator[int], how: str) -> Iterator[str]:
        """Registers from memory, where they are no constants."""
        for w, (value, at) in enumerate(zip(values, places, strict=False)):
            if not value.is_const:
                self.names[id(value)] = f"{name}_{w}"
                row = self.target.moves[how] if self.lanes > 1 else "{p}[{i}:{i} + 1].copy()"
                yield f"{name}_{w} = {row.format(p=pointer, i=at)}"

    def store(self, values: Sequence[Value], pointer: str, places: Iterator[int]) -> Iterator[str]:
        """Registers to memory."""
        for value, at in zip(values, places, strict=False):
            row = self.target.moves["store"] if self.lanes > 1 else "{p}[{i}:{i} + 1] = {a}"
            yield row.format(p=pointer, i=at, a=self.name(value))

    def instructions(self, block: Block) -> Iterator[str]:
        """One statement per instruction."""
        for instr in block.instrs:
            yield from self._call(instr) if instr.procedure else self._instr(instr)

    def name(self, value: Value) -> str:
        """The row, or the constant."""
        if not value.is_const:
            return self.names[id(value)]
        if value.kind == "flag":
            return str(bool(value.lo))
        return self.target.types["const"].format(x=value.lo % (1 << 64))

    def _fresh(self, value: Value) -> str:
        self.names[id(value)] = found = f"t{len(self.names)}"
        return found

    def _instr(self, instr: Instr) -> Iterator[str]:
        row = self.target.spelling(instr.op, instr.lanes)
        words = {letter: self.name(arg) for letter, arg in zip(LETTERS, instr.args, strict=False)}
        words |= {"k": str(instr.k), "lanes": ", ".join(map(str, instr.lanes))}
        words["mask"] = self.target.types["const"].format(x=(1 << instr.k) - (instr.op != "bit"))
        for value, text in zip(instr.results, row.results, strict=True):
            yield f"{self._fresh(value)} = {text.format(**words)}"

    def _call(self, instr: Instr) -> Iterator[str]:
        assert instr.procedure
        args = ", ".join(map(self.name, instr.args))
        names = ", ".join(map(self._fresh, instr.results))
        yield f"{names}, = {instr.procedure.name}({args})"
