"""Prints stages and scalar functions in C: loops from the template, bodies from the target's rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen.data import folder
from momagen.ir import OPS, Block, Procedure, Value, const, words
from momagen.kernels.stage import Stage
from momagen.targets import Target

from .body import Body
from .words import Printer


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The Jinja environment; a name that a template lacks is an error."""
    loader = FileSystemLoader(folder("templates"))
    return Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )


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

    def load_halves(self, name: str, value: Value, low: Place, high: Place) -> Iterator[str]:
        """A declaration of one word of an input, half of whose lanes stand in each place."""
        self.printer.names[id(value)] = name
        a, b = (f"{place.pointer} + {place.offset}" for place in (low, high))
        yield f"const {self.target.types['word']} {name} = {self.target.moves['halves'].format(a=a, b=b)};"

    def store_halves(self, value: Value, low: Place, high: Place) -> Iterator[str]:
        """Stores of one word of an output, half of its lanes to each place."""
        name = self.printer.name(value)
        for half, place in (("low", low), ("high", high)):
            yield self.target.moves[f"store_{half}"].format(p=place.pointer, i=place.offset, a=name)

    def instructions(self, block: Block) -> list[str]:
        return list(self.printer.lines(block))

    def needed(self, lines: Iterable[str]) -> list[str]:
        """``lines``, when all is printed, without the words of inputs that calls alone read, and in memory."""
        return [line for line in lines if line not in self.spare or self.spare[line] in self.printer.read]

    def store(self, values: Iterable[Value], place: Place) -> Iterator[str]:
        """Stores of the words of one output."""
        for w, value in enumerate(values):
            text = self.printer.name(value)
            yield self.target.moves["store"].format(p=place.pointer, i=place.offset + w * place.step, a=text)


def stage_function(
    name: str, stage: Stage, body: Body, target: Target, count: int, entry: int, chains: ChainSet, unroll: str = ""
) -> str:
    """The C function of one stage.

    Args:
        count: words per residue. entry: words per table entry. unroll: copies of the loop's body; "": as the C
            compiler likes.
    """
    text = BodyText(target, chains)
    wide, step = target.vector, target.lanes
    order = sorted(body.others, key=by_heap)
    constants = [
        line
        for at, key in enumerate(("q", "qi"))
        for line in text.load(key, body.others.get(key, ()), Place("c", at * count, 1, wide))
    ]
    twiddles = [
        line
        for key in order
        if key not in ("q", "qi")
        for line in text.load(key, body.others[key], _twiddle_place(key, stage, count, entry))
    ]
    legs = range(stage.radix)
    loads = [line for i in legs for line in text.load(f"x{i}", body.loads[i], Place(f"x{i}", 0, step))]
    middle = text.instructions(body.block)
    stores = [line for i in legs for line in text.store(body.stores[i], Place(f"y{i}", 0, step))]
    return templates().get_template("c/stage.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", row=stage.row, radix=stage.radix,
        count=count, lanes=target.lanes,
        sharing=stage.sharing, advance=stage.twiddles * entry * stage.table_lanes,
        constants=text.needed(constants), twiddles=text.needed(twiddles), loads=text.needed(loads), middle=middle,
        stores=stores, unroll=unroll,
    )  # fmt: skip


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


def by_heap(name: str) -> tuple[int, bool, str]:
    """Sorts inputs: those without a number first, then twiddle by twiddle, the constant before its quotient."""
    return (int(name[1:]) if name[1:].isdigit() else -1, name[:1] == "u", name)


def _twiddle_place(key: str, stage: Stage, count: int, entry: int) -> Place:
    """Twiddle v_t (and its quotient u_t): entry t - 1, or t where entry 0 is 1/n."""
    index = int(key[1:]) - (0 if stage.scaled else 1)
    lanes = stage.table_lanes
    offset = (index * entry + (count if key[0] == "u" else 0)) * lanes
    return Place("tw", offset, lanes, broadcast=not stage.row and stage.lanes > 1)


def scalar_function(
    name: str, block: Block, target: Target, count: int, places: Mapping[str, Place], chains: ChainSet
) -> str:
    """A C function z = f(a, b, …) on residues of ``count`` words; inputs named in ``places`` come through pointers."""
    text = BodyText(target, chains)
    results = words(block.outputs["z"], target.word, count)
    read = {id(a) for instr in block.instrs for a in instr.args} | {id(value) for value in results}
    lines: list[str] = []
    for key in (key for key in places if key in block.inputs):
        values = words(block.inputs[key], target.word, count)
        lines += text.load(key, [v if id(v) in read else const(0) for v in values], places[key])
    lines += text.instructions(block)
    lines += text.store(results, Place("z", 0))
    return templates().get_template("c/scalar.c.j2").render(name=name, lines=text.needed(lines))
