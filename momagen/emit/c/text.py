"""Straight-line code in C: registers from memory, statements from the target's rows, and registers to memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from momagen.program import Load, LoadHalves, Store, StoreHalves
from momagen.targets import Target

from .words import Printer

ChainSet = set[tuple[str, int]]
"""The carry chains in use: operation and length."""


class Spare(NamedTuple):
    """A declaration that goes where calls alone read the value with that id: they find it in memory."""

    line: str
    value: int


class BodyText:
    """Registers of one function: from memory, instructions on them, and to memory, at pointers as C writes them."""

    def __init__(self, target: Target, chains: ChainSet) -> None:
        self.target, self.printer = target, Printer(target, {}, chains)

    def load(self, s: Load, pointer: str) -> Iterator[str | Spare]:
        """Declarations of registers; none of what stays in memory, where instructions read it."""
        how = self.target.moves["broadcast" if s.broadcast else "load"]
        for w, value in enumerate(s.values):
            if value.is_const:
                continue
            at = s.offset + w * s.step
            text = how.format(p=pointer, i=at)
            self.printer.names[id(value)] = text if s.stays else f"{s.name}_{w}"
            line = f"const {self.target.types['word']} {s.name}_{w} = {text};"
            if not s.stays and self.target.vector:
                yield line
            elif not s.stays:
                self.printer.memory[id(value)] = pointer, at
                yield Spare(line, id(value))

    def load_halves(self, s: LoadHalves, low: str, high: str) -> Iterator[str]:
        """A declaration of one register, half of whose lanes stand at each pointer."""
        self.printer.names[id(s.value)] = s.name
        yield f"const {self.target.types['word']} {s.name} = {self.target.moves['halves'].format(a=low, b=high)};"

    def store(self, s: Store, pointer: str) -> Iterator[str]:
        """Stores of registers."""
        for w, value in enumerate(s.values):
            yield self.target.moves["store"].format(p=pointer, i=s.offset + w * s.step, a=self.printer.name(value))

    def store_halves(self, s: StoreHalves, low: str, high: str) -> Iterator[str]:
        """Stores of one register, half of its lanes to each pointer."""
        for half, pointer in (("low", low), ("high", high)):
            yield self.target.moves[f"store_{half}"].format(p=pointer, a=self.printer.name(s.value))
