"""Code on as many vector registers as it likes: each is written once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen.rpu.isa.elements import places
from momagen.rpu.isa.table import b512

RESULTS, ARGUMENTS = ("VD", "VD1"), ("VS", "VT", "VT1")
ZERO = 0
"""Register a0, which nothing changes."""


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
    def words(self) -> frozenset[int]:
        """The words of memory that it reads or writes; all address registers are 0."""
        if self.name == "vbroadcast":
            return frozenset({self.fields["ADDRESS"]})
        if "MODE" not in self.fields:
            return frozenset()
        return frozenset((self.fields["ADDRESS"] + places(self.fields["MODE"], self.fields["VALUE"])).tolist())


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
