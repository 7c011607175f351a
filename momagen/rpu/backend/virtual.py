"""Code on as many vector registers as it likes: each is written once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from momagen.rpu.isa.elements import places
from momagen.rpu.isa.table import b512

RESULTS, ARGUMENTS = ("VD", "VD1"), ("VS", "VT", "VT1")
ZERO = 0
"""Register a0, which nothing changes."""

Place = tuple[int, int | None, int]
"""Address, mode and value of an access to memory; of one word without a mode."""


@functools.lru_cache(maxsize=1 << 14)
def words(place: Place) -> NDArray[np.intp]:
    """The words of a place, each once; all address registers are 0."""
    address, mode, value = place
    return np.unique(address + places(mode, value)) if mode is not None else np.array([address], np.intp)


@dataclass(frozen=True)
class VirtualOp:
    """One instruction; ``fields``: those that are no vector registers.

    Attributes:
        results, arguments: virtual registers, in the order of the fields VD, VD1 and VS, VT, VT1; what a store stores
            is its argument.
    """

    name: str
    results: tuple[int, ...]
    arguments: tuple[int, ...]
    fields: Mapping[str, int]

    @property
    def place(self) -> Place | None:
        """Where it reads or writes memory, if it does."""
        if self.name == "vbroadcast":
            return self.fields["ADDRESS"], None, 0
        return (self.fields["ADDRESS"], self.fields["MODE"], self.fields["VALUE"]) if "MODE" in self.fields else None


@dataclass
class Code:
    """Instructions in order; every method appends one and gives the registers that it writes."""

    ops: list[VirtualOp] = field(default_factory=list)
    registers: int = 0

    def _emit(self, name: str, results: int, arguments: tuple[int, ...], **fields: int) -> tuple[int, ...]:
        made = tuple(range(self.registers, self.registers + results))
        self.registers += results
        self.ops.append(VirtualOp(name, made, arguments, fields))
        return made

    def load(self, address: int, mode: str = "contiguous", value: int = 0) -> int:
        """512 words from memory."""
        number = b512().modes[mode].number
        return self._emit("vload", 1, (), RA=ZERO, ADDRESS=address, MODE=number, VALUE=value)[0]

    def store(self, register: int, address: int, mode: str = "contiguous", value: int = 0) -> None:
        """512 words to memory."""
        number = b512().modes[mode].number
        self._emit("vstore", 0, (register,), RA=ZERO, ADDRESS=address, MODE=number, VALUE=value)

    def broadcast(self, address: int) -> int:
        """One word from memory in all lanes."""
        return self._emit("vbroadcast", 1, (), RA=ZERO, ADDRESS=address)[0]

    def compute(self, name: str, arguments: tuple[int, ...], modulus: int, **fields: int) -> tuple[int, ...]:
        """An arithmetic instruction modulo what a register holds; ``fields``: a scalar register."""
        results = sum(each in RESULTS for each in b512().opcode(name).writes)
        return self._emit(name, results, arguments, **fields, RM=modulus)

    def arithmetic(self, name: str, x: int, y: int, modulus: int) -> int:
        """vadd, vsub or vmul."""
        return self.compute(name, (x, y), modulus)[0]

    def shuffle(self, name: str, x: int, y: int) -> int:
        """unpklo, unpkhi, pklo or pkhi."""
        return self._emit(name, 1, (x, y))[0]
