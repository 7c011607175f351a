"""Operands and plain instructions as C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..syntax.parts import (
    SIZES,
    PtxImmediate,
    PtxInstruction,
    PtxOperand,
    PtxPair,
    PtxRegister,
    PtxSpecial,
    PtxSymbol,
    PtxVariable,
    PtxVector,
    refused,
)
from .opcodes import PtxOpcode, opcodes, raw_table, signed, unsigned

SUFFIX = {1: "u", 2: "u", 4: "u", 8: "ull"}


@dataclass(frozen=True, slots=True)
class PtxSite:
    """An access to memory that is checked when it runs: ``size`` bytes; ``kind``: 0 load, 1 store, 2 atomic;
    ``unchanging``: nothing may be written there before in the same launch."""

    line: int
    space: str
    size: int
    kind: int
    unchanging: bool = False


@dataclass
class PtxPlaces:
    """Where variables are, as C; and the accesses that were met, in order."""

    addresses: Mapping[str, str]
    sites: list[PtxSite] = field(default_factory=list)

    def address(self, variable: PtxVariable, line: int) -> str:
        """Return the address of a variable, as C.

        Raises:
            MomagenError: the variable has no address in this function.
        """
        if variable.name not in self.addresses:
            raise refused("a variable that has an address in this function", variable.name, line)
        return self.addresses[variable.name]


def read(operand: PtxOperand | None, kind: str, places: PtxPlaces, line: int, narrow: bool = False) -> str:
    """An operand's value of type ``kind``, without sign; ``narrow``: its register may be wider.

    Raises:
        MomagenError: another type, or nothing that has a value.
    """
    if isinstance(operand, PtxRegister):
        return _register(operand, kind, line, narrow)
    if isinstance(operand, PtxImmediate):
        return _immediate(operand, kind, line)
    if isinstance(operand, PtxSpecial) and SIZES[kind] == 4:
        return str(raw_table()["special"][operand.name])
    if isinstance(operand, PtxSymbol) and kind[0] != "f" and SIZES[kind] >= 4:
        more = f" + {operand.offset}" if operand.offset else ""
        return f"({unsigned(kind)})({places.address(operand.variable, line)}{more})"
    if isinstance(operand, PtxVector):
        return _packed(operand, kind, places, line)
    raise refused(f"an operand of type {kind}", operand, line)


def plain(instruction: PtxInstruction, places: PtxPlaces) -> str | None:
    """The statement of an instruction of the table; None where the table has none of its opcode."""
    row = opcodes().get(instruction.opcode)
    if row is None:
        return None
    line = instruction.line
    if instruction.opcode.startswith("mov.b") and isinstance(instruction.operands[0], PtxVector):
        return _unpacked(instruction, row, places)
    if len(instruction.operands) != len(row.operands) + 1:
        raise refused(f"{len(row.operands) + 1} operands for {instruction.opcode}", len(instruction.operands), line)
    narrow = instruction.opcode.startswith("cvt.")
    values = {
        name: read(operand, kind, places, line, narrow)
        for name, operand, kind in zip("abce", instruction.operands[1:], row.operands, strict=False)
    }
    c = row.c.format(cf="cf", line=line, **values)
    if isinstance(pair := instruction.operands[0], PtxPair):
        if not row.second:
            raise refused("an instruction with two results", instruction.opcode, line)
        second = row.second.format(line=line, **values)
        return f"{{ const uint8_t p = {c}, q = {second}; {_set(pair.first, 'p', row, line, narrow)} " \
               f"{_set(pair.second, 'q', row, line, narrow)} }}"  # fmt: skip
    if not row.carry:
        return _set(instruction.operands[0], c, row, line, narrow)
    wide, bits = ("uint64_t", 32) if SIZES[row.result] == 4 else ("mg_uint128", 64)
    result = _set(instruction.operands[0], "w", row, line, narrow)
    return f"{{ const {wide} w = {c}; {result} cf = (uint32_t)(w >> {bits}) & 1; }}"


def destination(operand: PtxOperand | None, kind: str, line: int, narrow: bool = False) -> str:
    """The register that takes a value of type ``kind``; ``narrow``: it may be wider.

    Raises:
        MomagenError: no register, or of another type.
    """
    if not isinstance(operand, PtxRegister) or operand.negated:
        raise refused("a register for the result", operand, line)
    _register(operand, kind, line, narrow)
    return operand.name


def _set(operand: PtxOperand | None, c: str, row: PtxOpcode, line: int, narrow: bool) -> str:
    if operand is None:
        return ""
    name = destination(operand, row.result, line, narrow)
    return f"{name} = ({signed(row.result) if narrow else unsigned(row.result)})({c});"


def _register(operand: PtxRegister, kind: str, line: int, narrow: bool) -> str:
    have, want = SIZES[operand.type], SIZES[kind]
    if (operand.type == "pred") != (kind == "pred") or not (have == want or (narrow and have > want)):
        raise refused(f"a register of type {kind}", f"{operand.name} of type {operand.type}", line)
    if operand.negated:
        return f"!{operand.name}"
    return operand.name if have == want else f"({unsigned(kind)}){operand.name}"


def _immediate(operand: PtxImmediate, kind: str, line: int) -> str:
    size, value = SIZES[kind], operand.value
    if operand.real:
        if SIZES[operand.real] != size or kind[0] == "p":
            raise refused(f"a number of type {kind}", f"a number of type {operand.real}", line)
    elif kind[0] == "f":
        raise refused("a floating-point number written as its bits, 0d… or 0f…", value, line)
    if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
        raise refused(f"a number that fits {8 * size} bits", value, line)
    bits = value % (1 << 8 * size)
    return f"({unsigned(kind)}){bits:#x}{SUFFIX[size]}" if size < 4 else f"{bits:#x}{SUFFIX[size]}"


def _packed(operand: PtxVector, kind: str, places: PtxPlaces, line: int) -> str:
    """{low, …, high} in one word."""
    part = _part(operand, kind, line)
    bits = 8 * SIZES[part]
    words = [read(item, part, places, line) for item in operand.items]
    return "(" + " | ".join(f"({unsigned(kind)}){word} << {bits * i}" for i, word in enumerate(words)) + ")"


def _unpacked(instruction: PtxInstruction, row: PtxOpcode, places: PtxPlaces) -> str:
    """One word in {low, …, high}."""
    vector, line = instruction.operands[0], instruction.line
    assert isinstance(vector, PtxVector), "seen before"
    part = _part(vector, row.result, line)
    bits = 8 * SIZES[part]
    value = read(instruction.operands[1], row.result, places, line)
    sets = [f"{destination(item, part, line)} = ({unsigned(part)})(w >> {bits * i});"
            for i, item in enumerate(vector.items) if item is not None]  # fmt: skip
    return f"{{ const {unsigned(row.result)} w = {value}; {' '.join(sets)} }}"


def _part(vector: PtxVector, kind: str, line: int) -> str:
    count = len(vector.items)
    if count not in (2, 4) or SIZES[kind] // count < 2 or kind[0] != "b":
        raise refused(f"two or four parts of a word of type {kind}", f"{count} parts", line)
    return f"b{8 * SIZES[kind] // count}"
