"""The translation of operands and of instructions without control flow to C."""

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
    """A memory access that is checked when it is executed.

    Attributes:
        line: The line number in the PTX.
        space: The state space.
        size: The number of bytes.
        kind: 0 for a load, 1 for a store, 2 for an atomic instruction.
        unchanging: Whether no thread may have written to the address earlier in the launch.
    """

    line: int
    space: str
    size: int
    kind: int
    unchanging: bool = False


@dataclass
class PtxPlaces:
    """The addresses of variables as C expressions, and a list of the memory accesses.

    Attributes:
        addresses: The expressions by the names of the variables.
        sites: The accesses in the order of their translation.
    """

    addresses: Mapping[str, str]
    sites: list[PtxSite] = field(default_factory=list)

    def address(self, variable: PtxVariable, line: int) -> str:
        """Return the address of a variable as a C expression.

        Raises:
            MomagenError: The variable has no address in this function.
        """
        if variable.name not in self.addresses:
            raise refused("a variable that has an address in this function", variable.name, line)
        return self.addresses[variable.name]


def read(operand: PtxOperand | None, kind: str, places: PtxPlaces, line: int, narrow: bool = False) -> str:
    """Return the value of an operand as a C expression of the unsigned type for ``kind``.

    Args:
        operand: The operand.
        kind: The type that the instruction reads.
        places: The addresses of variables.
        line: The line number, for errors.
        narrow: Whether a register may be wider than the type.

    Raises:
        MomagenError: The operand has another type or no value.
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
    """Return the C statement of an instruction, or None if the table does not contain its opcode."""
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
    """Return the register to which a value of type ``kind`` is written.

    Args:
        operand: The operand.
        kind: The type that the instruction writes.
        line: The line number, for errors.
        narrow: Whether the register may be wider than the type.

    Raises:
        MomagenError: The operand is not a register or has another type.
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
    """Return the elements of the vector {low, …, high} in one word."""
    part = _part(operand, kind, line)
    bits = 8 * SIZES[part]
    words = [read(item, part, places, line) for item in operand.items]
    return "(" + " | ".join(f"({unsigned(kind)}){word} << {bits * i}" for i, word in enumerate(words)) + ")"


def _unpacked(instruction: PtxInstruction, row: PtxOpcode, places: PtxPlaces) -> str:
    """Return the statement that writes one word to the elements of the vector {low, …, high}."""
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
