"""The printer of straight-line code in C: loads, instructions as the target spells them, and stores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from momagen.ir import KINDS, OPS, Block, Instr, Procedure, Value, const, leaves
from momagen.lower.body.carry_chains import gather
from momagen.lower.body.corrections import MultiWord
from momagen.program import Become, Begin, Load, LoadHalves, Store, StoreHalves
from momagen.targets import Target

from .hidden import shared_differences

_LETTERS = "abcdefgh"
_FRESH = re.compile(r"t(\d+)(?:_|$)")
"""A pattern for the names that :meth:`Printer.fresh` returns and for names that derive from these, such as t3_0."""
Place = tuple[str, int]
"""A place in memory: the text of a pointer, and an index in words."""
ChainSet = set[tuple[str, int]]
"""The carry chains in use, as pairs of an operation and a number of words."""


class Spare(NamedTuple):
    """A declaration of a register, which is omitted if only calls of procedures use the value.

    Calls read the value in memory.

    Attributes:
        line: The declaration.
        value: The id of the value.
    """

    line: str
    value: int


class Printer:
    """The printer of one function's registers: it names values, and prints instructions, loads and stores.

    Pointers are passed as C expressions.

    Attributes:
        target: The target that spells the current instruction: ``own``, or ``longer`` for an instruction on
            longer lanes.
        names: The C expressions of values by their ids.
        own: The target of the function.
        longer: The target with lanes of two words whose instructions the function may contain, or ``own``
            without one.
        count: The number of the newest name.
        used: The ids of values that an instruction or an output of the current block reads.
        reserved: The numbers of names that the function has already.
        chains: The set to which the carry chains in use are added.
        memory: The places of values that are in memory as well, by the ids of the values.
        read: The ids of the values whose names were requested.
        hidden: The ids of differences that are hidden from the optimiser.
        goals: The places to which values are stored as soon as they are computed, by the ids of the values.
    """

    def __init__(self, target: Target, names: Mapping[int, str], chains: ChainSet) -> None:
        self.target, self.names = target, dict(names)
        self.own, self.longer = target, target.inside_target
        self.count = 0
        self.used: set[int] = set()
        self.reserved: set[int] = set()
        self.chains = chains
        self.memory: dict[int, Place] = {}
        self.read: set[int] = set()
        self.hidden: set[int] = set()
        self.goals: dict[int, str] = {}

    def load(self, s: Load, pointer: str) -> Iterator[str | Spare]:
        """Yield the declarations of loaded registers, except registers that instructions read directly from memory."""
        how = self.target.moves[s.how or ("broadcast_twice" if s.twice else "broadcast" if s.broadcast else "load")]
        for w, value in enumerate(s.values):
            if value.is_const:
                continue
            at = s.offset + w * s.step
            text = how.format(p=pointer, i=at)
            self.names[id(value)] = text if s.stays else f"{s.name}_{w}"
            line = f"const {self.target.types['word']} {s.name}_{w} = {text};"
            if not s.stays and self.target.vector:
                yield line
            elif not s.stays:
                self.memory[id(value)] = pointer, at
                yield Spare(line, id(value))

    def load_halves(self, s: LoadHalves, low: str, high: str) -> Iterator[str]:
        """Yield the declaration of one register, each half of which is loaded from another pointer."""
        self.names[id(s.value)] = s.name
        yield f"const {self.target.types['word']} {s.name} = {self.target.moves['halves'].format(a=low, b=high)};"

    def begin(self, s: Begin) -> Iterator[str]:
        """Yield declarations of variables that are initialised with zero."""
        for w, value in enumerate(s.values):
            self.names[id(value)] = f"{s.name}_{w}"
            yield f"{self.target.types['word']} {s.name}_{w} = {self.name(const(0))};"

    def become(self, s: Become) -> Iterator[str]:
        """Yield assignments of results to variables, except to themselves, about which compilers warn."""
        pairs = zip(map(self.name, s.values), map(self.name, s.results), strict=True)
        yield from (f"{value} = {result};" for value, result in pairs if value != result)

    def store(self, s: Store, pointer: str) -> Iterator[str]:
        """Yield the stores of registers."""
        for w, value in enumerate(s.values):
            yield self.target.moves[s.how].format(p=pointer, i=s.offset + w * s.step, a=self.name(value))

    def store_halves(self, s: StoreHalves, low: str, high: str) -> Iterator[str]:
        """Yield the stores of the two halves of one register, each to another pointer."""
        for half, pointer in (("low", low), ("high", high)):
            yield self.target.moves[f"store_{half}"].format(p=pointer, a=self.name(s.value))

    def lines(self, block: Block) -> Iterator[str]:
        """Yield the lines of a block, with stores to the places in ``goals``."""
        self.used = {id(a) for instr in block.instrs for a in instr.args}
        self.used |= {id(word) for value in block.outputs.values() for word in leaves(value)}
        self.hidden = shared_differences(block) if "hide" in self.target.moves else set()
        for node in gather(block, self.target.chains) if self.target.chains else block.instrs:
            yield from self._words(node) if isinstance(node, MultiWord) else self._instr(node)
            goals = ((self.goals[id(value)], value) for value in node.results if id(value) in self.goals)
            yield from (f"{goal} = {self.name(value)};" for goal, value in goals)

    def _words(self, found: MultiWord) -> Iterator[str]:
        """Yield one call for all words, such as mg_add2(&s0, a0, b0, &s1, a1, b1).

        The call takes a flag, if there is one, as the first argument, and returns the carry.
        """
        names, given = list[str](), [self.name(found.flag)] if found.flag else []
        for result, args in zip(found.results, found.words, strict=True):
            names.append(self.fresh())
            self.names[id(result)] = names[-1]
            given += [f"&{names[-1]}", *map(self.name, args)]
        self.chains |= found.calls
        yield f"{self.target.types['word']} {', '.join(names)};"
        call = f"mg_{found.op}{len(names)}({', '.join(given)});"
        if found.carry is not None:
            self.names[id(found.carry)] = self.fresh()
            call = f"const {self.target.types['flag']} {self.names[id(found.carry)]} = {call}"
        yield call

    def name(self, value: Value) -> str:
        """Return the C expression of a value: its variable, or the constant, which vectors have in every lane."""
        if not value.is_const:
            self.read.add(id(value))
            return self.names[id(value)]
        if value.kind == "flag":
            return self.target.types[("no", "yes")[value.lo]] if self.target.vector else str(value.lo)
        return self.target.types["masks" if value.kind == "mask" else "const"].format(x=value.lo)

    def reserve(self, names: Iterable[str]) -> None:
        """Exclude names from the results of :meth:`fresh`.

        This includes the names that loads derive from them, such as t3_0 for word 0 of t3.
        """
        self.reserved |= {int(found[1]) for found in map(_FRESH.match, names) if found}

    def fresh(self) -> str:
        """Return a name that nothing else in the function has."""
        self.count += 1
        while self.count in self.reserved:
            self.count += 1
        return f"t{self.count}"

    def _instr(self, instr: Instr) -> Iterator[str]:
        """Yield the lines of one instruction. Results that nothing uses are omitted."""
        if instr.procedure is not None:
            yield from call_lines(self, instr, instr.procedure)
            return
        self.target = self.longer if _longer(instr, self.longer) else self.own
        row = self.target.spelling(instr.op, instr.lanes)
        words = {letter: self.name(arg) for letter, arg in zip(_LETTERS, instr.args, strict=False)}
        words |= self._constants(instr)
        if row.temp:
            words["t"] = self.fresh()
            yield row.temp.format(**words)
        kinds = [KINDS[letter] for letter in OPS[instr.op].results]
        for value, kind, text in zip(instr.results, kinds, row.results, strict=True):
            if id(value) not in self.used:
                continue
            self.names[id(value)] = variable = self.fresh()
            hidden = id(value) in self.hidden
            yield f"{'' if hidden else 'const '}{self.target.types[kind]} {variable} = {text.format(**words)};"
            if hidden:
                yield self.target.moves["hide"].format(a=variable)
        self.target = self.own

    def _constants(self, instr: Instr) -> dict[str, str]:
        """Return the placeholders of a row besides the arguments.

        They are the shift k, a mask of bit k or of the bits below, and the lanes.
        """
        words = {"k": str(instr.k), "lanes": ", ".join(map(str, instr.lanes))}
        if instr.op in ("low", "clear", "bit"):
            words["mask"] = self.name(const((1 << instr.k) - (instr.op != "bit")))
        if instr.lanes and "lanes" in self.target.moves:
            words["lanes"] = self.target.moves["lanes"].format(lanes=words["lanes"])
        return words


def _longer(instr: Instr, longer: Target) -> bool:
    """Return whether an instruction belongs to the target with the longer lanes."""
    return len(instr.lanes) == longer.lanes or (not instr.lanes and instr.w in (longer.digit, longer.word))


def call_lines(printer: Printer, instr: Instr, procedure: Procedure) -> Iterator[str]:
    """Yield the statements that call a procedure.

    Words are passed in memory, whose cost is negligible compared with the hundreds of operations of a
    procedure.
    """
    word, wanted = printer.target.types["word"], {name: printer.fresh() for name in procedure.block.outputs}
    args = dict(zip(procedure.block.inputs, instr.args, strict=True))
    found = [_address(printer, {_at(name): args[name] for name in args if name[0] == letter}) for letter in "ab"]
    result = printer.fresh()
    yield f"{word} {', '.join(wanted.values())};"
    yield "{"
    yield from (f"    {line}" for _, lines in found for line in lines)
    yield f"    {word} {result}[{max(map(_at, wanted)) + 1}];"
    yield f"    {procedure.name}({', '.join([result, *(address for address, _ in found)])});"
    yield from (f"    {name} = {result}[{_at(key)}];" for key, name in wanted.items())
    yield "}"
    printer.names.update((id(value), name) for value, name in zip(instr.results, wanted.values(), strict=True))


def _at(name: str) -> int:
    """Return the index of a word from its name: word 3 of an argument is a3 or b3, and word 3 of the result is c3."""
    return int(name[1:])


def _address(printer: Printer, values: Mapping[int, Value]) -> tuple[str, list[str]]:
    """Return a pointer to an array of words, and the statements that build the array if the words are not in memory.

    Without values, because the procedure has a constant operand, the pointer is NULL.

    Args:
        printer: The printer.
        values: The values by their indices in the array.
    """
    if not values:
        return "0", []
    found = {at: printer.memory.get(id(value), ("", 0)) for at, value in values.items()}
    (pointer, first), *others = {(pointer, index - at) for at, (pointer, index) in found.items()}
    if pointer and first >= 0 and not others:
        return f"{pointer} + {first}", []
    name, word = printer.fresh(), printer.target.types["word"]
    stores = [f"{name}[{at}] = {printer.name(value)};" for at, value in values.items()]
    return name, [f"{word} {name}[{max(values) + 1}];", *stores]
