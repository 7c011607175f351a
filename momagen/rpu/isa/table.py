"""The instruction set as isa.toml has it, checked."""

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
"""Register files: vectors, scalars, addresses, moduli."""
HOLDS = (*FILES, "bit", "number", "address", "mode", "value")
PIPELINES = ("load/store", "compute", "shuffle")
OPERATIONS = ("add", "multiply")
"""What a compute instruction may do to an element, in units of these names."""
WORD = 64
"""Bits of an instruction."""
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
"""Keys of an instruction that may be missing."""


@dataclass(frozen=True)
class WordField:
    """Bits of an instruction: from ``low`` up to ``high``, both of them; ``holds``: one of HOLDS."""

    name: str
    high: int
    low: int
    holds: str

    @property
    def bits(self) -> int:
        return self.high - self.low + 1


@dataclass(frozen=True)
class Mode:
    """How the 512 elements of a vector lie in memory; ``least`` to ``most``: its values."""

    name: str
    number: int
    letter: str
    element: str
    least: int
    most: int

    def place(self, i: int, v: int) -> int:
        """How many words behind the address element i lies, for the value v."""
        return PLACES[self.name](i, v)


PLACES: Mapping[str, Callable[[int, int], int]] = {
    "contiguous": lambda i, v: i, "strided": lambda i, v: i << v, "repeated": lambda i, v: i & (1 << v) - 1,
    "skip": lambda i, v: (i >> v << v + 1) + (i & (1 << v) - 1),
}  # fmt: skip


@dataclass(frozen=True)
class Opcode:
    """One instruction of the set.

    Attributes:
        intrinsic: its name in C. number, bfly: its code. operands: fields in the order of the text. mode: whether it
            takes an address mode.
        scalar: the instruction that takes a scalar register as its second operand, "" for none.
        writes, reads: fields of registers. operations: of each element, how often "add" and "multiply". meaning: what
            it does, in a line.
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
    """B512: sizes of the machine, and fields, modes and instructions by name."""

    machine: Mapping[str, int]
    fields: Mapping[str, WordField]
    modes: Mapping[str, Mode]
    opcodes: Mapping[str, Opcode]

    @functools.cached_property
    def by_code(self) -> Mapping[tuple[int, int], Opcode]:
        """Instructions by their number and the bit BFLY."""
        return {(each.number, each.bfly): each for each in self.opcodes.values()}

    @functools.cached_property
    def mode_numbers(self) -> Mapping[int, Mode]:
        return {each.number: each for each in self.modes.values()}

    def opcode(self, name: str, where: str = "B512") -> Opcode:
        """Return the instruction called ``name``.

        Raises:
            MomagenError: no instruction has this name.
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
    where = f"{TABLE.name}, [field] {name}"
    row = checked(raw, FIELD, where)
    if not 0 <= row["low"] <= row["high"] < WORD:
        expected = f"0 <= low <= high < {WORD}"
        raise MomagenError(expected, f"low = {row['low']} and high = {row['high']}", where)
    if row["holds"] not in HOLDS:
        raise among("one of the contents", HOLDS, row["holds"], f"{where}, holds")
    return WordField(name, **row)


def _mode(name: str, raw: Any) -> Mode:
    return Mode(name, **checked(raw, MODE, f"{TABLE.name}, [mode.{name}]"))


def _opcode(name: str, raw: dict[str, Any], fields: Mapping[str, WordField]) -> Opcode:
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
