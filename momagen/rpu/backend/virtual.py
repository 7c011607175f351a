"""Code on an unlimited number of virtual vector registers, each of which is written once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from momagen.rpu.isa.elements import places
from momagen.rpu.isa.table import b512

RESULTS, ARGUMENTS = ("VD", "VD1"), ("VS", "VT", "VT1")
"""The fields of an instruction that are vector registers for results and for arguments."""
ZERO = 0
"""The number of the address register a0, which no instruction changes."""

Place = tuple[int, int | None, int]
"""The address, mode and value of an access to memory. The mode is None for an access to one word."""


@functools.lru_cache(maxsize=1 << 14)
def words(place: Place) -> NDArray[np.intp]:
    """Return the addresses of the words of a place, without repetitions, if all address registers are 0."""
    address, mode, value = place
    return np.unique(address + places(mode, value)) if mode is not None else np.array([address], np.intp)


@dataclass(frozen=True)
class VirtualOp:
    """One instruction.

    Attributes:
        name: The name of the instruction.
        results: The virtual registers of the results, in the order of the fields VD and VD1.
        arguments: The virtual registers of the arguments, in the order of the fields VS, VT and VT1. The
            register that a store writes to memory is its argument.
        fields: The fields that are not vector registers.
    """

    name: str
    results: tuple[int, ...]
    arguments: tuple[int, ...]
    fields: Mapping[str, int]

    @property
    def place(self) -> Place | None:
        """The place in memory that it reads or writes, or None."""
        if self.name == "vbroadcast":
            return self.fields["ADDRESS"], None, 0
        return (self.fields["ADDRESS"], self.fields["MODE"], self.fields["VALUE"]) if "MODE" in self.fields else None


@dataclass
class Code:
    """Instructions in order. Each method appends one instruction and returns the registers that it writes.

    Attributes:
        ops: The instructions.
        registers: The number of virtual registers.
    """

    ops: list[VirtualOp] = field(default_factory=list)
    registers: int = 0

    def _emit(self, name: str, results: int, arguments: tuple[int, ...], **fields: int) -> tuple[int, ...]:
        """Append an instruction, and return the new registers of its results."""
        made = tuple(range(self.registers, self.registers + results))
        self.registers += results
        self.ops.append(VirtualOp(name, made, arguments, fields))
        return made

    def load(self, address: int, mode: str = "contiguous", value: int = 0) -> int:
        """Append a load of 512 words, and return its register."""
        number = b512().modes[mode].number
        return self._emit("vload", 1, (), RA=ZERO, ADDRESS=address, MODE=number, VALUE=value)[0]

    def store(self, register: int, address: int, mode: str = "contiguous", value: int = 0) -> None:
        """Append a store of 512 words."""
        number = b512().modes[mode].number
        self._emit("vstore", 0, (register,), RA=ZERO, ADDRESS=address, MODE=number, VALUE=value)

    def broadcast(self, address: int) -> int:
        """Append a load of one word into all lanes, and return its register."""
        return self._emit("vbroadcast", 1, (), RA=ZERO, ADDRESS=address)[0]

    def compute(self, name: str, arguments: tuple[int, ...], modulus: int, **fields: int) -> tuple[int, ...]:
        """Append an arithmetic instruction, and return the registers of its results.

        Args:
            name: The name of the instruction.
            arguments: The registers of the arguments.
            modulus: The number of the register that holds the modulus.
            **fields: The scalar register, if the instruction has one.
        """
        results = sum(each in RESULTS for each in b512().opcode(name).writes)
        return self._emit(name, results, arguments, **fields, RM=modulus)

    def arithmetic(self, name: str, x: int, y: int, modulus: int) -> int:
        """Append vadd, vsub or vmul, and return the register of the result."""
        return self.compute(name, (x, y), modulus)[0]

    def shuffle(self, name: str, x: int, y: int) -> int:
        """Append unpklo, unpkhi, pklo or pkhi, and return the register of the result."""
        return self._emit(name, 1, (x, y))[0]
