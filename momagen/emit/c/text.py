"""Straight-line code in C: registers from memory, statements from the target's rows, and registers to memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from textwrap import TextWrapper

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen.data import folder
from momagen.ir import OPS, Block, Procedure, Value
from momagen.targets import Target

from .words import Printer

WIDTH = 132
"""Columns of a line of a comment."""


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The Jinja environment; a name that a template lacks is an error."""
    loader = FileSystemLoader(folder("templates"))
    found = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    found.filters["plan_field"] = "plan->{}".format
    found.filters["comment"] = lambda doc: "\n".join(comment(doc))
    return found


def comment(doc: str) -> list[str]:
    """``doc`` as a comment, wrapped; each line of it is a paragraph."""
    wrapped = TextWrapper(WIDTH, "   ", "   ", break_long_words=False, break_on_hyphens=False).wrap
    lines = [line for paragraph in doc.splitlines() for line in wrapped(paragraph)]
    text = "\n".join(lines)
    return f"/*{text[2:]} */".splitlines() if text else []


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


class BodyText:
    """The statements of one body, in the parts that a loop needs apart."""

    def __init__(self, target: Target, chains: ChainSet, letter: str = "t") -> None:
        self.target = target
        self.printer = Printer(target, {}, chains, letter)
        self.spare: dict[str, int] = {}

    def load(self, name: str, values: Iterable[Value], place: Place) -> Iterator[str]:
        """Declarations of the words of one input."""
        how = self.target.moves["broadcast" if place.broadcast else "load"]
        for w, value in enumerate(values):
            if value.is_const:
                continue
            self.printer.names[id(value)] = f"{name}_{w}"
            if not self.target.vector:
                self.printer.memory[id(value)] = place.pointer, place.offset + w * place.step
            text = how.format(p=place.pointer, i=place.offset + w * place.step)
            line = f"const {self.target.types['word']} {name}_{w} = {text};"
            if id(value) in self.printer.memory:
                self.spare[line] = id(value)
            yield line

    def name(self, value: Value) -> str:
        """What the text calls ``value``."""
        return self.printer.name(value)

    def alias(self, value: Value, name: str) -> None:
        """``value`` is there already, by this name."""
        self.printer.names[id(value)] = name

    def leave(self, values: Iterable[Value], place: Place) -> None:
        """Words of one input stay in memory: what reads them loads them."""
        how = self.target.moves["broadcast" if place.broadcast else "load"]
        for w, value in enumerate(values):
            self.printer.names[id(value)] = how.format(p=place.pointer, i=place.offset + w * place.step)

    def load_halves(self, name: str, value: Value, low: str, high: str) -> Iterator[str]:
        """A declaration of one word of an input, half of whose lanes stand at each pointer."""
        self.printer.names[id(value)] = name
        yield f"const {self.target.types['word']} {name} = {self.target.moves['halves'].format(a=low, b=high)};"

    def store_halves(self, value: Value, low: str, high: str) -> Iterator[str]:
        """Stores of one word of an output, half of its lanes to each pointer."""
        name = self.printer.name(value)
        for half, pointer in (("low", low), ("high", high)):
            yield self.target.moves[f"store_{half}"].format(p=pointer, a=name)

    def instructions(self, block: Block) -> list[str]:
        return list(self.printer.lines(block))

    def needed(self, lines: Iterable[str]) -> list[str]:
        """``lines``, when all is printed, without the words of inputs that calls alone read, and in memory."""
        return [line for line in lines if line not in self.spare or self.spare[line] in self.printer.read]

    def needed_of(self, lines: Iterable[tuple[str, int]]) -> list[str]:
        """The same of lines with the value that each declares for calls alone, or 0."""
        return [line for line, value in lines if not value or value in self.printer.read]

    def store(self, values: Iterable[Value], place: Place) -> Iterator[str]:
        """Stores of the words of one output."""
        for w, value in enumerate(values):
            text = self.printer.name(value)
            yield self.target.moves["store"].format(p=place.pointer, i=place.offset + w * place.step, a=text)


def procedure_function(procedure: Procedure, target: Target, chains: ChainSet) -> str:
    """The C function that calls of ``procedure`` call: in place on its words in memory."""
    block, word = procedure.block, target.types["word"]
    printer = Printer(target, {id(value): name for name, value in block.inputs.items()}, chains)
    known = {"a", "b"} - {name[0] for name in block.inputs}
    lines = [f"(void){letter}; /* a constant */" for letter in sorted(known)]
    lines += [f"const {word} {name} = {name[0]}[{name[1:]}];" for name in block.inputs]
    lines += printer.lines(block)
    lines += [f"{name[0]}[{name[1:]}] = {printer.name(value)};" for name, value in block.outputs.items()]
    return templates().get_template("c/procedure.c.j2").render(
        name=procedure.name, notation=OPS[procedure.op].notation, width=procedure.w, word=word, lines=lines,
        attribute="MG_SIMD " if target.attribute else "",
    )  # fmt: skip
