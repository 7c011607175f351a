"""Prints the straight-line body of a block in a C-like syntax: one declaration per instruction, from the target's rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from momagen.ir import OPS, Block, Instr, Value
from momagen.targets import Target

_LETTERS = "abcdefgh"


class Printer:
    """Names the values of one block and prints its instructions."""

    def __init__(self, target: Target, names: Mapping[int, str]) -> None:
        self.target, self.names = target, dict(names)
        self.count = 0

    def lines(self, block: Block) -> Iterator[str]:
        for instr in block.instrs:
            yield from self._instr(instr)

    def name(self, value: Value) -> str:
        """How ``value`` is written: its variable, or the constant."""
        if value.is_const:
            return self.const(value.lo) if value.kind == "word" else str(value.lo)
        return self.names[id(value)]

    def const(self, number: int) -> str:
        return self.target.types["const"].format(x=number)

    def _fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def _instr(self, instr: Instr) -> Iterator[str]:
        row = self.target.ops[instr.op]
        words = {letter: self.name(arg) for letter, arg in zip(_LETTERS, instr.args, strict=False)}
        words |= self._constants(instr)
        if row.temp:
            words["t"] = self._fresh()
            yield row.temp.format(**words)
        kinds = OPS[instr.op].results
        for value, kind, text in zip(instr.results, kinds, row.results, strict=True):
            self.names[id(value)] = variable = self._fresh()
            yield f"const {self.target.types['flag' if kind == 'f' else 'word']} {variable} = {text.format(**words)};"

    def _constants(self, instr: Instr) -> dict[str, str]:
        """What a row may ask for beside its arguments: the shift, a mask of k ones, the lanes of a permutation."""
        words = {"k": str(instr.k), "lanes": ", ".join(map(str, instr.lanes))}
        if instr.op == "low":
            words["mask"] = self.const((1 << instr.k) - 1)
        if instr.lanes:
            words["lanes"] = self.target.moves["lanes"].format(lanes=words["lanes"])
        return words
