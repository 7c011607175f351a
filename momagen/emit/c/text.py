"""Straight-line code in C: registers from memory, statements from the target's rows, and registers to memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from momagen.ir import Value
from momagen.targets import Target

from .words import Printer


def word_numbers(host: Target) -> dict[str, object]:
    """What templates ask for of the words of ``host``: C's type, and how many bits it has."""
    return {"word": host.types["word"], "word_bits": host.word}


@dataclass(frozen=True)
class Place:
    """Where an input's words stand in memory: a pointer's text, an offset, and whether one word serves all lanes."""

    pointer: str
    offset: int
    step: int = 1
    broadcast: bool = False


ChainSet = set[tuple[str, int]]
"""The carry chains in use: operation and length."""


class Spare(str):
    """A declaration that goes where calls alone read what it declares, the ``value`` with that id: it is in memory."""

    def __new__(cls, text: str, value: int) -> Spare:
        found = super().__new__(cls, text)
        found.value = value
        return found

    value: int


class BodyText:
    """Registers of one function: from memory, instructions on them, and to memory."""

    def __init__(self, target: Target, chains: ChainSet) -> None:
        self.target, self.printer = target, Printer(target, {}, chains)

    def load(self, name: str, values: Iterable[Value], place: Place, stays: bool = False) -> Iterator[str]:
        """Declarations of registers; none of what stays in memory, where instructions read it."""
        how = self.target.moves["broadcast" if place.broadcast else "load"]
        for w, value in enumerate(values):
            if value.is_const:
                continue
            at = place.offset + w * place.step
            text = how.format(p=place.pointer, i=at)
            self.printer.names[id(value)] = text if stays else f"{name}_{w}"
            line = f"const {self.target.types['word']} {name}_{w} = {text};"
            if not stays and self.target.vector:
                yield line
            elif not stays:
                self.printer.memory[id(value)] = place.pointer, at
                yield Spare(line, id(value))

    def load_halves(self, name: str, value: Value, low: str, high: str) -> Iterator[str]:
        """A declaration of one register, half of whose lanes stand at each pointer."""
        self.printer.names[id(value)] = name
        yield f"const {self.target.types['word']} {name} = {self.target.moves['halves'].format(a=low, b=high)};"

    def store(self, values: Iterable[Value], place: Place) -> Iterator[str]:
        """Stores of registers."""
        for w, value in enumerate(values):
            text = self.printer.name(value)
            yield self.target.moves["store"].format(p=place.pointer, i=place.offset + w * place.step, a=text)

    def store_halves(self, value: Value, low: str, high: str) -> Iterator[str]:
        """Stores of one register, half of its lanes to each pointer."""
        name = self.printer.name(value)
        for half, pointer in (("low", low), ("high", high)):
            yield self.target.moves[f"store_{half}"].format(p=pointer, a=name)
