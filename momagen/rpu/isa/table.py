"""The instruction set, as isa.toml describes it, after checks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among, build_error
from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("isa.toml")
FILES = "vsam"
"""The register files: vectors, scalars, addresses and moduli."""
HOLDS = (*FILES, "bit", "number", "address", "mode", "value")
"""The contents of a field: a register of a file, a bit, a number, an address, a mode or the value of a mode."""
PIPELINES = ("load/store", "compute", "shuffle")
OPERATIONS = ("add", "multiply")
"""The operations of compute instructions on an element."""
WORD = 64
"""The number of bits of an instruction."""
FIELD = {"high": "a whole number", "low": "a whole number", "holds": "a text"}
MODE = {
    "number": "a whole number",
    "letter": "a text",
    "element": "a text",
    "least": "a whole number",
    "most": "a whole number",
}
MACHINE = {name: "a whole number" for name in ("lanes", "bits", "registers", "vdm_bytes", "sdm_bytes", "im_bytes")}
INSTRUCTION = {"intrinsic": "a text", "number": "a whole number", "pipeline": "a text", "operands": "a list of texts",
               "writes": "a list of texts", "reads": "a list of texts", "operations": "counts by name",
               "meaning": "a text"}  # fmt: skip
OPTIONAL = {"bfly": 0, "mode": False, "scalar": ""}
"""The optional keys of an instruction, with their defaults."""


@dataclass(frozen=True)
class WordField:
    """A field of an instruction word.

    Attributes:
        name: The name.
        high: The number of the highest bit.
        low: The number of the lowest bit.
        holds: The contents, one of HOLDS.
    """

    name: str
    high: int
    low: int
    holds: str

    @property
    def bits(self) -> int:
        """The number of bits."""
        return self.high - self.low + 1


@dataclass(frozen=True)
class Mode:
    """An address mode, which determines the places of the 512 elements of a vector in memory.

    Attributes:
        name: The name.
        number: The number in the field MODE.
        letter: The letters in the names of intrinsics.
        element: A description of the place of an element.
        least: The smallest value.
        most: The largest value.
    """

    name: str
    number: int
    letter: str
    element: str
    least: int
    most: int

    def place(self, i: int, v: int) -> int:
        """Return the offset of element i from the address, in words, for the value v."""
        return PLACES[self.name](i, v)


PLACES: Mapping[str, Callable[[int, int], int]] = {
    "contiguous": lambda i, v: i, "strided": lambda i, v: i << v, "repeated": lambda i, v: i & (1 << v) - 1,
    "skip": lambda i, v: (i >> v << v + 1) + (i & (1 << v) - 1),
}  # fmt: skip
"""The offsets of element i for the value v, by mode."""


@dataclass(frozen=True)
class Opcode:
    """One instruction of the set.

    Attributes:
        name: The name in assembly.
        intrinsic: The name in C.
        number: The number in the field OPCODE.
        bfly: The bit in the field BFLY.
        pipeline: The pipeline.
        operands: The fields in the order of assembly.
        mode: Whether it has an address mode.
        scalar: The instruction with a scalar register as its second operand, or "".
        writes: The fields of the registers that it writes.
        reads: The fields of the registers that it reads.
        operations: For each of "add" and "multiply", the number of operations on an element.
        meaning: A description in one line.
    """

    name: str
    intrinsic: str
    number: int
    bfly: int
    pipeline: str
    operands: tuple[WordField, ...]
    mode: bool
    scalar: str
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    operations: Mapping[str, int]
    meaning: str


@dataclass(frozen=True)
class InstructionSet:
    """The instruction set B512.

    Attributes:
        machine: The sizes of the machine.
        fields: The fields by name.
        modes: The address modes by name.
        opcodes: The instructions by name.
    """

    machine: Mapping[str, int]
    fields: Mapping[str, WordField]
    modes: Mapping[str, Mode]
    opcodes: Mapping[str, Opcode]

    @functools.cached_property
    def by_code(self) -> Mapping[tuple[int, int], Opcode]:
        """The instructions by their number and the bit BFLY."""
        return {(each.number, each.bfly): each for each in self.opcodes.values()}

    @functools.cached_property
    def mode_numbers(self) -> Mapping[int, Mode]:
        """The address modes by number."""
        return {each.number: each for each in self.modes.values()}

    def opcode(self, name: str, where: str = "B512") -> Opcode:
        """Return the instruction ``name``.

        Raises:
            MomagenError: No instruction has this name.
        """
        if name not in self.opcodes:
            raise among("one of the instructions", self.opcodes, name, where)
        return self.opcodes[name]


@functools.cache
def b512() -> InstructionSet:
    """Return the instruction set that isa.toml describes."""
    raw = read_toml(TABLE, "an instruction set in TOML", TABLE.name)
    fields = {name: _field(name, row) for name, row in raw["field"].items()}
    modes = {name: _mode(name, row) for name, row in raw["mode"].items()}
    opcodes = {name: _opcode(name, row, fields) for name, row in raw["instruction"].items()}
    found = InstructionSet(checked(raw["machine"], MACHINE, f"{TABLE.name}, [machine]"), fields, modes, opcodes)
    if len(found.by_code) != len(opcodes):
        raise build_error("two instructions have the same code (`number` and `bfly`)", TABLE.name)
    return found


def _field(name: str, raw: Any) -> WordField:
    """Return a checked field."""
    where = f"{TABLE.name}, [field] {name}"
    row = checked(raw, FIELD, where)
    if not 0 <= row["low"] <= row["high"] < WORD:
        expected = f"0 <= low <= high < {WORD}"
        raise MomagenError(expected, f"low = {row['low']} and high = {row['high']}", where)
    if row["holds"] not in HOLDS:
        raise among("one of the contents", HOLDS, row["holds"], f"{where}, holds")
    return WordField(name, **row)


def _mode(name: str, raw: Any) -> Mode:
    """Return a checked address mode."""
    return Mode(name, **checked(raw, MODE, f"{TABLE.name}, [mode.{name}]"))


def _opcode(name: str, raw: dict[str, Any], fields: Mapping[str, WordField]) -> Opcode:
    """Return a checked instruction."""
    where = f"{TABLE.name}, [instruction.{name}]"
    bfly, mode, scalar = (raw.get(key, default) for key, default in OPTIONAL.items())
    row = checked({key: value for key, value in raw.items() if key not in OPTIONAL}, INSTRUCTION, where)
    for each in (*row["operands"], *row["writes"], *row["reads"]):
        if each not in fields:
            raise among("one of the fields", fields, each, where)
    if row["pipeline"] not in PIPELINES:
        raise among("one of the pipelines", PIPELINES, row["pipeline"], where)
    operands = tuple(fields[each] for each in row["operands"])
    writes, reads = (tuple(row[key]) for key in ("writes", "reads"))
    if unknown := set(row["operations"]) - set(OPERATIONS):
        raise among("only the operations", OPERATIONS, sorted(unknown)[0], where)
    return Opcode(name, row["intrinsic"], row["number"], bfly, row["pipeline"], operands, mode, scalar, writes,
                  reads, row["operations"], row["meaning"])  # fmt: skip
