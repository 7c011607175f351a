"""An instruction and its encoding as a 64-bit word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from momagen.errors import MomagenError, among, build_error

from .table import FILES, PIPELINES, WORD, Mode, Opcode, WordField, b512

NONE: Mapping[str, int] = MappingProxyType({})
LOAD_STORE, COMPUTE, SHUFFLE = PIPELINES


@dataclass(frozen=True)
class RpuInstruction:
    """An instruction.

    Attributes:
        opcode: The entry of the instruction set.
        fields: The numbers of registers, an address, a mode and its value, by the names of the fields; 0 for
            fields that are not present.
    """

    opcode: Opcode
    fields: Mapping[str, int] = field(default_factory=lambda: NONE)

    def __getitem__(self, name: str) -> int:
        return self.fields.get(name, 0)

    @property
    def mode(self) -> Mode:
        """The address mode."""
        return b512().mode_numbers[self["MODE"]]

    def registers(self, names: tuple[str, ...], file: str = FILES) -> Iterator[tuple[str, int]]:
        """Return the registers of some fields, as pairs of a file and a number.

        Args:
            names: The names of the fields.
            file: The register files to which the result is restricted.
        """
        holds = b512().fields
        return ((holds[name].holds, self[name]) for name in names if holds[name].holds in file)

    @property
    def writes(self) -> tuple[tuple[str, int], ...]:
        """The registers that it writes."""
        return tuple(self.registers(self.opcode.writes))

    @property
    def reads(self) -> tuple[tuple[str, int], ...]:
        """The registers that it reads."""
        return tuple(self.registers(self.opcode.reads))


def instruction(name: str, fields: Mapping[str, int], where: str = "B512") -> RpuInstruction:
    """Return the instruction ``name`` with these fields.

    Raises:
        MomagenError: The instruction or a field is unknown, or a number does not fit.
    """
    found = RpuInstruction(b512().opcode(name, where), fields)
    check(found, where)
    return found


def check(given: RpuInstruction, where: str) -> None:
    """Check the fields of an instruction.

    Raises:
        MomagenError: A field is unknown or out of range, or the instruction does not allow its value.
    """
    opcode, table = given.opcode, b512()
    known = [each.name for each in opcode.operands] + ["MODE", "VALUE"] * opcode.mode
    for name, number in given.fields.items():
        if name not in known:
            raise among(f"only the fields of {opcode.name}:", known, name, where)
        bits = table.fields[name].bits
        if not 0 <= number < 1 << bits:
            raise MomagenError(f"a number from 0 to {(1 << bits) - 1} in the field {name}", number, where)
    if opcode.mode:
        _check_mode(given, where)
    if len(set(given.writes)) < len(given.writes):
        raise MomagenError("different registers for the two results", f"v{given['VD']} twice", where)


def _check_mode(given: RpuInstruction, where: str) -> None:
    """Raise MomagenError if the mode or its value is invalid for the instruction."""
    modes = b512().mode_numbers
    if given["MODE"] not in modes:
        raise MomagenError(f"an address mode from 0 to {len(modes) - 1}", given["MODE"], where)
    mode = given.mode
    if not mode.least <= given["VALUE"] <= mode.most:
        expected = f"a value from {mode.least} to {mode.most} for the address mode {mode.name}"
        raise MomagenError(expected, given["VALUE"], where)
    if mode.name == "repeated" and not given.opcode.writes:
        problem = "a store cannot use the address mode `repeated`, which maps several elements to one word"
        raise build_error(problem, where)


def encode(given: RpuInstruction) -> int:
    """Return the 64-bit word of an instruction."""
    opcode, table = given.opcode, b512()
    numbers = {**given.fields, "OPCODE": opcode.number, "BFLY": opcode.bfly}
    return sum(number << table.fields[name].low for name, number in numbers.items())


def decode(word: int, where: str = "B512") -> RpuInstruction:
    """Return the instruction that a 64-bit word encodes.

    Raises:
        MomagenError: No instruction has this code, or bits outside the fields of the instruction are set.
    """
    table = b512()
    if not 0 <= word < 1 << WORD:
        raise MomagenError(f"a word of {WORD} bits", hex(word), where)
    number, bfly = (_bits(word, table.fields[name]) for name in ("OPCODE", "BFLY"))
    opcode = table.by_code.get((number, bfly))
    if opcode is None:
        raise build_error(f"no instruction has OPCODE {number} and BFLY {bfly}, as in the word {word:#018x}", where)
    names = [each.name for each in opcode.operands] + ["MODE", "VALUE"] * opcode.mode
    found = RpuInstruction(opcode, {name: _bits(word, table.fields[name]) for name in names})
    if encode(found) != word:
        raise MomagenError(f"0 in all bits outside the fields of {opcode.name}", f"{word:#018x}", where)
    check(found, where)
    return found


def _bits(word: int, of: WordField) -> int:
    """Return the bits of a field."""
    return word >> of.low & (1 << of.bits) - 1
