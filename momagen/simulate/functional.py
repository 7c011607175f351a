"""What a program computes: instruction by instruction, every address and every operand checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from momagen.errors import MomagenError
from momagen.params.words import from_words
from momagen.rpu.isa.assembly import line_of
from momagen.rpu.isa.elements import LANES, places
from momagen.rpu.isa.instruction import LOAD_STORE, RpuInstruction
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.isa.table import b512

from .arithmetic import Arithmetic, spread
from .memory import WordMemory, Words

HALF = LANES // 2


class Functional:
    """The state of a machine that runs one program.

    Args:
        vdm_bytes, sdm_bytes: sizes of the memories; by default the most that the instruction set allows.

    Raises:
        MomagenError: the memory that the program starts from does not fit.
    """

    def __init__(self, program: RpuProgram, vdm_bytes: int | None = None, sdm_bytes: int | None = None) -> None:
        sizes = b512().machine
        self.program = program
        self.vdm = WordMemory("vector memory", vdm_bytes or sizes["vdm_bytes"])
        self.sdm = WordMemory("scalar memory", sdm_bytes or sizes["sdm_bytes"])
        self.vdm.fill(program.vdm, "program")
        self.sdm.fill(program.sdm, "program")
        count = sizes["registers"]
        self.v: Words = np.zeros((count, LANES, 2), np.uint64)
        self.s: Words = np.zeros((count, 2), np.uint64)
        self.a, self.m = [0] * count, [0] * count

    def put(self, area: str, numbers: list[int]) -> None:
        """Write an area from its beginning."""
        begin, count = self._area(area)
        if len(numbers) > count:
            raise MomagenError(f"at most {count} numbers", len(numbers), area)
        self.vdm.put(begin, numbers, area)

    def get(self, area: str) -> list[int]:
        """Read an area."""
        return self.vdm.get(*self._area(area), area)

    def _area(self, name: str) -> tuple[int, int]:
        if name not in self.program.areas:
            raise MomagenError(f"an area among {', '.join(self.program.areas)}", name, "program")
        return self.program.areas[name]

    def run(self) -> None:
        """Run the program once.

        Raises:
            MomagenError: an address outside the memory, a modulus or an operand that does not fit; says which
                instruction.
        """
        for at, each in enumerate(self.program.instructions):
            where = f"instruction {at}: {line_of(each)}"
            if each.opcode.name in SCALAR_LOADS:
                SCALAR_LOADS[each.opcode.name](self, each, where)
            elif each.opcode.pipeline == LOAD_STORE:
                self._move(each, where)
            elif each.opcode.name in SHUFFLES:
                self.v[each["VD"]] = SHUFFLES[each.opcode.name](self.v[each["VS"]], self.v[each["VT"]])
            else:
                self._compute(each, where)

    # Memory

    def _scalar(self, given: RpuInstruction, where: str) -> None:
        self.s[given["RT"]] = self.sdm.words[self.sdm.checked(given["ADDRESS"], 1, where)][0]

    def _modulus(self, given: RpuInstruction, where: str) -> None:
        self.m[given["MT"]] = found = self._number(given, where)
        if found < 2:
            raise MomagenError("a modulus of at least 2", found, where)

    def _address(self, given: RpuInstruction, where: str) -> None:
        self.a[given["AT"]] = found = self._number(given, where)
        if found >= len(self.vdm.words):
            raise MomagenError(f"an address below {len(self.vdm.words)}", found, where)

    def _number(self, given: RpuInstruction, where: str) -> int:
        return self.sdm.get(given["ADDRESS"], 1, where)[0]

    def _move(self, given: RpuInstruction, where: str) -> None:
        """Between the vector memory and a register."""
        begin = self.a[given["RA"]] + given["ADDRESS"]
        if given.opcode.name == "vbroadcast":
            self.v[given["VD"]] = self.vdm.words[self.vdm.checked(begin, 1, where)]
            return
        element = places(given["MODE"], given["VALUE"])
        words = self.vdm.words[self.vdm.checked(begin, int(element.max()) + 1, where)]
        if given.opcode.name == "vload":
            self.v[given["VD"]] = words[element]
        else:
            words[element] = self.v[given["VD"]]

    # Arithmetic

    def _compute(self, given: RpuInstruction, where: str) -> None:
        q = self.m[given["RM"]]
        if q < 2:
            raise MomagenError(f"a modulus in m{given['RM']}", "none was loaded", where)
        of, x = _arithmetic(q), self.v[given["VS"]]
        scalar = "RT" in given.opcode.reads
        y = spread(self.s[given["RT"]]) if scalar else self.v[given["VT"]]
        of.check(x, f"v{given['VS']}", where)
        of.check(y, f"s{given['RT']}" if scalar else f"v{given['VT']}", where)
        if given.opcode.bfly:
            v = self.v[given["VT1"]]
            of.check(v, f"v{given['VT1']}", where)
            t = of.mul(y, v)
            self.v[given["VD"]], self.v[given["VD1"]] = of.add(x, t), of.sub(x, t)
        else:
            self.v[given["VD"]] = getattr(of, given.opcode.name[-3:])(x, y)

    def numbers(self, register: int) -> list[int]:
        """What a vector register holds."""
        return from_words(self.v[register])


@lru_cache(maxsize=256)
def _arithmetic(q: int) -> Arithmetic:
    return Arithmetic(q)


def _interleaved(x: Words, y: Words) -> Words:
    return np.stack([x, y], axis=1).reshape(LANES, 2)


SHUFFLES: Mapping[str, Callable[[Words, Words], Words]] = {
    "unpklo": lambda x, y: _interleaved(x[:HALF], y[:HALF]), "unpkhi": lambda x, y: _interleaved(x[HALF:], y[HALF:]),
    "pklo": lambda x, y: np.concatenate([x[::2], y[::2]]), "pkhi": lambda x, y: np.concatenate([x[1::2], y[1::2]]),
}  # fmt: skip
SCALAR_LOADS: Mapping[str, Callable[[Functional, RpuInstruction, str], None]] = {
    "sload": Functional._scalar, "mload": Functional._modulus, "aload": Functional._address,
}  # fmt: skip
